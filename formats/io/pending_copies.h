// Copies that still have to be made to places in memory. One thread reserves the places, in the
// order of the data. Any thread can make the copies.
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

/// Makes all copies and clears the list.
inline void make_copies(PendingCopies& copies) {
    for (const PendingCopy& copy : copies) {
        if (!copy.from.empty()) std::memcpy(copy.to, copy.from.data(), copy.from.size());
    }
    copies.clear();
}

}  // namespace warpseq
