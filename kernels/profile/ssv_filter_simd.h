// SSV: the best ungapped diagonal of a profile in a target. The MSV filter tries it first; the ungapped filter screens pairs by it.
//
// For a profile of M nodes with signed 8-bit scores, and target residues x: the greatest sum of scores along a stretch of a diagonal,
// counted from INT8_MIN and held at INT8_MAX. Interleaved tiles are decoded in groups that fill a vector where the interleaved kernel
// pays; else, and for linear tiles, each lane is scored from the tile's words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include "kernels/profile/profile_filter_table_simd.h"
#include "kernels/simd/aligned_bytes.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

/// The score of a node (0 .. M - 1) and a residue code, -127 .. 127.
using NodeScore = std::function<std::int8_t(std::size_t code, std::size_t node)>;

/// A profile as the kernels take it; immutable.
/// Fills `bytes` with `part`, over and over.
void repeat(std::span<const std::uint8_t> part, std::uint8_t* to, std::size_t bytes);

class SsvProfile {
   public:
    SsvProfile(const ProfileFilterTable& kernels, std::size_t nodes, const NodeScore& score);

    std::size_t nodes() const { return nodes_; }
    std::size_t vectors() const { return vectors_; }  // that hold nodes + 1 diagonals
    std::size_t period() const { return scores_.period; }
    std::size_t row_bytes() const { return scores_.row_bytes; }

    /// Once a stop is requested it returns soon, with any score.
    std::int8_t best(const ProfileFilterTable& kernels, const TargetWords& target, const std::stop_token& stop) const;

   private:
    friend class SsvTiles;
    std::size_t nodes_, vectors_, padded_nodes_ = 0;
    AlignedBytes memory_, node_memory_;
    DiagonalRows scores_{};
    const std::int8_t* node_scores_ = nullptr;  // for the interleaved kernel
};

/// Tiles that are scored together: one, or as many interleaved ones as fill a vector. Scratch memory is reused from group to group.
class SsvTiles {
   public:
    static constexpr std::size_t kMostLanes = 64;

    /// How many of `tiles`, from the first on, form the next group.
    static std::size_t group_size(const ProfileFilterTable& kernels, std::span<const TileView> tiles);

    /// `tiles` stay valid while they are scored.
    void load(const ProfileFilterTable& kernels, std::span<const TileView> tiles);

    /// best[t * kTileLanes + lane] for each lane of tile t; undefined for lanes without residues, and for all once a
    /// stop is requested.
    void score(const ProfileFilterTable& kernels, const SsvProfile& profile, const std::stop_token& stop,
               std::array<std::int8_t, kMostLanes>& best);

   private:
    std::span<const TileView> tiles_;
    bool interleaved_ = false;
    AlignedBytes columns_, border_;
    std::size_t rows_ = 0;
};

}  // namespace warpseq
