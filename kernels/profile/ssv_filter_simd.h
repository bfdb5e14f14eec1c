// SSV: the best ungapped diagonal of a profile in a target. The MSV filter tries it first; the
// ungapped filter screens pairs by it.
//
// For a profile of M nodes with signed 8-bit scores, and target residues x: the greatest sum of
// scores along a stretch of a diagonal, counted from INT8_MIN and held at INT8_MAX. Interleaved
// tiles are decoded in groups that fill a vector where the interleaved kernel pays; else, for
// linear tiles, and where few lanes have residues, each lane is scored from the tile's words.
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

/// Writes the score of each node (0 .. M - 1), -127 .. 127, for a residue code.
using CodeScores = std::function<void(std::size_t code, std::int8_t* scores)>;

/// Fills `bytes` with `part`, over and over.
void repeat(std::span<const std::uint8_t> part, std::uint8_t* to, std::size_t bytes);

/// A table that is made of something smaller when it is asked for. The first who asks gets it in
/// memory of his own: a profile among thousands meets one group of targets and is gone. From the
/// second time on it is kept.
class KeptTable {
   public:
    /// `make(table)` fills `bytes` bytes, 64-byte aligned. Valid as long as this and until
    /// `scratch` is used again. Thread-safe for distinct scratch.
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

/// A profile as the kernels take it. Threads share it, each with scratch memory of its own.
class SsvProfile {
   public:
    /// `scores` is called whenever a table is made, by any thread.
    SsvProfile(const ProfileFilterTable& kernels, std::size_t nodes, CodeScores scores);

    std::size_t nodes() const { return nodes_; }
    std::size_t vectors() const { return vectors_; }  // that hold nodes + 1 diagonals
    std::size_t period() const { return period_; }
    std::size_t row_bytes() const { return row_bytes_; }

    DiagonalRows rows(AlignedBytes& scratch) const;
    /// The scores of a node side by side, for the interleaved kernel, of padded_nodes() nodes.
    const std::int8_t* by_node(AlignedBytes& scratch) const;
    std::size_t padded_nodes() const {
        return (nodes_ + kInterleavedNodes - 1) / kInterleavedNodes * kInterleavedNodes;
    }

    /// Once a stop is requested it returns soon, with any score.
    std::int8_t best(const ProfileFilterTable& kernels, const DiagonalRows& rows, const TargetWords& target,
                     const std::stop_token& stop) const;

   private:
    std::size_t nodes_, vectors_, period_, row_bytes_;
    CodeScores scores_;
    KeptTable rows_, by_node_;
};

/// Tiles that are scored together: one, or as many interleaved ones as fill a vector. Scratch
/// memory is reused from group to group.
class SsvTiles {
   public:
    static constexpr std::size_t kMostLanes = 64;

    /// How many of `tiles`, from the first on, form the next group.
    static std::size_t group_size(const ProfileFilterTable& kernels, std::span<const TileView> tiles);

    /// `tiles` stay valid while they are scored.
    void load(const ProfileFilterTable& kernels, std::span<const TileView> tiles);

    /// best[t * kTileLanes + lane] for each lane of tile t; undefined for lanes without residues,
    /// and for all once a stop is requested.
    void score(const ProfileFilterTable& kernels, const SsvProfile& profile, const std::stop_token& stop,
               std::array<std::int8_t, kMostLanes>& best);

   private:
    std::span<const TileView> tiles_;
    bool interleaved_ = false;
    AlignedBytes columns_, border_, table_;
    std::size_t rows_ = 0;
};

}  // namespace warpseq
