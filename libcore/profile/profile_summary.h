// The figures about a profile that HMMER's hmmstat prints. They are computed in 32-bit floats and
// in doubles where HMMER 3.3.2 uses them, in its order of operations.
#pragma once

#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// How much a profile tells about a sequence, in bits. M is its number of nodes, p_k the residues
/// of match state k, f the background, and o_k the occupancy (match_occupancy()). D(p, q) is the
/// relative entropy, the sum over residues of p log2(p / q), and H is the entropy.
struct ProfileSummary {
    double relative_entropy_bits;  // mean of D(p_k, f) over the nodes
    double information_bits;       // H(f) minus the mean of H(p_k) over the nodes
    /// Mean of D(p_k, f), weighted by o_k, plus the mean score of the transitions into a match
    /// state, likewise weighted. NaN for a profile of one node, which has no such transition, and
    /// for a profile with an insert or a delete state that leads to no match state.
    double position_entropy_bits;
    float composition_entropy_bits;  // D(p, f), where p is the mean of p_k, weighted by o_k
};

/// Returns the figures of a profile with at least one node.
ProfileSummary summary_of(const ProfileHmm& hmm);

}  // namespace warpseq
