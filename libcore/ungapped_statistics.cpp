#include "libcore/ungapped_statistics.h"

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "libcore/frequency_ratios.h"

namespace warpseq {
namespace {

struct ScoreDistribution {
    int lowest, highest;  // scores of some probability
    std::vector<double> probability;
    double mean;
    double operator()(int score) const { return probability[static_cast<std::size_t>(score - lowest)]; }
};

std::optional<ScoreDistribution> score_distribution(std::span<const ResidueCode> query, const SubstitutionMatrix& matrix) {
    std::array<double, kResidueCodes> letters{};
    double counted = 0;
    for (const ResidueCode code : query) {
        if (code == kCodeX || code >= kResidueCodes) continue;
        ++letters[code];
        ++counted;
    }
    if (counted == 0) return std::nullopt;
    const auto& background = background_frequencies();
    std::array<double, 256> of_score{};  // from -128
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        for (std::size_t b = 0; b < kAminoAcids; ++b) {
            const int score = matrix.score_raw(static_cast<ResidueCode>(a), static_cast<ResidueCode>(b));
            of_score[static_cast<std::size_t>(score + 128)] += letters[a] / counted * background[b];
        }
    }
    ScoreDistribution scores{127, -128, {}, 0};
    double sum = 0;
    for (int score = -128; score < 128; ++score) {
        const double probability = of_score[static_cast<std::size_t>(score + 128)];
        if (probability <= 0) continue;
        scores.lowest = std::min(scores.lowest, score);
        scores.highest = std::max(scores.highest, score);
        sum += probability;
    }
    for (int score = scores.lowest; score <= scores.highest; ++score) {
        scores.probability.push_back(of_score[static_cast<std::size_t>(score + 128)] / sum);
        scores.mean += score * scores.probability.back();
    }
    if (scores.lowest >= 0 || scores.highest <= 0 || scores.mean >= 0) return std::nullopt;
    return scores;
}

int common_divisor(const ScoreDistribution& scores) {
    int divisor = -scores.lowest;
    for (int score = scores.lowest; score <= scores.highest; ++score) {
        if (scores(score) != 0) divisor = std::gcd(divisor, score);
    }
    return divisor;
}

// The root of sum p(s) x^(s / d) = 1 below 1 is exp(-lambda d) of the negated scores: multiplied by x^(-lowest / d), a polynomial in x
// with a sign change at each of its two roots. Newton's method, kept within an interval.
double find_lambda(const ScoreDistribution& scores, int divisor) {
    constexpr double kTolerance = 1e-5;
    constexpr int kMostSteps = 20;
    double low = 0, high = 1, x = std::exp(-0.5), value = 4;
    bool newton = false;
    for (int step = 0; step < kMostSteps; ++step) {
        const double last_value = value;
        const bool was_newton = newton;
        newton = false;
        double slope = 0;
        value = scores(scores.lowest);
        for (int score = scores.lowest + divisor; score <= scores.highest; score += divisor) {
            slope = x * slope + value;
            value = value * x + scores(score) - (score == 0 ? 1 : 0);
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

double find_h(const ScoreDistribution& scores, double lambda) {
    double sum = 0;
    for (int score = scores.lowest; score <= scores.highest; ++score) sum += score * scores(score) * std::exp(lambda * score);
    return lambda * sum;
}

std::optional<double> find_k(const ScoreDistribution& scores, int divisor, double lambda_raw, double h) {
    const int lowest = scores.lowest / divisor, highest = scores.highest / divisor;
    const double lambda = lambda_raw * divisor, mean = scores.mean / divisor;
    const auto p = [&](int score) { return scores(score * divisor); };
    double first_term = h / lambda;
    if (lowest == -1 && highest == 1) return (p(-1) - p(1)) * (p(-1) - p(1)) / p(-1);
    if (lowest == -1 || highest == 1) {
        if (highest != 1) first_term = mean * mean / first_term;
        return first_term * (1 - std::exp(-lambda));
    }
    // Sums of n scores, n = 1, 2, ...: the chance that they are not below 0, and what the others weigh.
    constexpr int kMostSums = 100;
    constexpr double kAccuracy = 1e-4;
    std::vector<double> of_sum = {1};
    double exponent = 0, term = 1;
    for (int n = 1; n <= kMostSums && term > kAccuracy; ++n) {
        std::vector<double> next(of_sum.size() + static_cast<std::size_t>(highest - lowest), 0.0);
        for (std::size_t i = 0; i < of_sum.size(); ++i) {
            for (int score = lowest; score <= highest; ++score) next[i + static_cast<std::size_t>(score - lowest)] += of_sum[i] * p(score);
        }
        of_sum = std::move(next);
        term = 0;
        for (std::size_t i = 0; i < of_sum.size(); ++i) {
            const int sum = n * lowest + static_cast<int>(i);
            term += of_sum[i] * (sum < 0 ? std::exp(lambda * sum) : 1);
        }
        term /= n;
        exponent += term;
    }
    return -std::exp(-2 * exponent) / (first_term * std::expm1(-lambda));
}

}  // namespace

std::optional<UngappedParameters> ungapped_parameters(std::span<const ResidueCode> query, const SubstitutionMatrix& matrix) {
    const auto scores = score_distribution(query, matrix);
    if (!scores) return std::nullopt;
    const int divisor = common_divisor(*scores);
    const double lambda = find_lambda(*scores, divisor);
    if (!(lambda > 0)) return std::nullopt;
    const double h = find_h(*scores, lambda);
    if (!(h > 0)) return std::nullopt;
    const auto k = find_k(*scores, divisor, lambda, h);
    if (!k || !(*k > 0)) return std::nullopt;
    return UngappedParameters{lambda, *k, h};
}

}  // namespace warpseq
