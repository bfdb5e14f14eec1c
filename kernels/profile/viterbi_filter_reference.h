// The Viterbi filter in plain scalar code. It follows the recurrence of
// kernels/profile/viterbi_filter.h exactly and is never optimised. Tests compare every other back
// end with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/profile/viterbi_filter.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Returns the filter's result. The target has at least one residue.
std::int16_t reference_viterbi(const ViterbiProfile& profile, std::span<const ResidueCode> target);

/// Returns a filter that computes the same and follows the contract of all back ends.
std::unique_ptr<ViterbiFilter> make_reference_viterbi_filter(const ViterbiProfile& profile);

}  // namespace warpseq
