// The tables of a batch of profiles for the GPU's bias filter. This is host code only.
#pragma once

#include <span>
#include <vector>

#include "libcore/sequence/alphabet.h"
#include "libcore/statistics/null_model.h"

namespace warpseq::cuda {

/// Indices of a profile's floats: the odds of each residue code, then the transitions of the
/// composed state to itself and to the background state.
inline constexpr int kBiasOdds = 0, kBiasStay = kResidueTableSize, kBiasLeave = kResidueTableSize + 1,
                     kBiasNumbers = 2 * kResidueTableSize;

/// The tables of a batch of profiles in host memory, ready for any GPU. Immutable, so threads may
/// share them.
class BiasTables {
   public:
    explicit BiasTables(std::span<const BiasFilter* const> filters) : numbers_(filters.size() * kBiasNumbers, 0.0f) {
        auto* to = numbers_.data();
        for (const BiasFilter* filter : filters) {
            for (int code = 0; code < kResidueTableSize; ++code)
                to[kBiasOdds + code] = filter->composition_odds()[static_cast<std::size_t>(code)];
            to[kBiasStay] = filter->stay_composed();
            to[kBiasLeave] = filter->leave_composed();
            to += kBiasNumbers;
        }
    }
    std::span<const float> numbers() const { return numbers_; }

   private:
    std::vector<float> numbers_;
};

}  // namespace warpseq::cuda
