#include "libcore/profile/plan7_profile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

float log_of(float probability) { return static_cast<float>(std::log(static_cast<double>(probability))); }

/// Applies `convert` to every array of transitions.
template <typename To, typename From, typename Convert>
To convert_transitions(const From& from, const Convert& convert) {
    To to;
    const auto each = [&convert](const auto& source, auto& target) {
        target.resize(source.size());
        std::transform(source.begin(), source.end(), target.begin(), convert);
    };
    each(from.enter, to.enter);
    each(from.match_match, to.match_match);
    each(from.insert_match, to.insert_match);
    each(from.delete_match, to.delete_match);
    each(from.match_delete, to.match_delete);
    each(from.match_insert, to.match_insert);
    each(from.insert_insert, to.insert_insert);
    each(from.delete_delete, to.delete_delete);
    return to;
}

/// Returns std::round(value) limited to -limit - 1 .. limit. The limits are less than 2^23, so the
/// fraction is exact. There is no call and no branch, so loops over all scores of a profile are
/// quicker.
int rounded(float value, int limit) {
    value = std::clamp(value, static_cast<float>(-limit - 1), static_cast<float>(limit));
    const int whole = static_cast<int>(value);
    const float fraction = value - static_cast<float>(whole);
    return whole + (fraction >= 0.5f ? 1 : 0) - (fraction <= -0.5f ? 1 : 0);
}

/// Returns a score in nats as a cost in thirds of a bit.
int msv_cost(float score_nats) { return -rounded(MsvProfile::kUnitsPerNat * score_nats, 1000); }

std::uint8_t unbiased_msv_cost(float score_nats) {
    return static_cast<std::uint8_t>(std::min(msv_cost(score_nats), MsvProfile::kCeiling));
}

std::int16_t viterbi_score(float score_nats) {
    return static_cast<std::int16_t>(rounded(ViterbiProfile::kUnitsPerNat * score_nats, INT16_MAX));
}

/// Returns e^x by Cephes' single-precision polynomial, operation by operation as HMMER's vector
/// code evaluates it. Model odds have to be the same floats, which the C library's expf does not
/// give.
float cephes_exp(float value) {
    constexpr float kLimit = 88.3762626647949f;  // beyond it the exponent does not fit
    float x = std::clamp(value, -kLimit, kLimit);
    const float binary = x * static_cast<float>(std::numbers::log2e) + 0.5f;
    const int truncated = static_cast<int>(binary);
    const int power = truncated - (static_cast<float>(truncated) > binary ? 1 : 0);
    const auto exponent = static_cast<float>(power);
    x = x - exponent * 0.693359375f - exponent * -2.12194440e-4f;  // ln 2 in two parts
    float y = 1.9875691500E-4f;
    y = y * x + 1.3981999507E-3f;
    y = y * x + 8.3334519073E-3f;
    y = y * x + 4.1665795894E-2f;
    y = y * x + 1.6666665459E-1f;
    y = y * x + 5.0000001201E-1f;
    y = y * (x * x) + x + 1.0f;
    const float result = y * std::bit_cast<float>(static_cast<std::uint32_t>(power + 127) << 23);
    if (value > kLimit) return std::numeric_limits<float>::infinity();
    return value <= -kLimit ? 0.0f : result;
}

}  // namespace

Plan7Profile configure_plan7(const ProfileHmm& hmm) {
    const auto length = static_cast<std::size_t>(hmm.length);
    Plan7Profile profile;
    profile.length = hmm.length;

    profile.match.resize(kResidueTableSize * length);
    for (std::size_t k = 1; k <= length; ++k) {
        for (std::size_t a = 0; a < kAminoAcids; ++a) {
            profile.match[a * length + k - 1] = static_cast<float>(
                std::log(static_cast<double>(hmm.match[k][a]) / static_cast<double>(kBackgroundFrequencies[a])));
        }
    }
    fill_other_codes(profile);

    Plan7Profile::Transitions& to = profile.transitions;
    to.enter = entry_scores(hmm);

    // Return the scores of a transition into node k from node k - 1 >= 1, or out of node k < M.
    const auto into = [&](HmmTransition transition) {
        std::vector<float> scores(length, kMinusInfinity);
        for (std::size_t k = 2; k <= length; ++k) scores[k - 1] = log_of(hmm.transitions[k - 1][transition]);
        return scores;
    };
    const auto out_of = [&](HmmTransition transition) {
        std::vector<float> scores(length, kMinusInfinity);
        for (std::size_t k = 1; k < length; ++k) scores[k - 1] = log_of(hmm.transitions[k][transition]);
        return scores;
    };
    to.match_match = into(kMatchMatch);
    to.insert_match = into(kInsertMatch);
    to.delete_match = into(kDeleteMatch);
    to.match_delete = out_of(kMatchDelete);
    to.match_insert = out_of(kMatchInsert);
    to.insert_insert = out_of(kInsertInsert);
    to.delete_delete = out_of(kDeleteDelete);
    return profile;
}

std::vector<float> entry_scores(const ProfileHmm& hmm) {
    const auto length = static_cast<std::size_t>(hmm.length);
    const std::vector<float> occupancy = match_occupancy(hmm);
    float total = 0;
    for (std::size_t k = 1; k <= length; ++k) total += occupancy[k] * static_cast<float>(length - k + 1);
    std::vector<float> scores(length);
    for (std::size_t k = 1; k <= length; ++k) scores[k - 1] = log_of(occupancy[k] / total);
    return scores;
}

void fill_other_codes(Plan7Profile& profile) {
    const auto length = static_cast<std::size_t>(profile.length);
    const auto row_of = [&](std::size_t code) { return profile.match.data() + code * length; };
    for (std::size_t code = kAminoAcids; code < kResidueTableSize; ++code) {
        float* const row = row_of(code);
        if (kAminoAcidsOfCode[code] == 0) {
            std::fill_n(row, length, kMinusInfinity);
            continue;
        }
        std::fill_n(row, length, 0.0f);
        float weights = 0;
        for (std::size_t a = 0; a < kAminoAcids; ++a) {
            if (!(kAminoAcidsOfCode[code] >> a & 1)) continue;
            const float* const scores = row_of(a);
            const float weight = kBackgroundFrequencies[a];
            for (std::size_t k = 0; k < length; ++k) row[k] += scores[k] * weight;
            weights += weight;
        }
        for (std::size_t k = 0; k < length; ++k) row[k] = row[k] / weights;
    }
}

MsvProfile quantise_msv(const Plan7Profile& profile) {
    const auto length = static_cast<std::size_t>(profile.length);
    MsvProfile msv;
    msv.length = profile.length;
    const float highest =
        std::max(0.0f, *std::max_element(profile.match.begin(),
                                         profile.match.begin() + static_cast<std::ptrdiff_t>(kAminoAcids * length)));
    msv.bias = unbiased_msv_cost(-highest);
    std::vector<std::uint8_t> costs(profile.match.size());
    std::transform(profile.match.begin(), profile.match.end(), costs.begin(), [&msv](float score_nats) {
        return static_cast<std::uint8_t>(std::min(msv_cost(score_nats) + msv.bias, MsvProfile::kCeiling));
    });
    msv.match_costs = SharedBytes(std::move(costs));
    const auto nodes = static_cast<float>(length);
    msv.enter = unbiased_msv_cost(std::log(2.0f / (nodes * (nodes + 1))));
    msv.end = unbiased_msv_cost(std::log(0.5f));
    return msv;
}

std::uint8_t MsvProfile::move(std::uint64_t target_residues) {
    return unbiased_msv_cost(std::log(3.0f / static_cast<float>(target_residues + 3)));
}

float MsvProfile::score_nats(int xj, std::uint64_t target_residues) {
    return nats_of_units(xj - move(target_residues));
}

float MsvProfile::nats_of_units(int xj_less_move) {
    const float units = static_cast<float>(xj_less_move) - static_cast<float>(kBase);
    return static_cast<float>(units / kUnitsPerNat - kFreeLoopNats);
}

ViterbiProfile quantise_viterbi(const Plan7Profile& profile) {
    ViterbiProfile viterbi;
    viterbi.length = profile.length;
    viterbi.match.resize(profile.match.size());
    std::transform(profile.match.begin(), profile.match.end(), viterbi.match.begin(), viterbi_score);
    viterbi.transitions = convert_transitions<ViterbiProfile::Transitions>(
        profile.transitions, [](float score_nats) { return std::min(viterbi_score(score_nats), std::int16_t{0}); });
    for (std::int16_t& loop : viterbi.transitions.insert_insert) loop = std::min(loop, std::int16_t{-1});
    return viterbi;
}

std::int16_t ViterbiProfile::move(std::uint64_t target_residues) {
    return viterbi_score(std::log(LengthModel::multihit(target_residues).move));
}

float ViterbiProfile::score_nats(std::int16_t xc, std::uint64_t target_residues) {
    if (xc == kMinusInfinity) return -std::numeric_limits<float>::infinity();
    const float units = static_cast<float>(xc) + static_cast<float>(move(target_residues)) - static_cast<float>(kBase);
    return static_cast<float>(units / kUnitsPerNat - kFreeLoopNats);
}

ForwardProfile forward_odds(const Plan7Profile& profile) {
    ForwardProfile odds;
    odds.length = profile.length;
    odds.match.resize(profile.match.size());
    std::transform(profile.match.begin(), profile.match.end(), odds.match.begin(), cephes_exp);
    odds.transitions = convert_transitions<Plan7Profile::Transitions>(profile.transitions, cephes_exp);
    return odds;
}

LengthModel LengthModel::multihit(std::uint64_t target_residues) {
    const float move = 3.0f / (static_cast<float>(target_residues) + 2.0f + 1.0f);
    return {1.0f - move, move, 0.5f, 0.5f};
}

LengthModel LengthModel::unihit(std::uint64_t target_residues) {
    const float move = 2.0f / (static_cast<float>(target_residues) + 2.0f);
    return {1.0f - move, move, 0.0f, 1.0f};
}

}  // namespace warpseq
