#include "kernels/gpu/target_pieces.h"

#include <algorithm>
#include <functional>

namespace warpseq::cuda {

std::vector<TargetPiece> target_pieces(std::span<const TileView> tiles, TileLayout layout) {
    std::vector<TargetPiece> pieces;
    std::uint64_t first_word = 0, first_lane = 0;
    for (const TileView& tile : tiles) {
        if (tile.layout == layout) {
            const std::uint64_t count = (tile.word_rows + kMostPieceWords - 1) / kMostPieceWords;
            for (std::uint64_t i = 0; i < count; ++i) {
                const std::uint64_t begin = tile.word_rows * i / count, end = tile.word_rows * (i + 1) / count;
                pieces.push_back({first_word + begin * tile.word_stride(), static_cast<std::uint32_t>(first_lane),
                                  tile.lanes(), static_cast<std::uint32_t>(end - begin),
                                  static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(tile.word_stride())});
            }
        }
        first_word += tile.words.size();
        first_lane += tile.lanes();
    }
    std::ranges::stable_sort(pieces, std::ranges::greater(), &TargetPiece::words);
    return pieces;
}

}  // namespace warpseq::cuda
