// Tail probabilities of scores: Gumbel (Viterbi and MSV) and exponential (Forward), after Eddy
// 2008. Scores and mu are in bits.
#pragma once

#include <cmath>
#include <limits>

namespace warpseq {

/// The limit below which 1 - e^-x and x agree to the last digit of a double's result that matters.
/// x is then used.
inline constexpr double kSmallProbability = 5e-9;

/// Returns P(S >= score), where S has a Gumbel distribution.
inline double gumbel_survival(double score, double mu, double lambda) {
    const double minus_ey = -std::exp(-lambda * (score - mu));
    return std::fabs(minus_ey) < kSmallProbability ? -minus_ey : 1 - std::exp(minus_ey);
}

/// Returns P(S >= score), where the tail of S from mu on is exponential. It is 1 below mu.
inline double exponential_survival(double score, double mu, double lambda) {
    return score < mu ? 1.0 : std::exp(-lambda * (score - mu));
}

/// Returns the natural logarithm of exponential_survival().
inline double exponential_log_survival(double score, double mu, double lambda) {
    return score < mu ? 0.0 : -lambda * (score - mu);
}

/// Returns E = P * targets. If P or E is below the least normal double, it is 0, as in HMMER, which
/// flushes such numbers to 0.
inline double evalue_of(double log_pvalue, double targets) {
    const auto flushed = [](double x) { return x < std::numeric_limits<double>::min() ? 0.0 : x; };
    return flushed(flushed(std::exp(log_pvalue)) * targets);
}

}  // namespace warpseq
