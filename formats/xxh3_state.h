// The state of an XXH3 hash that is fed piece by piece, as an owner.
#pragma once

#include <xxhash.h>

#include <memory>
#include <new>

namespace warpseq {

struct Xxh3StateDeleter {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};
using Xxh3State = std::unique_ptr<XXH3_state_t, Xxh3StateDeleter>;

/// Not reset yet. Throws std::bad_alloc.
inline Xxh3State make_xxh3_state() {
    Xxh3State state(XXH3_createState());
    if (state == nullptr) throw std::bad_alloc();
    return state;
}

}  // namespace warpseq
