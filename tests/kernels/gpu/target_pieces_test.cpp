// Targets cut into pieces. Host code: needs no GPU.
#include "kernels/gpu/target_pieces.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

TEST_CASE("pieces: every word of every lane in one of them, long ones first, each with what stands before it") {
    Random random(5);
    TileBuilder tiles;
    for (const std::size_t residues : {20000u, 1537u, 1536u}) tiles.add_linear(random_protein(random, residues));
    for (const std::size_t longest : {4000u, 1600u, 1500u, 700u, 6u, 0u}) {
        std::vector<Sequence> sequences;
        const std::size_t lanes = longest > 100 ? 32 : 7;
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sequences.push_back(random_protein(random, longest - longest / 40 * lane));
        tiles.add_interleaved(sequences);
    }
    const std::vector<TileView> views = tiles.views();
    for (const TileLayout layout : {TileLayout::kLinear, TileLayout::kInterleaved}) {
        const std::vector<TargetPiece> pieces = target_pieces(views, layout);
        CHECK(std::ranges::is_sorted(pieces, std::ranges::greater(), &TargetPiece::words));
        std::uint64_t first_word = 0, first_lane = 0;
        std::size_t found = 0;
        for (const TileView& tile : views) {
            std::vector<int> covered(tile.layout == layout ? tile.word_rows : 0);
            for (const TargetPiece& piece : pieces) {
                if (piece.first_lane != first_lane) continue;
                ++found;
                CHECK(piece.lanes == tile.lanes());
                CHECK(piece.word_stride == tile.word_stride());
                CHECK(piece.words <= kMostPieceWords);
                CHECK(piece.first_word == first_word + piece.words_before * tile.word_stride());
                for (std::uint32_t w = 0; w < piece.words; ++w) ++covered.at(piece.words_before + w);
            }
            CHECK(std::ranges::count(covered, 1) == static_cast<std::ptrdiff_t>(covered.size()));
            first_word += tile.words.size();
            first_lane += tile.lanes();
        }
        CHECK(found == pieces.size());
    }
}
