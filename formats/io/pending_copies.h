// Lists of memory copies that have been planned but not made. One thread reserves the destinations,
// in the order of the data. Any thread can make the copies later.
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
