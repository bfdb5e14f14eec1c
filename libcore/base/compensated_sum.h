// Kahan's compensated summation (1965), in order: where HMMER 3 sums so and a printed digit hangs
// on it.
#pragma once

#include <cstdint>
#include <span>

namespace warpseq {

template <typename Number>
class CompensatedSumOf {
   public:
    void add(Number value) {
        const Number corrected = value - lost_;
        const Number next = sum_ + corrected;
        lost_ = (next - sum_) - corrected;
        sum_ = next;
    }
    /// The same as add(0) so many times; these soon change nothing more.
    void add_zeros(std::uint64_t count) {
        for (; count > 0; --count) {
            const Number sum = sum_, lost = lost_;
            add(0);
            if (sum_ == sum && lost_ == lost) return;
        }
    }
    Number value() const { return sum_; }

   private:
    Number sum_ = 0, lost_ = 0;
};
using CompensatedSum = CompensatedSumOf<float>;

namespace detail {
template <typename Number>
Number compensated_sum(std::span<const Number> values) {
    CompensatedSumOf<Number> sum;
    for (const Number value : values) sum.add(value);
    return sum.value();
}

template <typename Number>
void normalise(std::span<Number> values) {
    const Number sum = compensated_sum<Number>(values);
    for (Number& value : values) value = sum != 0 ? value / sum : Number{1} / static_cast<Number>(values.size());
}
}  // namespace detail

inline float compensated_sum(std::span<const float> values) { return detail::compensated_sum(values); }
inline double compensated_sum(std::span<const double> values) { return detail::compensated_sum(values); }

/// Divides the values by their sum; where that is 0 all become the same.
inline void normalise(std::span<float> values) { detail::normalise(values); }
inline void normalise(std::span<double> values) { detail::normalise(values); }

}  // namespace warpseq
