// The MSV filter of the vector back ends. It is built on the kernels of
// kernels/profile/profile_filter_table_simd.h.
#pragma once

#include <memory>
#include <span>

#include "kernels/profile/msv_filter.h"

namespace warpseq {

struct ProfileFilterTable;

/// Returns the filter of every back end but the reference.
std::unique_ptr<MsvFilter> make_simd_msv_filter(const ProfileFilterTable& kernels,
                                                std::span<const MsvProfile> profiles);

}  // namespace warpseq
