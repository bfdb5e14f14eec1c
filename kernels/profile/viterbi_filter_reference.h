// The Viterbi filter in plain scalar code: the recurrence of kernels/profile/viterbi_filter.h
// exactly, never optimised. It is what tests compare every other back end with.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/profile/viterbi_filter.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The target has at least one residue.
std::int16_t reference_viterbi(const ViterbiProfile& profile, std::span<const ResidueCode> target);

/// The same behind the contract that all back ends share.
std::unique_ptr<ViterbiFilter> make_reference_viterbi_filter(const ViterbiProfile& profile);

}  // namespace warpseq
