// Where a database is cut so that a piece has at least so much of something, found without a look
// at every tile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/wsdb/wsdb_reader.h"

namespace warpseq {

/// The first number of [low + 1, high] for which `is_so` holds; it holds for all from some number
/// on, and for high. Those near `guess` are asked first.
template <typename IsSo>
std::uint64_t first_where(std::uint64_t low, std::uint64_t high, std::uint64_t guess, const IsSo& is_so) {
    // Steps away from the guess double until the place is between two of them.
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

/// The first tile behind `first` that begins a block (WsdbReader::block_start()) and before which
/// the tiles from `first` on have `least` in all; the number of tiles where there is none.
/// amount(first, count) says what `count` tiles have, and does not fall with their count. `guess`:
/// how many tiles there may be up to it.
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
