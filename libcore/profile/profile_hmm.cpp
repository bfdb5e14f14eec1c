#include "libcore/profile/profile_hmm.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "libcore/base/compensated_sum.h"

namespace warpseq {

std::vector<float> match_occupancy(const ProfileHmm& hmm) {
    std::vector<float> occupancy(static_cast<std::size_t>(hmm.length) + 1, 0.0f);
    occupancy[1] = hmm.transitions[0][kMatchInsert] + hmm.transitions[0][kMatchMatch];
    for (std::size_t k = 2; k < occupancy.size(); ++k) {
        const ProfileHmm::Transitions& from = hmm.transitions[k - 1];
        // The complement is a double, as in HMMER, so the sum is rounded to float once.
        occupancy[k] = static_cast<float>(occupancy[k - 1] * (from[kMatchMatch] + from[kMatchInsert]) +
                                          (1.0 - occupancy[k - 1]) * from[kDeleteMatch]);
    }
    return occupancy;
}

bool are_usable(const HmmStatistics& statistics) {
    const auto is_location = [](float mu) { return !std::isnan(mu) && mu < std::numeric_limits<float>::infinity(); };
    const auto is_lambda = [](float lambda) { return std::isfinite(lambda) && lambda > 0; };
    return is_location(statistics.msv_mu) && is_location(statistics.viterbi_mu) &&
           std::isfinite(statistics.forward_tau) && is_lambda(statistics.msv_lambda) &&
           is_lambda(statistics.viterbi_lambda) && is_lambda(statistics.forward_lambda);
}

bool can_be_entered(const ProfileHmm& hmm) {
    float total = 0;
    for (const float occupancy : match_occupancy(hmm)) {
        if (!(occupancy >= 0)) return false;
        total += occupancy;
    }
    return total > 0;
}

std::string consensus_of(const ProfileHmm& hmm) {
    std::string consensus;
    for (std::size_t k = 1; k <= static_cast<std::size_t>(hmm.length); ++k) {
        const ProfileHmm::Residues& match = hmm.match[k];
        const auto best = std::max_element(match.begin(), match.end());
        const char letter = residue_letter(static_cast<ResidueCode>(best - match.begin()));
        consensus += *best >= 0.5f ? letter : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return consensus;
}

ProfileHmm::Residues composition_of(const ProfileHmm& hmm) {
    const std::vector<float> occupancy = match_occupancy(hmm);
    ProfileHmm::Residues composition{};
    const auto add = [&composition](const ProfileHmm::Residues& emission, float weight) {
        for (std::size_t a = 0; a < composition.size(); ++a) composition[a] += emission[a] * weight;
    };
    const auto insert_visits = [&hmm](std::size_t k, float visits) {
        return visits * hmm.transitions[k][kMatchInsert] / hmm.transitions[k][kInsertMatch];
    };
    add(hmm.insert[0], hmm.transitions[0][kMatchInsert] / hmm.transitions[0][kInsertMatch]);
    for (std::size_t k = 1; k < occupancy.size(); ++k) {
        add(hmm.match[k], occupancy[k]);
        add(hmm.insert[k], insert_visits(k, occupancy[k]));
    }
    normalise(composition);
    return composition;
}

}  // namespace warpseq
