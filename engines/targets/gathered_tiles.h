// Interleaved tiles of sequences that are gathered from anywhere, for kernels that score tiles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

class GatheredTiles {
   public:
    /// Copies `sequences`, which come longest first, into tiles. Discards what was gathered before.
    void gather(std::span<const std::span<const ResidueCode>> sequences);

    /// Returns the tiles. Their lanes are the sequences in their order, numbered from 0. Valid
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
