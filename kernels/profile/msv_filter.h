// The MSV filter: ungapped multihit scores of profiles against tiles, in 8 bits. This header is the
// contract of every back end.
//
// The inputs are a profile (libcore/profile/plan7_profile.h, MsvProfile) and target residues
// x_1..x_L. All arithmetic is unsigned, has 8 bits and saturates at 0 and 255: a (+) b is min(a +
// b, 255), and a (-) b is max(a - b, 0). With xB(0) = base (-) (move + enter) and xJ(0) = 0,
//
//     M(i,k) = max( M(i-1,k-1), xB(i-1) ) (+) bias (-) cost(x_i, k)          M(0,k) = M(i,0) = 0
//     xE(i)  = max_k M(i,k)
//     xJ(i)  = max( xJ(i-1), xE(i) (-) end )
//     xB(i)  = max( base, xJ(i) ) (-) (move + enter)
//     result = xJ(L), or kMsvOverflow if xE(i) (+) bias = 255 for any i
//
// That is the full recurrence. SSV, the form without J (Knudsen, in HMMER 3.1), is tried first. In
// SSV xB is the constant xB(0), and arithmetic does not saturate above. Let s be the greatest score
// of a diagonal of M cells, counted from begin = 128. A diagonal never falls below begin, so s is
// in 128..255. Then
//
//     if move + enter + end + bias >= 127: undecided                       (in int, not saturated)
//     if s >= 255 - bias:  kMsvOverflow if base - move - enter >= 128, else undecided
//     e = s + (base - move - enter) - 128
//     if e >= 255 - bias:  kMsvOverflow
//     if e - end > base:   undecided (J might be used)
//     result = e - end
//
// The full recurrence decides an undecided target. The result is an integer, and all back ends
// return the same. `move` depends on the target's length. MsvProfile::score_nats() turns a result
// into nats. kMsvOverflow stands for plus infinity, so the target passes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

#include "kernels/backend.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

inline constexpr std::int16_t kMsvOverflow = INT16_MAX;
/// The number at which arithmetic saturates.
inline constexpr int kMsvCeiling = 255;
/// The score from which SSV counts a diagonal, called begin above.
inline constexpr int kSsvBeginScore = 128;
/// SSV decides nothing if move + enter + end + bias is at least this.
inline constexpr int kSsvUndecidedCosts = 127;

/// A filter for a fixed batch of profiles. Immutable after creation. Threads share one object, and
/// each thread uses its own Workspace.
class MsvFilter {
   public:
    class Workspace {
       public:
        virtual ~Workspace() = default;
        // A stop token. Once a stop is requested, score() returns soon with undefined results. The
        // reference does not check it.
        std::stop_token stop;
        // Counts to which score() adds. The caller may reset them. Cells are model length times
        // target residues.
        std::uint64_t cells = 0;            // every pair counted once
        std::uint64_t undecided_cells = 0;  // computed again by the full recurrence
    };

    virtual ~MsvFilter() = default;
    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    /// Scores every profile against every lane of `tiles`, which are consecutive tiles of one
    /// database. The result is at results[p * lanes + l], where lanes are numbered through the
    /// tiles in order. A lane without residues gets 0. Thread-safe for distinct workspaces.
    virtual void score(std::span<const TileView> tiles, Workspace& workspace,
                       std::span<std::int16_t> results) const = 0;

    virtual std::size_t profile_count() const = 0;
    virtual CpuBackend backend() const = 0;
};

/// Returns the filter of a back end, which has to be runnable. The filter copies all that it needs
/// of `profiles`.
std::unique_ptr<MsvFilter> make_msv_filter(CpuBackend backend, std::span<const MsvProfile> profiles);

}  // namespace warpseq
