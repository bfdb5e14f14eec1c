// An owner of the state of an XXH3 hash whose bytes are added piece by piece.
#pragma once

#include <xxhash.h>

#include <memory>
#include <new>
#include <string>
#include <string_view>

namespace warpseq {

struct Xxh3StateDeleter {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};
using Xxh3State = std::unique_ptr<XXH3_state_t, Xxh3StateDeleter>;

/// Returns a state that still has to be reset. Throws std::bad_alloc.
inline Xxh3State make_xxh3_state() {
    Xxh3State state(XXH3_createState());
    if (state == nullptr) throw std::bad_alloc();
    return state;
}

/// Returns the XXH3-128 of the bytes so far as 32 hexadecimal digits, high half first.
inline std::string xxh3_128_text(const Xxh3State& state) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : canonical.digest) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

}  // namespace warpseq
