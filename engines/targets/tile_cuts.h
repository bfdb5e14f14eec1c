// Cuts of a database into pieces that have at least a given amount. They are found without a look
// at every tile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/wsdb/wsdb_reader.h"

namespace warpseq {

/// Returns the first number of [low + 1, high] for which `is_so` holds. It has to hold for `high`,
/// and for all numbers from some number on. Numbers near `guess` are tried first.
template <typename IsSo>
std::uint64_t first_where(std::uint64_t low, std::uint64_t high, std::uint64_t guess, const IsSo& is_so) {
    // The steps away from the guess double until the place is between two of them.
    std::uint64_t place = std::clamp(guess, low + 1, high);
    const bool goes_down = place == high || is_so(place);
    for (std::uint64_t step = 1;; step *= 2) {
        (goes_down ? high : low) = place;
        if (high - low <= step) break;
        place = goes_down ? high - step : low + step;
        if (is_so(place) != goes_down) {
            (goes_down ? low : high) = place;
            break;
        }
    }
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (is_so(middle) ? high : low) = middle;
    }
    return high;
}

/// Returns the first tile behind `first` that begins a block (WsdbReader::block_start()) and before
/// which the tiles from `first` on have `least` in all. Returns the number of tiles if there is
/// none. amount(first, count) returns what `count` tiles have; it does not fall as their count
/// rises. `guess` is a guess at the number of tiles up to the cut.
template <typename Amount>
std::uint64_t next_cut(const WsdbReader& reader, std::uint64_t first, std::uint64_t least, std::uint64_t guess,
                       const Amount& amount) {
    const std::uint64_t end = reader.tile_count();
    const std::uint64_t tile =
        first_where(first, end, first + guess, [&](std::uint64_t t) { return amount(first, t - first) >= least; });
    if (tile == end) return end;
    const std::uint64_t start = reader.block_start(tile);
    if (start == tile) return tile;
    return first_where(tile, end, tile + 1, [&](std::uint64_t t) { return reader.block_start(t) != start; });
}

}  // namespace warpseq
