// Tail probabilities of scores: Gumbel (Viterbi and MSV) and exponential (Forward). Eddy 2008.
// Scores and mu in bits.
#pragma once

#include <cmath>
#include <limits>

namespace warpseq {

/// Below this, 1 - e^-x and x agree to the last digit of a double's result that matters, and x is
/// what is used.
inline constexpr double kSmallProbability = 5e-9;

/// P(S >= score) where S has a Gumbel distribution.
inline double gumbel_survival(double score, double mu, double lambda) {
    const double minus_ey = -std::exp(-lambda * (score - mu));
    return std::fabs(minus_ey) < kSmallProbability ? -minus_ey : 1 - std::exp(minus_ey);
}

/// P(S >= score) where the tail of S from mu on is exponential; 1 below mu.
inline double exponential_survival(double score, double mu, double lambda) {
    return score < mu ? 1.0 : std::exp(-lambda * (score - mu));
}

/// Its natural logarithm.
inline double exponential_log_survival(double score, double mu, double lambda) {
    return score < mu ? 0.0 : -lambda * (score - mu);
}

/// E = P * targets. Where P or E is below the least normal double it is 0, as HMMER, which flushes
/// such numbers, prints it.
inline double evalue_of(double log_pvalue, double targets) {
    const auto flushed = [](double x) { return x < std::numeric_limits<double>::min() ? 0.0 : x; };
    return flushed(flushed(std::exp(log_pvalue)) * targets);
}

}  // namespace warpseq
