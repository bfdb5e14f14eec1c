#include "libcore/statistics/score_distribution.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace warpseq {

ScoreDistribution::ScoreDistribution(int lowest, std::vector<double> probability)
    : lowest_(lowest), probability_(std::move(probability)) {
    for (int score = lowest_; score <= highest(); ++score) mean_ += score * (*this)(score);
}

int ScoreDistribution::step() const {
    int divisor = -lowest_;
    for (int score = lowest_; score <= highest() && divisor > 1; ++score) {
        if ((*this)(score) != 0) divisor = std::gcd(divisor, score);
    }
    return divisor;
}

// exp(-lambda d) is the root below 1 of sum p(s) x^(s / d) = 1 for the negated scores. Multiplied
// by x^(-lowest / d), the equation is a polynomial in x with a sign change at each of its two
// roots. Newton's method is kept within an interval.
std::optional<double> ScoreDistribution::lambda(double guess) const {
    if (mean_ >= 0 || lowest_ >= 0) return std::nullopt;
    constexpr double kTolerance = 1e-5;
    constexpr int kMostSteps = 20;
    const int divisor = step();
    double low = 0, high = 1, x = std::exp(-guess), value = 4;
    if (!(x > 0 && x < 1)) x = 0.5;
    bool newton = false;
    for (int k = 0; k < kMostSteps; ++k) {
        const double last_value = value;
        const bool was_newton = newton;
        newton = false;
        double slope = 0;
        value = (*this)(lowest_);
        for (int score = lowest_ + divisor; score <= highest(); score += divisor) {
            slope = x * slope + value;
            value = value * x + (*this)(score) - (score == 0 ? 1 : 0);
        }
        if (value > 0) {
            low = x;
        } else if (value < 0) {
            high = x;
        } else {
            break;
        }
        if (high - low < 2 * low * (1 - high) * kTolerance) {
            x = (low + high) / 2;
            break;
        }
        if ((was_newton && std::abs(value) > 0.9 * std::abs(last_value)) || slope >= 0) {
            x = (low + high) / 2;
            continue;
        }
        const double change = -value / slope, next = x + change;
        if (next <= low || next >= high) {
            x = (low + high) / 2;
            continue;
        }
        newton = true;
        x = next;
        if (std::abs(change) < kTolerance * x * (1 - x)) break;
    }
    return -std::log(x) / divisor;
}

}  // namespace warpseq
