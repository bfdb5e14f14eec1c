#include "libcore/profile/profile_summary.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "libcore/base/compensated_sum.h"
#include "libcore/profile/profile_parameters.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

/// The probability with which the null model goes on to another residue.
constexpr float kNullLoop = 350.0F / 351.0F;

float entropy_bits(const ProfileHmm::Residues& residues) {
    float bits = 0;
    for (const float p : residues)
        if (p > 0) bits -= p * std::log2(p);
    return bits;
}

double mean_match_entropy_bits(const ProfileHmm& hmm) {
    double sum = 0;
    for (std::size_t node = 1; node < hmm.match.size(); ++node)
        sum += static_cast<double>(entropy_bits(hmm.match[node]));
    return sum / static_cast<double>(hmm.length);
}

double position_entropy_bits(const ProfileHmm& hmm, const std::vector<float>& occupancy) {
    const std::span<const float> matches = std::span(occupancy).subspan(1);
    double residues = 0, transitions = 0;
    for (std::size_t node = 1; node < occupancy.size(); ++node)
        residues += static_cast<double>(occupancy[node] * relative_entropy_bits(hmm.match[node]));
    residues /= static_cast<double>(compensated_sum(matches));
    const auto score_nats = [](float p) { return std::log(static_cast<double>(p / kNullLoop)); };
    for (std::size_t node = 1; node + 1 < occupancy.size(); ++node) {
        const ProfileHmm::Transitions& from = hmm.transitions[node];
        const double match_match = score_nats(from[kMatchMatch]);
        const double by_match = static_cast<double>(occupancy[node] * from[kMatchMatch]) * match_match;
        const double by_insert =
            static_cast<double>(occupancy[node] * from[kMatchInsert]) * (match_match + score_nats(from[kInsertMatch]));
        const double by_delete = (1.0 - static_cast<double>(occupancy[node])) *
                                 static_cast<double>(from[kDeleteMatch]) * score_nats(from[kDeleteMatch]);
        transitions += (by_match + by_insert + by_delete) / std::numbers::ln2;
    }
    transitions /= static_cast<double>(compensated_sum(matches.subspan(1)));
    return residues + transitions;
}

float composition_entropy_bits(const ProfileHmm& hmm, const std::vector<float>& occupancy) {
    ProfileHmm::Residues mean{};
    for (std::size_t node = 1; node < occupancy.size(); ++node)
        for (std::size_t a = 0; a < mean.size(); ++a) mean[a] += hmm.match[node][a] * occupancy[node];
    normalise(mean);
    return relative_entropy_bits(mean);
}

}  // namespace

ProfileSummary summary_of(const ProfileHmm& hmm) {
    const std::vector<float> occupancy = match_occupancy(hmm);
    return {
        .relative_entropy_bits = mean_match_relative_entropy_bits(hmm),
        .information_bits = static_cast<double>(entropy_bits(kBackgroundFrequencies)) - mean_match_entropy_bits(hmm),
        .position_entropy_bits = position_entropy_bits(hmm, occupancy),
        .composition_entropy_bits = composition_entropy_bits(hmm, occupancy)};
}

}  // namespace warpseq
