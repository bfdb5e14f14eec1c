// Kahan's compensated summation (1965) in 32-bit floats, in order: where HMMER 3 sums so and a printed digit hangs on it.
#pragma once

#include <span>

namespace warpseq {

inline float compensated_sum(std::span<const float> values) {
    float sum = 0, lost = 0;
    for (const float value : values) {
        const float corrected = value - lost;
        const float next = sum + corrected;
        lost = (next - sum) - corrected;
        sum = next;
    }
    return sum;
}

}  // namespace warpseq
