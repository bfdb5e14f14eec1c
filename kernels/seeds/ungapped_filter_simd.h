// The ungapped filter of the vector back ends. It is built on the SSV kernels of
// kernels/profile/ssv_filter_simd.h.
#pragma once

#include <memory>
#include <span>

#include "kernels/seeds/ungapped_filter.h"

namespace warpseq {

struct ProfileFilterTable;

/// Returns the filter of every back end but the reference.
std::unique_ptr<UngappedFilter> make_simd_ungapped_filter(const ProfileFilterTable& kernels,
                                                          std::span<const std::span<const ResidueCode>> queries,
                                                          const SubstitutionMatrix& matrix);

}  // namespace warpseq
