// The ungapped filter of kernels/seeds/ungapped_filter.h in plain code.
#pragma once

#include <memory>
#include <span>

#include "kernels/seeds/ungapped_filter.h"

namespace warpseq {

std::unique_ptr<UngappedFilter> make_reference_ungapped_filter(std::span<const std::span<const ResidueCode>> queries,
                                                               const SubstitutionMatrix& matrix);

}  // namespace warpseq
