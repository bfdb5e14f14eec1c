#include "kernels/profile/ssv_filter_simd.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/backends/backend_table.h"

namespace warpseq {
namespace {

/// The interleaved kernel is used if residues fill at least one kLeastShare-th of a group's lanes.
/// It computes every lane up to the end of the longest.
constexpr std::uint64_t kLeastShare = 3;

std::uint64_t longest_residues(std::span<const TileView> tiles) {
    std::uint64_t longest = 0;
    for (const TileView& tile : tiles) longest = std::max(longest, tile.word_rows * kResiduesPerWord);
    return longest;
}

}  // namespace

void repeat(std::span<const std::uint8_t> part, std::uint8_t* to, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += part.size())
        std::memcpy(to + at, part.data(), std::min(part.size(), bytes - at));
}

SsvProfile::SsvProfile(const ProfileFilterTable& kernels, std::size_t nodes, CodeScores scores)
    : nodes_(nodes), scores_(std::move(scores)) {
    const std::size_t diagonals = nodes + 1;
    vectors_ = (diagonals + kernels.vector_bytes - 1) / kernels.vector_bytes;
    period_ = (kResiduesPerWord + diagonals - 1) / diagonals * diagonals;
    row_bytes_ = diagonal_row_bytes(vectors_, kernels.vector_bytes);
}

DiagonalRows SsvProfile::rows(AlignedBytes& scratch) const {
    const std::byte* const table = rows_.get(row_bytes_ * kResidueTableSize, scratch, [this](std::byte* memory) {
        // The wall resets a lane.
        std::vector<std::uint8_t> row(nodes_ + 1, static_cast<std::uint8_t>(std::int8_t{-INT8_MAX}));
        for (std::size_t code = 0; code < kResidueTableSize; ++code) {
            scores_(code, reinterpret_cast<std::int8_t*>(row.data()));
            repeat(row, reinterpret_cast<std::uint8_t*>(memory) + code * row_bytes_, row_bytes_);
        }
    });
    return {reinterpret_cast<const std::uint8_t*>(table), row_bytes_, period_};
}

const std::int8_t* SsvProfile::by_node(AlignedBytes& scratch) const {
    const std::size_t bytes = padded_nodes() * kResidueTableSize;
    return reinterpret_cast<const std::int8_t*>(by_node_.get(bytes, scratch, [&](std::byte* memory) {
        auto* const table = reinterpret_cast<std::int8_t*>(memory);
        std::fill_n(table, bytes, std::int8_t{-INT8_MAX});
        std::vector<std::int8_t> row(nodes_);
        for (std::size_t code = 0; code < kResidueTableSize; ++code) {
            scores_(code, row.data());
            for (std::size_t node = 0; node < nodes_; ++node) table[node * kResidueTableSize + code] = row[node];
        }
    }));
}

std::int8_t SsvProfile::best(const ProfileFilterTable& kernels, const DiagonalRows& rows, const TargetWords& target,
                             const std::stop_token& stop) const {
    const std::size_t most = kernels.most_band_vectors;
    if (vectors_ <= most) return kernels.ssv_whole[vectors_ - 1](rows, 0, target);
    const std::size_t bands = (vectors_ + most - 1) / most;
    std::int8_t best = INT8_MIN;
    std::size_t first = 0;
    for (std::size_t band = 1; band <= bands && !stop.stop_requested(); ++band) {
        const std::size_t end = vectors_ * band / bands;
        best = std::max(best, kernels.ssv_bands[end - first - 1](rows, first * kernels.vector_bytes, target));
        first = end;
    }
    return best;
}

std::size_t SsvTiles::group_size(const ProfileFilterTable& kernels, std::span<const TileView> tiles) {
    const std::size_t most = kernels.interleaved_ssv ? kernels.vector_bytes / kTileLanes : 1;
    std::size_t size = 1;
    if (tiles.front().layout != TileLayout::kInterleaved) return size;
    while (size < tiles.size() && size < most && tiles[size].layout == TileLayout::kInterleaved) ++size;
    return size;
}

void SsvTiles::load(const ProfileFilterTable& kernels, std::span<const TileView> tiles) {
    tiles_ = tiles;
    const std::size_t lanes = kernels.vector_bytes;
    interleaved_ = kernels.interleaved_ssv && tiles.front().layout == TileLayout::kInterleaved &&
                   residues_of(tiles) * kLeastShare >= longest_residues(tiles) * lanes;
    if (!interleaved_) return;
    std::uint64_t word_rows = 0;
    for (const TileView& tile : tiles) word_rows = std::max(word_rows, tile.word_rows);
    rows_ = word_rows * kResiduesPerWord;
    auto* const columns = reinterpret_cast<std::uint8_t*>(columns_.reserve(rows_ * lanes));
    border_.reserve(rows_ * lanes);
    const KernelTable& decoder = runnable_backend_table(kernels.backend)->kernels;
    for (std::size_t t = 0; t * kTileLanes < lanes; ++t) {
        std::size_t filled = 0;
        if (t < tiles.size()) {
            decoder.decode(tiles[t].words.data(), tiles[t].word_rows, kTileLanes, columns + t * kTileLanes, lanes);
            filled = tiles[t].word_rows * kResiduesPerWord;
        }
        for (std::size_t row = filled; row < rows_; ++row)
            std::memset(columns + row * lanes + t * kTileLanes, kPaddingCode, kTileLanes);
    }
}

void SsvTiles::score(const ProfileFilterTable& kernels, const SsvProfile& profile, const std::stop_token& stop,
                     std::array<std::int8_t, kMostLanes>& best) {
    if (interleaved_) {
        const std::size_t bytes = rows_ * kernels.vector_bytes;
        alignas(64) std::array<std::int8_t, kMostLanes> found;
        kernels.interleaved_ssv({profile.by_node(table_), profile.padded_nodes(),
                                 reinterpret_cast<std::uint8_t*>(columns_.reserve(bytes)), rows_,
                                 border_.reserve(bytes), found.data(), &stop});
        best = found;
        return;
    }
    const DiagonalRows rows = profile.rows(table_);
    for (std::size_t t = 0; t < tiles_.size(); ++t) {
        const TileView& tile = tiles_[t];
        for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
            const std::uint64_t residues = tile.lengths_residues[lane];
            if (residues == 0) continue;
            if (stop.stop_requested()) return;
            best[t * kTileLanes + lane] =
                profile.best(kernels, rows, {tile.words.data() + lane, tile.word_stride(), words_for(residues)}, stop);
        }
    }
}

}  // namespace warpseq
