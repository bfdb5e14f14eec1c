#include "libcore/statistics/composition_adjustment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/statistics/nearest_frequencies.h"
#include "libcore/statistics/score_distribution.h"
#include "libcore/statistics/ungapped_statistics.h"

namespace warpseq {
namespace {

constexpr std::size_t kLetters = kAminoAcids;
using Frequencies = LetterShares;
using RealScores = std::array<std::array<double, kResidueCodes>, kResidueCodes>;
using LetterFrequencies = std::array<double, kResidueCodes>;

constexpr std::int32_t kNever = std::numeric_limits<std::int16_t>::min();  // the score of a pair that never occurs
constexpr double kHighestXScore = -1;  // the highest score of X with anything, in adjusted units

struct Ambiguity {
    ResidueCode code, first, second;
};
constexpr ResidueCode code_of(char letter) { return static_cast<ResidueCode>(kResidueLetters.find(letter)); }
constexpr Ambiguity kAmbiguities[] = {
    {kCodeB, code_of('D'), code_of('N')}, {kCodeZ, code_of('E'), code_of('Q')}, {kCodeJ, code_of('I'), code_of('L')}};

/// Returns the nearest integer, with halves away from 0.
std::int32_t nearest(double score) { return static_cast<std::int32_t>(score < 0 ? score - 0.5 : score + 0.5); }

double log_odds(double ratio, double lambda) { return ratio == 0 ? kNever : std::log(ratio) / lambda; }
/// Returns the same from the ratio's logarithm, which is minus infinity for a ratio of 0.
double log_odds_of(double log_ratio, double lambda) { return std::isinf(log_ratio) ? kNever : log_ratio / lambda; }

LetterFrequencies letters_of(const Composition& composition) {
    LetterFrequencies letters{};
    std::ranges::copy(composition.frequency, letters.begin());
    return letters;
}

/// Sets the scores of X, U and O. X has averages, U scores as C, and O as X.
void set_x_u_o(RealScores& scores, const LetterFrequencies& query, const LetterFrequencies& target) {
    const auto over_target = [&](std::size_t row) {
        double sum = 0;
        for (std::size_t b = 0; b < kLetters; ++b) sum += scores[row][b] * target[b];
        return sum;
    };
    const auto over_query = [&](std::size_t column) {
        double sum = 0;
        for (std::size_t a = 0; a < kLetters; ++a) sum += scores[a][column] * query[a];
        return sum;
    };
    double both = 0;
    for (std::size_t a = 0; a < kLetters; ++a) {
        const double average = over_target(a);
        both += average * query[a];
        scores[a][kCodeX] = std::min(average, kHighestXScore);
        scores[kCodeX][a] = std::min(over_query(a), kHighestXScore);
    }
    scores[kCodeX][kCodeX] = std::min(both, kHighestXScore);
    for (const Ambiguity& two : kAmbiguities) {
        scores[two.code][kCodeX] = std::min(over_target(two.code), kHighestXScore);
        scores[kCodeX][two.code] = std::min(over_query(two.code), kHighestXScore);
    }
    for (const auto& [copy, original] : {std::pair{kCodeU, kCodeC}, std::pair{kCodeO, kCodeX}}) {
        scores[copy] = scores[original];
        for (auto& row : scores) row[copy] = row[original];
    }
}

/// Rounds scores. The stop's scores are the matrix's.
void round_scores(const RealScores& real, const ScoreTable& start, ScoreTable& scores) {
    for (auto& row : scores) row.fill(kNever);
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        for (std::size_t b = 0; b < kResidueCodes; ++b) {
            scores[a][b] = a == kCodeStop || b == kCodeStop ? start[a][b] : nearest(real[a][b]);
        }
    }
}

/// Returns the distance of two distributions, which is the square root of their Jensen-Shannon
/// divergence.
double distance(const Frequencies& a, const Frequencies& b) {
    double sum = 0;
    for (std::size_t k = 0; k < kLetters; ++k) {
        const double mean = (a[k] + b[k]) / 2;
        if (!(mean > 0)) continue;
        if (a[k] > 0) sum += a[k] * std::log(a[k] / mean) / 2;
        if (b[k] > 0) sum += b[k] * std::log(b[k] / mean) / 2;
    }
    return std::sqrt(std::max(sum, 0.0));
}

/// Whether two letters make up most of a sequence.
bool is_of_two_letters(const Frequencies& frequency, std::uint64_t residues) {
    constexpr std::uint64_t kFewest = 50;
    constexpr double kShare = 0.4;
    if (residues <= kFewest) return false;
    Frequencies sorted = frequency;
    std::ranges::partial_sort(sorted, sorted.begin() + 2, std::ranges::greater());
    return sorted[0] + sorted[1] > kShare;
}

/// Returns the composition with pseudocounts of the background. These weigh more if there are fewer
/// residues.
Frequencies with_pseudocounts(const Composition& composition, const Frequencies& background) {
    constexpr double kPseudocounts = 20;
    const double sum = std::accumulate(composition.frequency.begin(), composition.frequency.end(), 0.0);
    const double weight = kPseudocounts / (static_cast<double>(composition.residues) + kPseudocounts);
    Frequencies frequency;
    for (std::size_t a = 0; a < kLetters; ++a) {
        frequency[a] = (1 - weight) * composition.frequency[a] / (sum == 0 ? 1 : sum) + weight * background[a];
    }
    return frequency;
}

}  // namespace

Composition composition_of(std::span<const ResidueCode> sequence) {
    std::array<std::uint64_t, kResidueTableSize> counts{};
    for (const ResidueCode code : sequence) ++counts[code];
    counts[kCodeC] += counts[kCodeU];
    Composition composition;
    composition.residues = std::accumulate(counts.begin(), counts.begin() + kAminoAcids, std::uint64_t{0});
    if (composition.residues == 0) return composition;
    for (std::size_t a = 0; a < kLetters; ++a) {
        composition.frequency[a] = static_cast<double>(counts[a]) / static_cast<double>(composition.residues);
    }
    return composition;
}

std::optional<CompositionAdjuster> CompositionAdjuster::create(const SubstitutionMatrix& matrix, CompositionMode mode) {
    const FrequencyRatios* ratios = frequency_ratios(matrix.name());
    const auto joint = joint_frequencies(matrix.name());
    const auto parameters = background_parameters(matrix);
    if (!ratios || !joint || !parameters) return std::nullopt;
    return CompositionAdjuster(*ratios, *joint, parameters->lambda / kAdjustedScale, mode);
}

CompositionAdjuster::CompositionAdjuster(const FrequencyRatios& ratios, const JointFrequencies& joint, double lambda,
                                         CompositionMode mode)
    : joint_(joint), lambda_(lambda), mode_(mode) {
    for (std::size_t a = 0; a < kLetters; ++a)
        background_[a] = std::accumulate(joint_[a].begin(), joint_[a].end(), 0.0);
    for (auto& row : start_) row.fill(kNever);
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        for (std::size_t b = 0; b < kResidueCodes; ++b) {
            log_ratios_[a][b] = std::log(ratios[a][b]);
            start_[a][b] = nearest(log_odds_of(log_ratios_[a][b], lambda_));
        }
    }
}

std::optional<CompositionAdjuster::Rule> CompositionAdjuster::adjust(const Composition& query,
                                                                     std::uint64_t query_residues,
                                                                     const Composition& target,
                                                                     std::uint64_t target_residues,
                                                                     ScoreTable& scores) const {
    if (query.residues == 0 || target.residues == 0) return std::nullopt;
    if (wants_optimized(query, query_residues, target, target_residues) && optimize(query, target, scores))
        return Rule::kOptimized;
    scale(query, target, scores);
    return Rule::kScaled;
}

bool CompositionAdjuster::wants_optimized(const Composition& query, std::uint64_t query_residues,
                                          const Composition& target, std::uint64_t target_residues) const {
    if (mode_ != CompositionMode::kConditional) return mode_ == CompositionMode::kOptimized;
    if (is_of_two_letters(query.frequency, query_residues) || is_of_two_letters(target.frequency, target_residues))
        return true;
    constexpr double kDistance = 0.16, kLengthRatio = 3, kDegrees = 70;
    const auto [shorter, longer] =
        std::minmax({static_cast<double>(query_residues), static_cast<double>(target_residues)});
    if (!(longer / shorter > kLengthRatio)) return true;
    const double query_target = distance(target.frequency, query.frequency);
    if (!(query_target > kDistance)) return true;
    const double query_background = distance(query.frequency, background_),
                 target_background = distance(target.frequency, background_);
    // Beyond the range of acos there is no angle. The comparison below is then false.
    const double cosine =
        (target_background * target_background + query_background * query_background - query_target * query_target) /
        2.0 / target_background / query_background;
    const double degrees = std::acos(cosine) * 180 / std::numbers::pi;
    return !(degrees > kDegrees);
}

bool CompositionAdjuster::optimize(const Composition& query, const Composition& target, ScoreTable& scores) const {
    constexpr double kEntropyOfBlosum62 = 0.44;
    const Frequencies rows = with_pseudocounts(query, background_), columns = with_pseudocounts(target, background_);
    const auto frequencies = nearest_frequencies(joint_, rows, columns, kEntropyOfBlosum62);
    if (!frequencies) return false;

    RealScores joint{};
    double sum = 0;
    for (const auto& row : *frequencies) sum = std::accumulate(row.begin(), row.end(), sum);
    LetterFrequencies row_letters{}, column_letters{};
    std::ranges::copy(rows, row_letters.begin());
    std::ranges::copy(columns, column_letters.begin());
    for (std::size_t a = 0; a < kLetters; ++a) {
        for (std::size_t b = 0; b < kLetters; ++b) joint[a][b] = (*frequencies)[a][b] / sum;
    }
    for (const auto& [code, first, second] : kAmbiguities) {
        row_letters[code] = row_letters[first] + row_letters[second];
        column_letters[code] = column_letters[first] + column_letters[second];
        for (std::size_t a = 0; a < kLetters; ++a) joint[a][code] = joint[a][first] + joint[a][second];
    }
    for (const auto& [code, first, second] : kAmbiguities) {
        for (std::size_t b = 0; b < kResidueCodes; ++b) joint[code][b] = joint[first][b] + joint[second][b];
    }
    RealScores real;
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        for (std::size_t b = 0; b < kResidueCodes; ++b) {
            const double chance = row_letters[a] * column_letters[b];
            real[a][b] = log_odds(chance > 0 ? joint[a][b] / chance : joint[a][b], lambda_);
        }
    }
    set_x_u_o(real, row_letters, column_letters);
    round_scores(real, start_, scores);
    return true;
}

void CompositionAdjuster::scale(const Composition& query, const Composition& target, ScoreTable& scores) const {
    int lowest = 0, highest = 0;
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        for (std::size_t b = 0; b < kLetters; ++b) {
            if (start_[a][b] > kNever) lowest = std::min(lowest, start_[a][b]);
            highest = std::max(highest, start_[a][b]);
        }
    }
    std::vector<double> probability(static_cast<std::size_t>(highest - lowest) + 1);
    for (std::size_t a = 0; a < kLetters; ++a) {
        for (std::size_t b = 0; b < kLetters; ++b) {
            if (start_[a][b] >= lowest)
                probability[static_cast<std::size_t>(start_[a][b] - lowest)] +=
                    query.frequency[a] * target.frequency[b];
        }
    }
    constexpr double kLeastRatio = 0.5;
    const double lambda = ScoreDistribution(lowest, std::move(probability)).lambda(lambda_).value_or(0);
    const double ratio = std::clamp(lambda / lambda_, kLeastRatio, 1.0);
    RealScores real;
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        for (std::size_t b = 0; b < kResidueCodes; ++b) real[a][b] = log_odds_of(log_ratios_[a][b], lambda_ / ratio);
    }
    set_x_u_o(real, letters_of(query), letters_of(target));
    round_scores(real, start_, scores);
}

}  // namespace warpseq
