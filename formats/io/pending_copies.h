// Bytes that have a place in memory, in the order of those that came before, and still have to go
// there: finding the place takes one thread's time, copying that of any.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace warpseq {

struct PendingCopy {
    std::uint8_t* to = nullptr;
    std::span<const std::uint8_t> from;
};
using PendingCopies = std::vector<PendingCopy>;

/// Makes them all, and forgets them.
inline void make_copies(PendingCopies& copies) {
    for (const PendingCopy& copy : copies) {
        if (!copy.from.empty()) std::memcpy(copy.to, copy.from.data(), copy.from.size());
    }
    copies.clear();
}

}  // namespace warpseq
