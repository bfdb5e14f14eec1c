#include "libcore/profile/effective_number.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "libcore/base/compensated_sum.h"
#include "libcore/base/stop_scope.h"
#include "libcore/profile/profile_counts.h"
#include "libcore/profile/profile_parameters.h"
#include "libcore/profile/sequence_weights.h"

namespace warpseq {
namespace {

/// Returns the entropy that a node shall have, in bits. Short models get more, so that a hit can be
/// told from chance.
double aimed_entropy_bits(const ProfileBuildSettings& settings, int length) {
    const auto nodes = static_cast<double>(length);
    const double of_short_model =
        (settings.model_entropy_bits - std::numbers::log2e * std::log(2.0 / (nodes * (nodes + 1)))) / nodes;
    return std::max(settings.node_entropy_bits, of_short_model);
}

/// Finds by halving the x in (0, highest) for which scaling by `scale(counts, x)` leads to the
/// entropy. Returns `highest` if even that has less.
template <typename Scale>
Result<double> find_scale(const ProfileHmm& counts, const ProfilePrior* prior, double entropy_bits, double highest,
                          double tolerance, const Scale& scale) {
    constexpr double kRelativeTolerance = 1e-12;
    constexpr int kSteps = 100;
    // Only match states count for the entropy.
    const auto excess = [&](double x) {
        ProfileHmm scaled;
        scaled.length = counts.length;
        scaled.match = counts.match;
        scaled.insert.resize(counts.insert.size());
        scaled.transitions.resize(counts.transitions.size());
        scale(scaled, x);
        estimate_match_residues(scaled, prior);
        return mean_match_relative_entropy_bits(scaled) - entropy_bits;
    };
    double right = highest;
    if (const double at_right = excess(right); !(at_right > 0)) return highest;
    double left = 0;
    const double at_left = excess(left);
    WARPSEQ_TRY(StopScope::check());
    if (!(at_left < 0)) {
        return Status::invalid_input("the target entropy of " + std::to_string(entropy_bits) +
                                     " bits per node is below that of the prior alone; ask for more");
    }
    for (int step = 0; step < kSteps; ++step) {
        const double x = (left + right) / 2.0;
        const double at_x = excess(x);
        WARPSEQ_TRY(StopScope::check());
        if (at_x == 0 || right - left < tolerance + kRelativeTolerance * x) return x;
        (at_x < 0 ? left : right) = x;
    }
    return Status::invalid_input("no effective number of sequences gives an entropy of " +
                                 std::to_string(entropy_bits) + " bits per node");
}

}  // namespace

Status scale_to_effective_number(const ProfileBuildSettings& settings, const AlignedRows& rows,
                                 const ProfilePrior* prior, ProfileHmm& counts) {
    const auto sequences = static_cast<double>(rows.count());
    double number = sequences;
    switch (settings.effective_number) {
        case EffectiveNumber::kEntropy: {
            constexpr double kTolerance = 0.01;
            const Result<double> found =
                find_scale(counts, prior, aimed_entropy_bits(settings, counts.length), sequences, kTolerance,
                           [&](ProfileHmm& scaled, double x) { scale_counts(scaled, x / sequences); });
            if (!found.ok()) return found.status();
            number = *found;
            break;
        }
        case EffectiveNumber::kEntropyExponent: {
            constexpr double kTolerance = 0.001;
            const Result<double> exponent = find_scale(counts, prior, aimed_entropy_bits(settings, counts.length), 1.0,
                                                       kTolerance, compress_counts);
            if (!exponent.ok()) return exponent.status();
            compress_counts(counts, *exponent);
            double sum = 0;
            for (std::size_t node = 1; node < counts.match.size(); ++node) {
                sum += static_cast<double>(compensated_sum(counts.match[node]));
            }
            counts.effective_sequences = static_cast<float>(sum / static_cast<double>(counts.length));
            return {};
        }
        case EffectiveNumber::kClusters:
            number = static_cast<double>(cluster_rows(rows, settings.cluster_identity).count);
            break;
        case EffectiveNumber::kNone: break;
        case EffectiveNumber::kGiven: number = settings.effective_sequences; break;
    }
    counts.effective_sequences = static_cast<float>(number);
    scale_counts(counts, static_cast<double>(*counts.effective_sequences) / sequences);
    return {};
}

}  // namespace warpseq
