// Tiles that are made from any sequences, for kernels that score tiles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

class GatheredTiles {
   public:
    /// Copies `sequences` into tiles. Sequences come longest first. Discards the tiles of the call
    /// before.
    void gather(std::span<const std::span<const ResidueCode>> sequences);
    /// Copies one sequence into a linear tile, which suits a sequence that is much longer than
    /// those that would share its tile. Discards the tiles of the call before.
    void gather_linear(std::span<const ResidueCode> sequence);

    /// Returns the tiles. Their lanes, numbered from 0, are the sequences in the given order. Valid
    /// until the next gather().
    std::span<const TileView> tiles() const { return tiles_; }

   private:
    struct alignas(kTileAlignmentBytes) Line {
        std::uint32_t words[kTileLanes];
    };
    std::vector<std::uint64_t> lengths_;
    std::vector<Line> lines_;
    std::vector<TileView> tiles_;
};

}  // namespace warpseq
