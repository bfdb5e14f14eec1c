// The Viterbi filter of the vector back ends. It is built on the kernels of
// kernels/profile/profile_filter_table_simd.h.
#pragma once

#include <memory>

#include "kernels/profile/viterbi_filter.h"

namespace warpseq {

struct ProfileFilterTable;

/// Returns the filter of every back end but the reference.
std::unique_ptr<ViterbiFilter> make_simd_viterbi_filter(const ProfileFilterTable& kernels,
                                                        const ViterbiProfile& profile);

}  // namespace warpseq
