#include "libcore/profile/profile_parameters.h"

#include <cmath>
#include <cstddef>
#include <span>

#include "libcore/base/compensated_sum.h"
#include "libcore/base/stop_scope.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

// The transitions of a node as three distributions.
std::span<float> from_match(ProfileHmm::Transitions& node) { return std::span(node).subspan(kMatchMatch, 3); }
std::span<float> from_insert(ProfileHmm::Transitions& node) { return std::span(node).subspan(kInsertMatch, 2); }
std::span<float> from_delete(ProfileHmm::Transitions& node) { return std::span(node).subspan(kDeleteMatch, 2); }

void take_frequencies(ProfileHmm& counts) {
    for (std::size_t node = 0; node < counts.match.size(); ++node) {
        normalise(counts.match[node]);
        normalise(counts.insert[node]);
        normalise(from_match(counts.transitions[node]));
        normalise(from_delete(counts.transitions[node]));
        normalise(from_insert(counts.transitions[node]));
    }
    ProfileHmm::Transitions& last = counts.transitions.back();
    last[kDeleteMatch] = 1;
    last[kDeleteDelete] = 0;
    if (last[kMatchDelete] > 0) {  // no count was seen there, so all values became the same
        last[kMatchDelete] = 0;
        last[kMatchMatch] = last[kMatchInsert] = 0.5f;
    }
}

}  // namespace

void estimate_match_residues(ProfileHmm& counts, const ProfilePrior* prior) {
    for (std::size_t node = 1; node < counts.match.size(); ++node) {
        if (StopScope::is_stopped()) return;  // build_profile() asks, too
        if (prior != nullptr) {
            prior->match_residues.estimate(counts.match[node]);
        } else {
            normalise(counts.match[node]);
        }
    }
}

void estimate_parameters(ProfileHmm& counts, const ProfilePrior* prior) {
    if (prior == nullptr) {
        take_frequencies(counts);
        return;
    }
    for (ProfileHmm::Transitions& node : counts.transitions) {
        prior->match_transitions.estimate(from_match(node));
        prior->insert_transitions.estimate(from_insert(node));
        prior->delete_transitions.estimate(from_delete(node));
    }
    ProfileHmm::Transitions& last = counts.transitions.back();
    last[kMatchDelete] = 0;
    normalise(from_match(last));
    for (ProfileHmm::Transitions* node : {&counts.transitions.front(), &last}) {
        (*node)[kDeleteMatch] = 1;
        (*node)[kDeleteDelete] = 0;
    }
    estimate_match_residues(counts, prior);
    counts.match[0] = {1};
    for (ProfileHmm::Residues& residues : counts.insert) prior->insert_residues.estimate(residues);
}

float relative_entropy_bits(const ProfileHmm::Residues& residues) {
    float bits = 0;
    for (std::size_t a = 0; a < residues.size(); ++a) {
        const float p = residues[a];
        if (p <= 0) continue;
        bits =
            static_cast<float>(static_cast<double>(bits) +
                               static_cast<double>(p) * std::log2(static_cast<double>(p / kBackgroundFrequencies[a])));
    }
    return bits;
}

double mean_match_relative_entropy_bits(const ProfileHmm& hmm) {
    double sum = 0;
    for (std::size_t node = 1; node < hmm.match.size(); ++node) {
        sum += static_cast<double>(relative_entropy_bits(hmm.match[node]));
    }
    return sum / static_cast<double>(hmm.length);
}

}  // namespace warpseq
