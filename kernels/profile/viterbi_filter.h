// The Viterbi filter: gapped multihit scores of a profile, in 16 bits. This header is the contract
// of every back end.
//
// The inputs are a ViterbiProfile (libcore/profile/plan7_profile.h) and target residues x_1..x_L, L
// >= 1. Arithmetic is signed and has 16 bits. Additions in M, I and D saturate, and -32768 is minus
// infinity. xN = base, xB(0) = base + move, xC(0) = xJ(0) = -32768, M(0,k) = I(0,k) = D(0,k) =
// -32768:
//
//     M(i,k) = max( xB(i-1) + enter(k), M(i-1,k-1) + match_match(k), I(i-1,k-1) + insert_match(k),
//                   D(i-1,k-1) + delete_match(k) ) + match(x_i, k)
//     D(i,k) = max( M(i,k-1) + match_delete(k-1), D(i,k-1) + delete_delete(k-1) )
//     I(i,k) = max( M(i-1,k) + match_insert(k), I(i-1,k) + insert_insert(k) )
//     xE(i)  = max_k M(i,k)
//     xC(i)  = max( xC(i-1), xE(i) + kEndMove )         (not saturating: these stay in range)
//     xJ(i)  = max( xJ(i-1), xE(i) + kEndLoop )
//     xB(i)  = max( xJ(i) + move, base + move )
//     result = xC(L), or kViterbiOverflow if xE(i) = 32767 for any i
//
// Node 0 and transitions that lead nowhere are minus infinity. A hit does not end in a delete here,
// so D matters only through M of the next row. A back end may leave out D-D paths that provably do
// not matter (Farrar's lazy evaluation, with HMMER 3's bound). The result is an integer, and all
// back ends return the same. ViterbiProfile::score_nats() turns it into nats. The result
// kViterbiOverflow always passes, and -32768 is minus infinity.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

#include "kernels/backend.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq {

inline constexpr std::int16_t kViterbiOverflow = INT16_MAX;

/// The Viterbi filter of one profile. Immutable after creation. Threads share one object, and each
/// thread uses its own Workspace.
class ViterbiFilter {
   public:
    class Workspace {
       public:
        virtual ~Workspace() = default;
        // A stop token. Once a stop is requested, score() returns soon with undefined results. The
        // reference does not check it.
        std::stop_token stop;
    };

    virtual ~ViterbiFilter() = default;
    /// Returns a workspace that every ViterbiFilter of the same back end accepts. It grows as
    /// needed.
    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    /// Writes the result of targets[t] to results[t]. Targets have at least one residue.
    /// Thread-safe for distinct workspaces.
    virtual void score(std::span<const std::span<const ResidueCode>> targets, Workspace& workspace,
                       std::span<std::int16_t> results) const = 0;

    /// Returns the least number of targets that a call should have to be efficient.
    virtual std::size_t preferred_targets() const = 0;
};

std::unique_ptr<ViterbiFilter> make_viterbi_filter(CpuBackend backend, const ViterbiProfile& profile);

}  // namespace warpseq
