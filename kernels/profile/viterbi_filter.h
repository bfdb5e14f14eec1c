// The Viterbi filter: gapped multihit scores of a profile in 16 bits. The contract of every back
// end.
//
// For a ViterbiProfile (libcore/profile/plan7_profile.h) and target residues x_1..x_L, L >= 1, in
// signed 16-bit arithmetic in which additions in M, I and D saturate, -32768 being minus infinity;
// xN = base, xB(0) = base + move, xC(0) = xJ(0) = -32768, M(0,k) = I(0,k) = D(0,k) = -32768:
//
//     M(i,k) = max( xB(i-1) + enter(k), M(i-1,k-1) + match_match(k), I(i-1,k-1) + insert_match(k),
//                   D(i-1,k-1) + delete_match(k) ) + match(x_i, k)
//     D(i,k) = max( M(i,k-1) + match_delete(k-1), D(i,k-1) + delete_delete(k-1) )
//     I(i,k) = max( M(i-1,k) + match_insert(k), I(i-1,k) + insert_insert(k) )
//     xE(i)  = max_k M(i,k)                                   if xE(i) = 32767 for any i, the result is kViterbiOverflow
//     xC(i)  = max( xC(i-1), xE(i) + kEndMove )               (not saturating: these stay in range)
//     xJ(i)  = max( xJ(i-1), xE(i) + kEndLoop )
//     xB(i)  = max( xJ(i) + move, base + move )
//     result = xC(L)
//
// (Node 0 and transitions that lead nowhere are minus infinity.) Deletes do not end a hit here, so
// D matters only through M of the next row; a back end may leave out D-D paths that provably cannot
// (Farrar's lazy evaluation, with HMMER 3's bound). The result is an integer and all back ends
// return the same. ViterbiProfile::score_nats() turns it into nats; kViterbiOverflow passes, -32768
// is minus infinity.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

#include "kernels/backend.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq {

inline constexpr std::int16_t kViterbiOverflow = INT16_MAX;

/// One profile. Immutable after creation: threads share one; each brings its Workspace.
class ViterbiFilter {
   public:
    class Workspace {
       public:
        virtual ~Workspace() = default;
        // Requested, score() returns soon (the reference's does not), with results that mean
        // nothing.
        std::stop_token stop;
    };

    virtual ~ViterbiFilter() = default;
    /// Usable with every ViterbiFilter of the same back end; grows as needed.
    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    /// results[t] of targets[t]; targets have at least one residue. Thread-safe for distinct
    /// workspaces.
    virtual void score(std::span<const std::span<const ResidueCode>> targets, Workspace& workspace,
                       std::span<std::int16_t> results) const = 0;

    /// Targets per call from which a call is efficient.
    virtual std::size_t preferred_targets() const = 0;
};

std::unique_ptr<ViterbiFilter> make_viterbi_filter(CpuBackend backend, const ViterbiProfile& profile);

}  // namespace warpseq
