// The Viterbi filter around the vector kernel of kernels/cpu/profile_filter_table.h.
#pragma once

#include <memory>

#include "kernels/viterbi_filter.h"

namespace warpseq {

struct ProfileFilterTable;

/// The filter of every back end but the reference.
std::unique_ptr<ViterbiFilter> make_simd_viterbi_filter(const ProfileFilterTable& kernels,
                                                        const ViterbiProfile& profile);

}  // namespace warpseq
