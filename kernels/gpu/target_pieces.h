// The targets of a chunk, cut into pieces of bounded length so that a long target does not outlast
// all others. This is host code only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

/// A piece: consecutive words of all lanes of a tile. A group of threads computes one lane of a
/// piece.
struct TargetPiece {
    std::uint64_t first_word;  // of lane 0, among all words of the chunk
    std::uint32_t first_lane;  // of lane 0, among all lanes of the chunk
    std::uint32_t lanes;
    std::uint32_t words;         // of each lane
    std::uint32_t words_before;  // of each lane, before this piece
    std::uint32_t word_stride;   // to a lane's next word
};

/// Most words of a lane in a piece.
inline constexpr std::uint64_t kMostPieceWords = 256;

/// Returns the pieces of tiles of one layout, long ones first. Every word of every lane is in one
/// piece.
std::vector<TargetPiece> target_pieces(std::span<const TileView> tiles, TileLayout layout);

}  // namespace warpseq::cuda
