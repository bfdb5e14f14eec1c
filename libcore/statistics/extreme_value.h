// Tail probabilities of scores: Gumbel (Viterbi and MSV) and exponential (Forward), after Eddy
// 2008. Scores and mu are in bits, and lambda is in nats per bit.
#pragma once

#include <cmath>
#include <limits>

namespace warpseq {

/// The limit of x below which x is used in place of 1 - e^-x, which would lose digits in doubles.
/// The two differ by at most x / 2 of their value.
inline constexpr double kSmallProbability = 5e-9;

/// Returns P(S >= score), where S has a Gumbel distribution with location mu and slope lambda.
inline double gumbel_survival(double score, double mu, double lambda) {
    const double minus_ey = -std::exp(-lambda * (score - mu));
    return std::fabs(minus_ey) < kSmallProbability ? -minus_ey : 1 - std::exp(minus_ey);
}

/// Returns P(S >= score), where S has an exponential tail with slope lambda from mu on. The result
/// is 1 for scores below mu.
inline double exponential_survival(double score, double mu, double lambda) {
    return score < mu ? 1.0 : std::exp(-lambda * (score - mu));
}

/// Returns the natural logarithm of exponential_survival().
inline double exponential_log_survival(double score, double mu, double lambda) {
    return score < mu ? 0.0 : -lambda * (score - mu);
}

/// Returns the E-value, P * targets. `log_pvalue` is the natural logarithm of P. If P or the
/// product is below the least normal double, the result is 0, because HMMER flushes such numbers to
/// 0.
inline double evalue_of(double log_pvalue, double targets) {
    const auto flushed = [](double x) { return x < std::numeric_limits<double>::min() ? 0.0 : x; };
    return flushed(flushed(std::exp(log_pvalue)) * targets);
}

}  // namespace warpseq
