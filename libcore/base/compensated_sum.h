// Kahan's compensated summation (1965), which adds numbers in the order given. It is used where
// HMMER 3 uses it and a printed digit depends on it.
#pragma once

#include <cstdint>
#include <span>

namespace warpseq {

/// A running sum of type Number with Kahan's compensation. It starts at 0.
template <typename Number>
class CompensatedSumOf {
   public:
    void add(Number value) {
        const Number corrected = value - lost_;
        const Number next = sum_ + corrected;
        lost_ = (next - sum_) - corrected;
        sum_ = next;
    }
    /// Does the same as `count` calls of add(0). A call can move lost low digits into the sum, so
    /// the calls are made until one changes nothing.
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

/// Return the sum of the values, added up in their order.
inline float compensated_sum(std::span<const float> values) { return detail::compensated_sum(values); }
inline double compensated_sum(std::span<const double> values) { return detail::compensated_sum(values); }

/// Divides the values by their sum. If the sum is 0, all values become 1 / their number.
inline void normalise(std::span<float> values) { detail::normalise(values); }
inline void normalise(std::span<double> values) { detail::normalise(values); }

}  // namespace warpseq
