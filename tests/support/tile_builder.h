// TileBuilder: makes tiles of sequences in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq::testing {

/// The owner of the words and lengths of tiles. Sequences within a tile must be added in descending
/// length.
class TileBuilder {
   public:
    void add_interleaved(std::span<const std::vector<ResidueCode>> sequences) {
        add(TileLayout::kInterleaved, sequences);
    }
    void add_linear(const std::vector<ResidueCode>& sequence) { add(TileLayout::kLinear, {&sequence, 1}); }

    /// Returns the tiles so far. They are valid until the next one is added.
    std::vector<TileView> views() const {
        std::vector<TileView> views;
        std::uint64_t rank = 0;
        for (const Tile& tile : tiles_) {
            const std::size_t words = tile_words(tile.layout, tile.lengths.front());
            views.push_back({.words = {reinterpret_cast<const std::uint32_t*>(tile.lines.data()), words},
                             .lengths_residues = tile.lengths,
                             .word_rows = words_for(tile.lengths.front()),
                             .first_sequence = rank,
                             .layout = tile.layout});
            rank += tile.lengths.size();
        }
        return views;
    }

   private:
    struct alignas(kTileAlignmentBytes) Line {
        std::uint32_t words[kTileLanes];
    };
    struct Tile {
        TileLayout layout;
        std::vector<std::uint64_t> lengths;
        std::vector<Line> lines;
    };

    void add(TileLayout layout, std::span<const std::vector<ResidueCode>> sequences) {
        Tile tile{layout, {}, {}};
        for (const auto& sequence : sequences) tile.lengths.push_back(sequence.size());
        const std::uint64_t word_rows = words_for(tile.lengths.front());
        const std::uint64_t words = tile_words(layout, tile.lengths.front());
        tile.lines.resize(words / kTileLanes);
        auto* const first = reinterpret_cast<std::uint32_t*>(tile.lines.data());
        for (std::uint64_t w = 0; w < words; ++w) first[w] = kPaddingWord;
        for (std::size_t lane = 0; lane < sequences.size(); ++lane) {
            pack_lane(sequences[lane], first, word_rows, lane, layout == TileLayout::kInterleaved ? kTileLanes : 1);
        }
        tiles_.push_back(std::move(tile));
    }

    std::vector<Tile> tiles_;
};

}  // namespace warpseq::testing
