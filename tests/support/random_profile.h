// Random profile HMMs for tests and benchmarks, and targets that fit them. Emissions and
// transitions look like those of real families. Most nodes prefer a few residues, and gaps are
// rare. Here and there a stretch is often left out or has insertions.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/statistics/null_model.h"
#include "tests/support/random_proteins.h"

namespace warpseq::testing {

/// Returns a sample of the gamma distribution with shape `shape` <= 1 and scale 1 (Ahrens and
/// Dieter 1974).
inline double random_gamma(Random& random, double shape) {
    for (;;) {
        const double p = random.uniform() * (1 + shape / 2.718281828459045);
        const double other = -std::log(1 - random.uniform());
        if (p <= 1) {
            const double x = std::pow(p, 1 / shape);
            if (other >= x) return x;
        } else {
            const double x = -std::log((1 + shape / 2.718281828459045 - p) / shape);
            if (other >= (1 - shape) * std::log(x)) return x;
        }
    }
}

/// Returns a Dirichlet sample around the background. A little of the background is added, so that
/// no probability is 0. The lower `conservation_shape` is, the more of the probability falls on few
/// residues.
inline ProfileHmm::Residues random_emission(Random& random, double conservation_shape) {
    ProfileHmm::Residues emission;
    double sum = 0;
    std::array<double, kAminoAcids> weights;
    for (std::size_t a = 0; a < weights.size(); ++a) {
        const double shape = std::min(1.0, conservation_shape * static_cast<double>(kBackgroundFrequencies[a]));
        weights[a] = random_gamma(random, shape) + 1e-3 * static_cast<double>(kBackgroundFrequencies[a]);
        sum += weights[a];
    }
    for (std::size_t a = 0; a < weights.size(); ++a) emission[a] = static_cast<float>(weights[a] / sum);
    return emission;
}

inline ProfileHmm random_profile(Random& random, int length) {
    ProfileHmm hmm;
    hmm.name = "random" + std::to_string(length);
    hmm.length = length;
    const auto nodes = static_cast<std::size_t>(length) + 1;
    hmm.transitions.resize(nodes);
    hmm.match.resize(nodes);
    hmm.insert.assign(nodes, kBackgroundFrequencies);
    for (std::size_t k = 0; k < nodes; ++k) {
        if (k > 0) hmm.match[k] = random_emission(random, random.below(3) == 0 ? 1 : 6);
        const bool gapped = random.below(12) == 0;
        const double open = (gapped ? 0.2 : 0.01) * (0.2 + random.uniform());
        const double insert_extend = 0.2 + 0.6 * random.uniform(), delete_extend = 0.2 + 0.6 * random.uniform();
        ProfileHmm::Transitions& to = hmm.transitions[k];
        to[kMatchInsert] = to[kMatchDelete] = static_cast<float>(open);
        to[kMatchMatch] = static_cast<float>(1 - 2 * open);
        to[kInsertInsert] = static_cast<float>(insert_extend);
        to[kInsertMatch] = static_cast<float>(1 - insert_extend);
        to[kDeleteDelete] = k == 0 ? 0 : static_cast<float>(delete_extend);
        to[kDeleteMatch] = k == 0 ? 1 : static_cast<float>(1 - delete_extend);
    }
    // The last node leads to the end only.
    ProfileHmm::Transitions& last = hmm.transitions.back();
    last[kMatchMatch] += last[kMatchDelete];
    last[kMatchDelete] = 0;
    last[kDeleteMatch] = 1;
    last[kDeleteDelete] = 0;
    hmm.consensus = consensus_of(hmm);
    hmm.composition = composition_of(hmm);
    return hmm;
}

/// Returns a sequence that nodes first_node to last_node of the model emit, with insertions and
/// deletions.
inline Sequence emitted(Random& random, const ProfileHmm& hmm, std::size_t first_node, std::size_t last_node) {
    const auto residue = [&random](const ProfileHmm::Residues& emission) {
        double left = random.uniform();
        for (std::size_t a = 0; a + 1 < emission.size(); ++a) {
            left -= static_cast<double>(emission[a]);
            if (left < 0) return static_cast<ResidueCode>(a);
        }
        return static_cast<ResidueCode>(kAminoAcids - 1);
    };
    Sequence sequence;
    bool in_delete = false;
    for (std::size_t k = first_node; k <= last_node; ++k) {
        if (!in_delete) sequence.push_back(residue(hmm.match[k]));
        const ProfileHmm::Transitions& to = hmm.transitions[k];
        const auto at = random.uniform();
        if (in_delete) {
            in_delete = at < static_cast<double>(to[kDeleteDelete]);
        } else if (at < static_cast<double>(to[kMatchInsert])) {
            do {
                sequence.push_back(residue(hmm.insert[k]));
            } while (random.uniform() < static_cast<double>(to[kInsertInsert]));
        } else {
            in_delete = at < static_cast<double>(to[kMatchInsert]) + static_cast<double>(to[kMatchDelete]);
        }
    }
    return sequence;
}

}  // namespace warpseq::testing
