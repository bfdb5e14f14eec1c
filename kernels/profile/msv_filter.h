// The MSV filter: ungapped multihit scores of profiles against tiles in 8 bits. The contract of
// every back end.
//
// For profile p (libcore/profile/plan7_profile.h, MsvProfile) and target residues x_1..x_L, all in
// unsigned 8-bit arithmetic that saturates at 0 and 255 (a (+) b = min(a + b, 255), a (-) b = max(a
// - b, 0)), with xB(0) = base (-) (move + enter), xJ(0) = 0:
//
//     M(i,k) = max( M(i-1,k-1), xB(i-1) ) (+) bias (-) cost(x_i, k)          M(0,k) = M(i,0) = 0
//     xE(i)  = max_k M(i,k)                 if xE(i) (+) bias = 255 for any i, the result is kMsvOverflow
//     xJ(i)  = max( xJ(i-1), xE(i) (-) end )
//     xB(i)  = max( base, xJ(i) ) (-) (move + enter)
//     result = xJ(L)
//
// That is the full recurrence. Before it, SSV (Knudsen, in HMMER 3.1) is tried, the form without J:
// let s = the greatest score of a diagonal in M cells when xB is the constant xB(0) and arithmetic
// does not saturate above, and counted from begin = 128 (a diagonal never falls below begin: max(.,
// begin)), so that s is in 128..255:
//
//     if move + enter + end + bias >= 127: undecided                       (in int, not saturated)
//     if s >= 255 - bias:  kMsvOverflow if base - move - enter >= 128, else undecided
//     e = s + (base - move - enter) - 128
//     if e >= 255 - bias:  kMsvOverflow
//     if e - end > base:   undecided (J might be used)
//     result = e - end
//
// An undecided target takes the full recurrence. The result is an integer and all back ends return
// the same. move depends on the target's length. MsvProfile::score_nats() turns a result into nats;
// kMsvOverflow stands for plus infinity: the target passes.
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

/// Scores a fixed batch of profiles against tiles. Immutable after creation: threads share one;
/// each brings its Workspace.
class MsvFilter {
   public:
    class Workspace {
       public:
        virtual ~Workspace() = default;
        // Requested, score() returns soon (the reference's does not), with results that mean
        // nothing.
        std::stop_token stop;
        // Accumulated by score(); the caller may reset them. Cells: model length times target
        // residues.
        std::uint64_t cells = 0;            // every pair once
        std::uint64_t undecided_cells = 0;  // computed again by the full recurrence
    };

    virtual ~MsvFilter() = default;
    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    /// Scores every profile against every lane of `tiles`, consecutive tiles of one database:
    /// results[p * lanes + l], lanes numbered through the tiles in order. A lane without residues
    /// gets 0. Thread-safe for distinct workspaces.
    virtual void score(std::span<const TileView> tiles, Workspace& workspace,
                       std::span<std::int16_t> results) const = 0;

    virtual std::size_t profile_count() const = 0;
    virtual CpuBackend backend() const = 0;
};

/// `profiles` are copied as far as needed. The back end has to be runnable.
std::unique_ptr<MsvFilter> make_msv_filter(CpuBackend backend, std::span<const MsvProfile> profiles);

}  // namespace warpseq
