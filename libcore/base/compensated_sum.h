// Kahan's compensated summation (1965) in 32-bit floats, in order: where HMMER 3 sums so and a printed digit hangs on it.
#pragma once

#include <cstdint>
#include <span>

namespace warpseq {

class CompensatedSum {
   public:
    void add(float value) {
        const float corrected = value - lost_;
        const float next = sum_ + corrected;
        lost_ = (next - sum_) - corrected;
        sum_ = next;
    }
    /// The same as add(0) so many times; these soon change nothing more.
    void add_zeros(std::uint64_t count) {
        for (; count > 0; --count) {
            const float sum = sum_, lost = lost_;
            add(0);
            if (sum_ == sum && lost_ == lost) return;
        }
    }
    float value() const { return sum_; }

   private:
    float sum_ = 0, lost_ = 0;
};

inline float compensated_sum(std::span<const float> values) {
    CompensatedSum sum;
    for (const float value : values) sum.add(value);
    return sum.value();
}

}  // namespace warpseq
