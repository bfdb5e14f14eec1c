#include "engines/hmm/hmm_score_bound.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace warpseq {
namespace {

constexpr double kMostGainNats = 0.8823;
constexpr double kUnit = 1.02 / 16777216;  // u, and what higher powers of it add
constexpr std::uint64_t kMostResidues = std::uint64_t{1} << 18;
constexpr double kLeastNats = -20;  // what is lost below 2^-126 is nothing against this
constexpr float kLeastEntry = 1.0f / (std::uint64_t{1} << 50);

}  // namespace

bool bounds_scores(const ForwardProfile& profile) {
    const Plan7Profile::Transitions& to = profile.transitions;
    for (const auto* kind : {&to.enter, &to.match_match, &to.insert_match, &to.delete_match, &to.match_delete,
                             &to.match_insert, &to.insert_insert, &to.delete_delete})
        if (!std::ranges::all_of(*kind, [](float x) { return x >= 0 && x <= 1.001f; })) return false;
    return std::ranges::all_of(to.enter, [](float x) { return x >= kLeastEntry; });
}

float most_score_bits(const HmmRegions& regions, std::uint64_t residues, float null_nats, int nodes) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const double forward_nats = static_cast<double>(regions.forward_nats);
    if (residues > kMostResidues || !(forward_nats >= kLeastNats) || !std::isfinite(forward_nats)) return kInfinity;
    if (std::ranges::any_of(regions.found.regions, &Region::several_domains)) return kInfinity;
    const auto length = static_cast<double>(residues), envelopes = static_cast<double>(regions.found.regions.size());
    const double paths = length * (20 + 2.5 * nodes) * kUnit;
    const double sum = std::max(forward_nats, 0.0) + std::log(length + 3) + 10 + 2 * paths;
    const double scales = (envelopes + 1) * (sum * sum / 9.2 + 6 * sum) * kUnit;
    const double others = 4 * length * kUnit + (envelopes + 4) * 4 * (sum + 16) * kUnit + 0.001;
    const double nats = forward_nats - static_cast<double>(null_nats) + kMostGainNats + 2 * paths + scales + others;
    return std::nextafter(static_cast<float>(nats / std::numbers::ln2), kInfinity);
}

}  // namespace warpseq
