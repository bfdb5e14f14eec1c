#include "libcore/statistics/ungapped_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "libcore/scoring/frequency_ratios.h"
#include "libcore/statistics/score_distribution.h"

namespace warpseq {
namespace {

std::optional<ScoreDistribution> score_distribution(const std::array<double, kResidueCodes>& letters,
                                                    const SubstitutionMatrix& matrix) {
    const auto& background = background_frequencies();
    constexpr int kLowest = -128, kHighest = 127;
    std::array<double, kHighest - kLowest + 1> of_score{};
    // Letters are added in NCBI's order.
    static const std::vector<ResidueCode> kLetters = encode_residues("ABCDEFGHIKLMNPQRSTVWXYZU*OJ");
    for (const ResidueCode a : kLetters) {
        for (std::size_t b = 0; b < kAminoAcids; ++b) {
            const int score = matrix.score_raw(a, static_cast<ResidueCode>(b));
            of_score[static_cast<std::size_t>(score - kLowest)] += letters[a] * background[b];
        }
    }
    int lowest = kHighest, highest = kLowest;
    double sum = 0;
    for (int score = kLowest; score <= kHighest; ++score) {
        const double probability = of_score[static_cast<std::size_t>(score - kLowest)];
        if (probability <= 0) continue;
        lowest = std::min(lowest, score);
        highest = std::max(highest, score);
        sum += probability;
    }
    std::vector<double> probability;
    for (int score = lowest; score <= highest; ++score)
        probability.push_back(of_score[static_cast<std::size_t>(score - kLowest)] / sum);
    ScoreDistribution scores(lowest, std::move(probability));
    if (scores.lowest() >= 0 || scores.highest() <= 0 || scores.mean() >= 0) return std::nullopt;
    return scores;
}

// Sums go in NCBI BLAST's order, so that reports that print all digits print the same ones.

double power(double base, int exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2, base *= base) {
        if (exponent % 2 == 1) result *= base;
    }
    return result;
}

/// Returns exp(x) - 1, near 0 by Taylor's series up to x^13.
double exp_minus_1(double x) {
    constexpr double kNear0 = 0.33;
    if (std::abs(x) > kNear0) return std::exp(x) - 1;
    double factorial = 479'001'600;  // 12!
    double sum = 1 / factorial + x / (13 * factorial);
    for (int n = 12; n > 1; --n) {
        factorial /= n;
        sum = 1 / factorial + x * sum;
    }
    return x * sum;
}

double find_h(const ScoreDistribution& scores, double lambda) {
    const double factor = std::exp(-lambda);
    double sum = 0;
    for (int score = scores.lowest(); score <= scores.highest(); ++score) sum = score * scores(score) + factor * sum;
    const double scale = power(factor, scores.highest());
    return scale > 0 ? lambda * sum / scale : lambda * std::exp(lambda * scores.highest() + std::log(sum));
}

std::optional<double> find_k(const ScoreDistribution& scores, int divisor, double lambda_raw, double h) {
    const int lowest = scores.lowest() / divisor, highest = scores.highest() / divisor;
    const double lambda = lambda_raw * divisor, mean = scores.mean() / divisor;
    const double factor = std::exp(-lambda);
    const auto p = [&](int score) { return scores(score * divisor); };
    double first_term = h / lambda;
    if (lowest == -1 && highest == 1) return (p(-1) - p(1)) * (p(-1) - p(1)) / p(-1);
    if (lowest == -1 || highest == 1) {
        if (highest != 1) first_term = mean * mean / first_term;
        return first_term * (1 - factor);
    }
    // Sums of n scores, n = 1, 2, ... A term adds the probability that the sum is not below 0 to
    // the weighted probability of the sums below 0.
    constexpr int kMostSums = 100;
    constexpr double kAccuracy = 1e-4;
    std::vector<double> of_sum = {1};
    double exponent = 0, term = 1;
    for (int n = 1; n <= kMostSums && term > kAccuracy; ++n) {
        std::vector<double> next(of_sum.size() + static_cast<std::size_t>(highest - lowest), 0.0);
        for (int score = lowest; score <= highest; ++score) {
            for (std::size_t i = 0; i < of_sum.size(); ++i)
                next[i + static_cast<std::size_t>(score - lowest)] += of_sum[i] * p(score);
        }
        of_sum = std::move(next);
        term = 0;
        const auto below_0 = static_cast<std::size_t>(-n * lowest);
        for (std::size_t i = 0; i < below_0; ++i) term = of_sum[i] + term * factor;
        term *= factor;
        for (std::size_t i = below_0; i < of_sum.size(); ++i) term += of_sum[i];
        term /= n;
        exponent += term;
    }
    return -std::exp(-2 * exponent) / (first_term * exp_minus_1(-lambda));
}

std::optional<UngappedParameters> parameters_of(const std::array<double, kResidueCodes>& letters,
                                                const SubstitutionMatrix& matrix) {
    const auto scores = score_distribution(letters, matrix);
    if (!scores) return std::nullopt;
    constexpr double kFirstGuess = 0.5;
    const auto lambda = scores->lambda(kFirstGuess);
    if (!lambda || !(*lambda > 0)) return std::nullopt;
    const double h = find_h(*scores, *lambda);
    if (!(h > 0)) return std::nullopt;
    const auto k = find_k(*scores, scores->step(), *lambda, h);
    if (!k || !(*k > 0)) return std::nullopt;
    return UngappedParameters{*lambda, *k, h};
}

}  // namespace

std::optional<UngappedParameters> ungapped_parameters(std::span<const ResidueCode> query,
                                                      const SubstitutionMatrix& matrix) {
    std::array<double, kResidueCodes> letters{};
    double counted = 0;
    for (const ResidueCode code : query) {
        if (code == kCodeX || code >= kResidueCodes) continue;
        ++letters[code];
        ++counted;
    }
    if (counted == 0) return std::nullopt;
    for (double& letter : letters) letter /= counted;
    return parameters_of(letters, matrix);
}

std::optional<UngappedParameters> background_parameters(const SubstitutionMatrix& matrix) {
    std::array<double, kResidueCodes> letters{};
    std::ranges::copy(background_frequencies(), letters.begin());
    return parameters_of(letters, matrix);
}

}  // namespace warpseq
