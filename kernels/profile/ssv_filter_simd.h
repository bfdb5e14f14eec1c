// SSV with vector kernels: the score of the best ungapped diagonal of a profile in a target. The
// MSV filter and the ungapped filter (kernels/seeds/ungapped_filter.h) use it.
//
// For a profile of M nodes with signed 8-bit scores and target residues x, the result is the
// greatest sum of scores along a stretch of a diagonal. It counts from INT8_MIN, which stands for
// 0, and is limited to INT8_MAX. If the back end has an interleaved kernel, interleaved tiles are
// decoded in groups that fill a vector. In linear tiles, and if few lanes have residues, each lane
// is scored by itself from the tile's words.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include "kernels/profile/profile_filter_table_simd.h"
#include "kernels/simd/aligned_bytes.h"
#include "libcore/base/once.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

/// A function that writes the scores of nodes 0 .. M - 1 for a residue code. Scores are in -127 ..
/// 127.
using CodeScores = std::function<void(std::size_t code, std::int8_t* scores)>;

/// Fills `bytes` bytes with repeated copies of `part`.
void repeat(std::span<const std::uint8_t> part, std::uint8_t* to, std::size_t bytes);

/// A table that is made from smaller data on request. The first request gets it in the caller's
/// scratch memory, because a profile among thousands may meet a single group of targets only. From
/// the second request on, the table is kept.
class KeptTable {
   public:
    /// Returns the table. `make(table)` fills `bytes` bytes, 64-byte aligned. The table is valid as
    /// long as this object, and until `scratch` is used again. Thread-safe for distinct scratch.
    template <typename Make>
    const std::byte* get(std::size_t bytes, AlignedBytes& scratch, const Make& make) const {
        if (!asked_.exchange(true)) {
            std::byte* const table = scratch.reserve(bytes);
            make(table);
            return table;
        }
        once_.call([&] { make(kept_.reserve(bytes)); });
        return kept_.reserve(0);
    }

   private:
    mutable std::atomic<bool> asked_ = false;
    mutable Once once_;
    mutable AlignedBytes kept_;
};

/// A profile in the form that the kernels take. Threads share it, each with scratch memory of its
/// own.
class SsvProfile {
   public:
    /// Makes a profile. `scores` is called whenever a table is made, by any thread.
    SsvProfile(const ProfileFilterTable& kernels, std::size_t nodes, CodeScores scores);

    std::size_t nodes() const { return nodes_; }
    std::size_t vectors() const { return vectors_; }  // vectors that hold nodes + 1 diagonals
    std::size_t period() const { return period_; }
    std::size_t row_bytes() const { return row_bytes_; }

    DiagonalRows rows(AlignedBytes& scratch) const;
    /// Returns the scores of padded_nodes() nodes, those of a node side by side, for the
    /// interleaved kernel.
    const std::int8_t* by_node(AlignedBytes& scratch) const;
    std::size_t padded_nodes() const {
        return (nodes_ + kInterleavedNodes - 1) / kInterleavedNodes * kInterleavedNodes;
    }

    /// Returns the best score of a target. After a stop request it returns soon, with any score.
    std::int8_t best(const ProfileFilterTable& kernels, const DiagonalRows& rows, const TargetWords& target,
                     const std::stop_token& stop) const;

   private:
    std::size_t nodes_, vectors_, period_, row_bytes_;
    CodeScores scores_;
    KeptTable rows_, by_node_;
};

/// A group of tiles that are scored together: one tile, or as many interleaved tiles as fill a
/// vector. The object's memory is reused from group to group.
class SsvTiles {
   public:
    static constexpr std::size_t kMostLanes = 64;

    /// Returns how many of `tiles`, from the first on, form the next group.
    static std::size_t group_size(const ProfileFilterTable& kernels, std::span<const TileView> tiles);

    /// Loads a group of tiles, which have to stay valid while they are scored.
    void load(const ProfileFilterTable& kernels, std::span<const TileView> tiles);

    /// Writes the score of each lane of tile t to best[t * kTileLanes + lane]. It is undefined for
    /// lanes without residues, and for all lanes after a stop request.
    void score(const ProfileFilterTable& kernels, const SsvProfile& profile, const std::stop_token& stop,
               std::array<std::int8_t, kMostLanes>& best);

   private:
    std::span<const TileView> tiles_;
    bool interleaved_ = false;
    AlignedBytes columns_, border_, table_;
    std::size_t rows_ = 0;
};

}  // namespace warpseq
