// Functions that cut a database into pieces of at least a given amount, without looking at every
// tile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/wsdb/wsdb_reader.h"

namespace warpseq {

/// Returns the lowest number in [low + 1, high] for which `is_so` is true. It has to be true for
/// `high`, and for all numbers above one for which it is true. The search begins near `guess`.
template <typename IsSo>
std::uint64_t first_where(std::uint64_t low, std::uint64_t high, std::uint64_t guess, const IsSo& is_so) {
    // Steps away from the guess, each twice as long as the one before, until the result lies
    // between two of them.
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

/// Returns the first tile t behind `first` that begins a block (WsdbReader::block_start()) and for
/// which the tiles first .. t - 1 have an amount of at least `least`. Returns the number of tiles
/// if there is none. amount(first, count) returns the amount of `count` tiles from `first` on, and
/// must not fall if `count` rises. `guess` is an estimate of the number of tiles up to t.
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
