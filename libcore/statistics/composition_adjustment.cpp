#include "libcore/statistics/composition_adjustment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/statistics/score_distribution.h"
#include "libcore/statistics/ungapped_statistics.h"

namespace warpseq {
namespace {

constexpr std::size_t kLetters = kAminoAcids;
using Frequencies = std::array<double, kLetters>;
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

/// Finds frequencies x of pairs near to q with given row and column sums and relative entropy.
/// Minimises sum x log(x / q). There are multipliers for the constraints: one per column, one per
/// row but the first (which follows from the others) and one for the entropy. Newton's method
/// solves for a stationary point. Each step's linear system is diagonal in x and in the columns'
/// multipliers, so it is reduced to those of rows and entropy. The loops let sums of neighbouring
/// elements grow side by side, for vector units. Each single sum keeps the order of its terms.
class TargetFrequencies {
   public:
    TargetFrequencies(const JointFrequencies& q, const Frequencies& rows, const Frequencies& columns, double entropy)
        : q_(q), x_(q), rows_(rows), columns_(columns), entropy_(entropy) {
        for (std::size_t i = 0; i < kLetters; ++i) {
            for (std::size_t j = 0; j < kLetters; ++j) log_odds_[i][j] = std::log(q[i][j] / (rows[i] * columns[j]));
        }
    }

    bool solve() {
        constexpr double kTolerance = 1e-8;
        constexpr int kMostSteps = 2000;
        for (int step = 0; step <= kMostSteps; ++step) {
            if (!(set_residuals() > kTolerance)) return norm_ <= kTolerance && entropy_multiplier_ < 1;
            if (step < kMostSteps) take_step();
        }
        return false;
    }

    const JointFrequencies& frequencies() const { return x_; }

   private:
    using Pairs = std::array<std::array<double, kLetters>, kLetters>;
    // Indices of the unknowns that are left after reduction: 0 for the entropy, i for row i.
    static constexpr std::size_t kEntropy = 0;

    double set_residuals() {
        double entropy = 0, squares = 0;
        Pairs change, terms;
        for (std::size_t i = 0; i < kLetters; ++i) {
            for (std::size_t j = 0; j < kLetters; ++j) change[i][j] = x_[i][j] / q_[i][j];
            for (double& each : change[i]) each = std::log(each);
        }
        residual_columns_ = columns_;
        residual_rows_ = rows_;
        for (std::size_t i = 0; i < kLetters; ++i) {
            for (std::size_t j = 0; j < kLetters; ++j) {
                const double odds = change[i][j] + log_odds_[i][j];
                terms[i][j] = x_[i][j] * odds;
                slope_[i][j] = odds + 1;
                residual_x_[i][j] = -(change[i][j] + 1) + entropy_multiplier_ * slope_[i][j] + column_multiplier_[j] +
                                    row_multiplier_[i];
                residual_columns_[j] -= x_[i][j];
            }
            for (std::size_t j = 0; j < kLetters; ++j) {
                entropy += terms[i][j];
                squares += residual_x_[i][j] * residual_x_[i][j];
                residual_rows_[i] -= x_[i][j];
            }
        }
        residual_rows_[kEntropy] = entropy_ - entropy;
        for (std::size_t k = 0; k < kLetters; ++k) {
            squares += residual_columns_[k] * residual_columns_[k] + residual_rows_[k] * residual_rows_[k];
        }
        return norm_ = std::sqrt(squares);
    }

    void take_step() {
        // The system is  D dx = r_x + A^T dz,  A dx = r_z.  D is (1 - multiplier) / x, and A holds
        // the constraints' derivatives.
        // The inverse of D, and the inverse times the entropy's slope and times the residuals.
        Pairs inverse, weighted, right_terms;
        Frequencies column_sum{}, border{}, right_columns = residual_columns_, right = residual_rows_;
        Pairs system{};
        const double spread = 1 - entropy_multiplier_;
        for (std::size_t i = 0; i < kLetters; ++i) {
            for (std::size_t j = 0; j < kLetters; ++j) {
                inverse[i][j] = x_[i][j] / spread;
                weighted[i][j] = inverse[i][j] * slope_[i][j];
                right_terms[i][j] = inverse[i][j] * residual_x_[i][j];
                column_sum[j] += inverse[i][j];
                border[j] += weighted[i][j];
                right_columns[j] -= right_terms[i][j];
            }
            for (std::size_t j = 0; j < kLetters; ++j) {
                right[kEntropy] -= slope_[i][j] * right_terms[i][j];
                system[kEntropy][kEntropy] += slope_[i][j] * weighted[i][j];
                if (i == 0) continue;
                system[i][i] += inverse[i][j];
                system[i][kEntropy] += weighted[i][j];
                right[i] -= right_terms[i][j];
            }
        }
        // Column k of `rows_turned` is the row of unknown k: the border for the entropy, or the
        // inverse's row k.
        Pairs rows_turned;
        for (std::size_t j = 0; j < kLetters; ++j) {
            for (std::size_t k = 0; k < kLetters; ++k) rows_turned[j][k] = k == kEntropy ? border[j] : inverse[k][j];
        }
        for (std::size_t i = 0; i < kLetters; ++i) {
            Frequencies sums{};
            double right_sum = 0;
            for (std::size_t j = 0; j < kLetters; ++j) {
                const double scaled = rows_turned[j][i] / column_sum[j];
                for (std::size_t k = 0; k < kLetters; ++k) sums[k] += scaled * rows_turned[j][k];
                right_sum += scaled * right_columns[j];
            }
            for (std::size_t k = 0; k <= i; ++k) system[i][k] -= sums[k];
            right[i] -= right_sum;
        }
        solve_positive_definite(system, right);
        Frequencies columns = right_columns;
        for (std::size_t k = 0; k < kLetters; ++k) {
            const Frequencies& row = k == kEntropy ? border : inverse[k];
            for (std::size_t j = 0; j < kLetters; ++j) columns[j] -= row[j] * right[k];
        }
        for (std::size_t j = 0; j < kLetters; ++j) columns[j] /= column_sum[j];
        // The step is shortened so that all frequencies stay positive.
        constexpr double kShare = 0.95;
        Pairs change;
        double length = 1 / kShare;
        for (std::size_t i = 0; i < kLetters; ++i) {
            const double of_row = i == 0 ? 0 : right[i];
            Frequencies room;
            for (std::size_t j = 0; j < kLetters; ++j) {
                change[i][j] =
                    inverse[i][j] * (residual_x_[i][j] + slope_[i][j] * right[kEntropy] + columns[j] + of_row);
                room[j] = -x_[i][j] / change[i][j];
            }
            for (const double each : room) {
                if (each >= 0 && each < length) length = each;
            }
        }
        length *= kShare;
        for (std::size_t i = 0; i < kLetters; ++i) {
            for (std::size_t j = 0; j < kLetters; ++j) x_[i][j] += length * change[i][j];
            column_multiplier_[i] += length * columns[i];
            if (i > 0) row_multiplier_[i] += length * right[i];
        }
        entropy_multiplier_ += length * right[kEntropy];
    }

    /// Solves the system in place by Cholesky's factors of the lower triangle. `right` becomes the
    /// solution.
    static void solve_positive_definite(Pairs& lower, Frequencies& right) {
        for (std::size_t k = 0; k < kLetters; ++k) {
            lower[k][k] = std::sqrt(lower[k][k]);
            Frequencies column;  // of the factor
            for (std::size_t i = k + 1; i < kLetters; ++i) column[i] = lower[i][k] /= lower[k][k];
            for (std::size_t i = k + 1; i < kLetters; ++i) {
                for (std::size_t j = k + 1; j <= i; ++j) lower[i][j] -= lower[i][k] * column[j];
            }
            right[k] /= lower[k][k];
            for (std::size_t i = k + 1; i < kLetters; ++i) right[i] -= column[i] * right[k];
        }
        for (std::size_t i = kLetters; i-- > 0;) {
            right[i] /= lower[i][i];
            for (std::size_t j = 0; j < i; ++j) right[j] -= lower[i][j] * right[i];
        }
    }

    const JointFrequencies& q_;
    JointFrequencies x_;
    Frequencies rows_, columns_;
    double entropy_;
    Pairs log_odds_, slope_, residual_x_;
    Frequencies residual_columns_, residual_rows_;        // residual_rows_[kEntropy] is the entropy's
    Frequencies column_multiplier_{}, row_multiplier_{};  // row_multiplier_[0] stays 0
    double entropy_multiplier_ = 0, norm_ = 0;
};

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
    : ratios_(&ratios), joint_(joint), lambda_(lambda), mode_(mode) {
    for (std::size_t a = 0; a < kLetters; ++a)
        background_[a] = std::accumulate(joint_[a].begin(), joint_[a].end(), 0.0);
    for (auto& row : start_) row.fill(kNever);
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        for (std::size_t b = 0; b < kResidueCodes; ++b) start_[a][b] = nearest(log_odds((*ratios_)[a][b], lambda_));
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
    const double query_target = distance(target.frequency, query.frequency);
    const double query_background = distance(query.frequency, background_),
                 target_background = distance(target.frequency, background_);
    const auto [shorter, longer] =
        std::minmax({static_cast<double>(query_residues), static_cast<double>(target_residues)});
    // Beyond the range of acos there is no angle. The comparison below is then false.
    const double cosine =
        (target_background * target_background + query_background * query_background - query_target * query_target) /
        2.0 / target_background / query_background;
    const double degrees = std::acos(cosine) * 180 / std::numbers::pi;
    return !(query_target > kDistance && longer / shorter > kLengthRatio && degrees > kDegrees);
}

bool CompositionAdjuster::optimize(const Composition& query, const Composition& target, ScoreTable& scores) const {
    constexpr double kEntropyOfBlosum62 = 0.44;
    const Frequencies rows = with_pseudocounts(query, background_), columns = with_pseudocounts(target, background_);
    TargetFrequencies problem(joint_, rows, columns, kEntropyOfBlosum62);
    if (!problem.solve()) return false;

    RealScores joint{};
    double sum = 0;
    for (const auto& row : problem.frequencies()) sum = std::accumulate(row.begin(), row.end(), sum);
    LetterFrequencies row_letters{}, column_letters{};
    std::ranges::copy(rows, row_letters.begin());
    std::ranges::copy(columns, column_letters.begin());
    for (std::size_t a = 0; a < kLetters; ++a) {
        for (std::size_t b = 0; b < kLetters; ++b) joint[a][b] = problem.frequencies()[a][b] / sum;
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
        for (std::size_t b = 0; b < kResidueCodes; ++b) real[a][b] = log_odds((*ratios_)[a][b], lambda_ / ratio);
    }
    set_x_u_o(real, letters_of(query), letters_of(target));
    round_scores(real, start_, scores);
}

}  // namespace warpseq
