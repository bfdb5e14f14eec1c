#include "engines/hmm/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/linear_congruential.h"
#include "libcore/sequence/tile.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

// The score, in nats, of a filter whose arithmetic overflowed: the highest that its numbers hold.
constexpr float kHighestMsvNats = (MsvProfile::kCeiling - MsvProfile::kBase) / MsvProfile::kUnitsPerNat;
constexpr float kHighestViterbiNats =
    static_cast<float>((double{INT16_MAX} - ViterbiProfile::kBase) / ViterbiProfile::kUnitsPerNat);

using Sequences = CalibrationSequences::Sequences;

/// Draws residues from the background by its cumulative distribution, in doubles.
Sequences draw_sequences(LinearCongruential& generator, std::size_t count, std::size_t residues) {
    // std::partial_sum() of floats would add them up as floats, and one draw in some millions would
    // give another residue.
    std::array<double, kAminoAcids> cumulative{};
    double total = 0;
    for (std::size_t a = 0; a < kAminoAcids; ++a)
        cumulative[a] = total += static_cast<double>(kBackgroundFrequencies[a]);
    for (double& p : cumulative) p /= total;
    Sequences sequences(count, std::vector<ResidueCode>(residues));
    for (std::vector<ResidueCode>& sequence : sequences) {
        for (ResidueCode& code : sequence) {
            const auto drawn = std::upper_bound(cumulative.begin(), cumulative.end(), generator.uniform());
            code = static_cast<ResidueCode>(drawn - cumulative.begin());
        }
    }
    return sequences;
}

/// Returns the bits against null1.
double score_bits(float score_nats, std::size_t residues) {
    return (score_nats - null1_score_nats(residues)) / std::numbers::ln2;
}

/// Returns the lambda of all three distributions. Each node's relative entropy (bits) is added up
/// in a float, their sum in a double.
double edge_corrected_lambda(const ProfileHmm& hmm) {
    double entropy_bits = 0;
    for (std::size_t k = 1; k < hmm.match.size(); ++k) {
        float node_bits = 0;
        for (std::size_t a = 0; a < kAminoAcids; ++a) {
            const float p = hmm.match[k][a];
            if (p <= 0) continue;
            const auto odds = static_cast<double>(p / kBackgroundFrequencies[a]);
            node_bits = static_cast<float>(node_bits + p * std::log2(odds));
        }
        entropy_bits += static_cast<double>(node_bits);
    }
    entropy_bits /= hmm.length;
    return std::numbers::ln2 + 1.44 / (hmm.length * entropy_bits);
}

std::vector<double> msv_scores_bits(const MsvFilter& filter, const Sequences& sequences, std::size_t residues,
                                    const std::stop_token& stop) {
    struct alignas(kTileAlignmentBytes) WordRow {
        std::array<std::uint32_t, kTileLanes> words;
    };
    const std::size_t samples = sequences.size();
    const std::size_t word_rows = words_for(residues);
    const std::size_t tile_count = (samples + kTileLanes - 1) / kTileLanes;
    WordRow padding;
    padding.words.fill(kPaddingWord);
    std::vector<WordRow> rows(tile_count * word_rows, padding);
    const std::vector<std::uint64_t> lengths_residues(kTileLanes, residues);
    std::vector<TileView> tiles;
    for (std::size_t first = 0; first < samples; first += kTileLanes) {
        const std::size_t lanes = std::min<std::size_t>(kTileLanes, samples - first);
        std::uint32_t* const words = rows[tiles.size() * word_rows].words.data();
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            pack_lane(sequences[first + lane], words, word_rows, lane, kTileLanes);
        }
        tiles.push_back({.words = {words, word_rows * kTileLanes},
                         .lengths_residues = std::span(lengths_residues).first(lanes),
                         .word_rows = word_rows,
                         .first_sequence = first});
    }
    std::vector<std::int16_t> results(samples);
    const auto workspace = filter.make_workspace();
    workspace->stop = stop;
    filter.score(tiles, *workspace, results);

    std::vector<double> scores_bits;
    for (const std::int16_t result : results) {
        const float score_nats = result == kMsvOverflow ? kHighestMsvNats : MsvProfile::score_nats(result, residues);
        scores_bits.push_back(score_bits(score_nats, residues));
    }
    return scores_bits;
}

std::vector<double> viterbi_scores_bits(const ViterbiFilter& filter, const Sequences& sequences, std::size_t residues,
                                        const std::stop_token& stop) {
    const std::vector<std::span<const ResidueCode>> targets(sequences.begin(), sequences.end());
    std::vector<std::int16_t> results(targets.size());
    const auto workspace = filter.make_workspace();
    workspace->stop = stop;
    filter.score(targets, *workspace, results);
    std::vector<double> scores_bits;
    for (const std::int16_t result : results) {
        const float score_nats =
            result == kViterbiOverflow ? kHighestViterbiNats : ViterbiProfile::score_nats(result, residues);
        scores_bits.push_back(score_bits(score_nats, residues));
    }
    return scores_bits;
}

std::vector<double> forward_scores_bits(const ForwardBackward& forward, const Sequences& sequences,
                                        std::size_t residues, const std::stop_token& stop) {
    std::vector<ForwardTask> tasks(sequences.size());
    std::vector<ForwardTask*> pointers;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        tasks[i].target = sequences[i];
        tasks[i].length_model = LengthModel::multihit(sequences[i].size());
        pointers.push_back(&tasks[i]);
    }
    const auto workspace = forward.make_workspace();
    workspace->stop = stop;
    forward.forward(pointers, *workspace);
    std::vector<double> scores_bits;
    for (const ForwardTask& task : tasks) scores_bits.push_back(score_bits(task.score_nats, residues));
    return scores_bits;
}

/// Returns the likeliest location of a Gumbel distribution of known lambda (Lawless 1982, equation
/// 4.1.5).
double fit_gumbel_location(std::span<const double> scores, double lambda) {
    double sum = 0;
    for (const double x : scores) sum += std::exp(-lambda * x);
    return -std::log(sum / static_cast<double>(scores.size())) / lambda;
}

/// The derivative of the Gumbel log likelihood by lambda, with the location at its best (Lawless
/// 1982, equation 4.1.6), and the derivative's slope.
struct LambdaEquation {
    double value, slope;
};

LambdaEquation lambda_equation(std::span<const double> scores, double lambda) {
    const auto n = static_cast<double>(scores.size());
    double sum_x = 0, sum_e = 0, sum_xe = 0, sum_xxe = 0;  // e = e^(-lambda x)
    for (const double x : scores) {
        const double e = std::exp(-lambda * x);
        sum_x += x;
        sum_e += e;
        sum_xe += x * e;
        sum_xxe += x * x * e;
    }
    const double mean = sum_xe / sum_e;
    return {1 / lambda - sum_x / n + mean, mean * mean - sum_xxe / sum_e - 1 / (lambda * lambda)};
}

/// Returns the likeliest lambda. It uses Newton's method from the estimate by moments, or halves
/// intervals if that does not converge.
std::optional<double> fit_gumbel_lambda(std::span<const double> scores) {
    constexpr double kTolerance = 1e-5, kLowest = 0.001, kHighest = 1000;
    constexpr int kSteps = 100;
    const auto n = static_cast<double>(scores.size());
    double sum = 0, sum_of_squares = 0;
    for (const double x : scores) {
        sum += x;
        sum_of_squares += x * x;
    }
    const double variance = (sum_of_squares - sum * sum / n) / (n - 1);
    const double start = std::numbers::pi / std::sqrt(6 * variance);
    double lambda = start;
    for (int step = 0; step < kSteps; ++step) {
        const LambdaEquation equation = lambda_equation(scores, lambda);
        if (std::fabs(equation.value) < kTolerance) return lambda;
        lambda -= equation.value / equation.slope;
        if (lambda <= 0) lambda = kLowest;
    }
    // The value falls as lambda grows, so it is above 0 left of the root.
    double left = 0, right = start;
    while (lambda_equation(scores, right).value > 0) {
        right *= 2;
        if (right > kHighest) return std::nullopt;
    }
    for (int step = 0; step < kSteps; ++step) {
        const double middle = (left + right) / 2;
        const double value = lambda_equation(scores, middle).value;
        if (std::fabs(value) < kTolerance) return middle;
        (value > 0 ? left : right) = middle;
    }
    return std::nullopt;
}

std::optional<double> fit_tau(std::span<const double> scores, double lambda, double tail) {
    const std::optional<double> gumbel_lambda = fit_gumbel_lambda(scores);
    if (!gumbel_lambda) return std::nullopt;
    const double gumbel_mu = fit_gumbel_location(scores, *gumbel_lambda);
    const double tail_begin = gumbel_mu - std::log(-std::log(1 - tail)) / *gumbel_lambda;
    return tail_begin + std::log(tail) / lambda;
}

}  // namespace

CalibrationSequences::CalibrationSequences(const CalibrationSettings& settings) : settings_(settings) {
    LinearCongruential generator(settings.seed);
    msv_ = draw_sequences(generator, settings.msv_sequences, settings.msv_residues);
    viterbi_ = draw_sequences(generator, settings.viterbi_sequences, settings.viterbi_residues);
    forward_ = draw_sequences(generator, settings.forward_sequences, settings.forward_residues);
}

Status check_calibration(const CalibrationSettings& settings) {
    constexpr std::uint32_t kFewestScores = 2;
    for (const auto& [scores, what] :
         {std::pair(settings.msv_sequences, "msv mu"), std::pair(settings.viterbi_sequences, "vit mu"),
          std::pair(settings.forward_sequences, "fwd tau")}) {
        if (scores < kFewestScores) return Status::invalid_input(std::string("failed to determine ") + what);
    }
    return {};
}

Status check_entry(const ProfileHmm& hmm) {
    if (can_be_entered(hmm)) return {};
    return Status::invalid_input(
        "profile '" + hmm.name +
        "': its transitions lead to no match state with a probability above 0, so that nothing aligns to it");
}

Result<HmmStatistics> calibrate(const ProfileHmm& hmm, const MsvFilter& msv, const ViterbiFilter& viterbi,
                                const ForwardBackward& forward, const CalibrationSequences& sequences,
                                const std::stop_token& stop) {
    const CalibrationSettings& settings = sequences.settings();
    WARPSEQ_TRY(check_calibration(settings));
    const double lambda = edge_corrected_lambda(hmm);
    const std::vector<double> msv_bits = msv_scores_bits(msv, sequences.msv(), settings.msv_residues, stop);
    const std::vector<double> viterbi_bits =
        viterbi_scores_bits(viterbi, sequences.viterbi(), settings.viterbi_residues, stop);
    const std::vector<double> forward_bits =
        forward_scores_bits(forward, sequences.forward(), settings.forward_residues, stop);
    if (stop.stop_requested()) return Status::interrupted();

    HmmStatistics statistics;
    statistics.msv_lambda = statistics.viterbi_lambda = statistics.forward_lambda = static_cast<float>(lambda);
    statistics.msv_mu = static_cast<float>(fit_gumbel_location(msv_bits, lambda));
    statistics.viterbi_mu = static_cast<float>(fit_gumbel_location(viterbi_bits, lambda));
    const std::optional<double> tau = fit_tau(forward_bits, lambda, settings.forward_tail);
    statistics.forward_tau = static_cast<float>(tau.value_or(NAN));
    const auto is_location = [&](float mu) {
        return std::isfinite(mu) || (settings.with_hardly_any_information && mu < 0);
    };
    const bool usable =
        std::isfinite(statistics.msv_lambda) && statistics.msv_lambda > 0 && is_location(statistics.msv_mu) &&
        is_location(statistics.viterbi_mu) &&
        (std::isfinite(statistics.forward_tau) || (settings.with_hardly_any_information && statistics.forward_tau > 0));
    if (usable) return statistics;
    return Status::invalid_input(
        "the profile \"" + hmm.name +
        "\" has no score statistics: its match states hardly differ from random residues, or no residue "
        "aligns to them (is the query all X?)");
}

}  // namespace warpseq
