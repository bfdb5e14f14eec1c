#include "engines/targets/gathered_tiles.h"

#include <algorithm>

namespace warpseq {

void GatheredTiles::gather(std::span<const std::span<const ResidueCode>> sequences) {
    lengths_.clear();
    tiles_.clear();
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        lengths_.push_back(sequences[i].size());
        if (i % kTileLanes == 0) rows += words_for(sequences[i].size());
    }
    lines_.resize(rows);
    Line* line = lines_.data();
    for (std::size_t first = 0; first < sequences.size(); first += kTileLanes) {
        const std::size_t count = std::min<std::size_t>(kTileLanes, sequences.size() - first);
        const std::uint64_t word_rows = words_for(lengths_[first]), words = word_rows * kTileLanes;
        std::uint32_t* const tile = word_rows == 0 ? nullptr : line->words;
        // pack_lane() fills up the lanes of a whole tile.
        if (count < kTileLanes) std::fill(tile, tile + words, kPaddingWord);
        for (std::size_t lane = 0; lane < count; ++lane)
            pack_lane(sequences[first + lane], tile, word_rows, lane, kTileLanes);
        tiles_.push_back({.words = {tile, words},
                          .lengths_residues = std::span(lengths_).subspan(first, count),
                          .word_rows = word_rows,
                          .first_sequence = first,
                          .layout = TileLayout::kInterleaved});
        line += word_rows;
    }
}

void GatheredTiles::gather_linear(std::span<const ResidueCode> sequence) {
    lengths_.assign(1, sequence.size());
    tiles_.clear();
    const std::uint64_t words = tile_words(TileLayout::kLinear, sequence.size());
    lines_.resize(words / kTileLanes);
    std::uint32_t* const tile = words == 0 ? nullptr : lines_.front().words;
    pack_lane(sequence, tile, words, 0, 1);
    tiles_.push_back({.words = {tile, words},
                      .lengths_residues = lengths_,
                      .word_rows = words_for(sequence.size()),
                      .first_sequence = 0,
                      .layout = TileLayout::kLinear});
}

}  // namespace warpseq
