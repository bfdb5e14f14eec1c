// What the GPU's bias filter reads of a batch of profiles. Host code only.
#pragma once

#include <span>
#include <vector>

#include "libcore/sequence/alphabet.h"
#include "libcore/statistics/null_model.h"

namespace warpseq::cuda {

/// Floats of a profile: the odds of each residue code, then the composed state's transitions to
/// itself and to background.
inline constexpr int kBiasOdds = 0, kBiasStay = kResidueTableSize, kBiasLeave = kResidueTableSize + 1,
                     kBiasNumbers = 2 * kResidueTableSize;

/// A batch of profiles, ready for any GPU, in host memory. Immutable, shared by threads.
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
