// Computes the Viterbi filter's recurrence for one domain at a time, literally. Tests compare the
// GPU's Viterbi unihit kernel with it: which targets it can decide, and which it must leave.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq::testing {

/// The result for one domain.
struct SingleDomain {
    int best = 0;                     // the highest match score M
    std::size_t first_exceeding = 0;  // the first residue at which M exceeds `harmless`, or target.size()
};

/// Returns the highest M of one domain within target[begin..], without saturation. The target's
/// length is that of all its residues.
inline SingleDomain best_single_domain(const ViterbiProfile& profile, std::span<const ResidueCode> target,
                                       std::size_t begin, int harmless) {
    constexpr int kNever = -10'000'000;
    const auto length = static_cast<std::size_t>(profile.length);
    const ViterbiProfile::Transitions& to = profile.transitions;
    const auto cost = [](std::int16_t score) { return score == ViterbiProfile::kMinusInfinity ? kNever : int{score}; };
    const int xb = ViterbiProfile::kBase + ViterbiProfile::move(target.size());
    std::vector<int> match(length + 1, kNever), insert = match, del = match;
    SingleDomain found{kNever, target.size()};
    for (std::size_t i = begin; i < target.size(); ++i) {
        const std::vector<int> match_above = match, insert_above = insert, delete_above = del;
        for (std::size_t k = 1; k <= length; ++k) {
            const int before = std::max({xb + cost(to.enter[k - 1]), match_above[k - 1] + cost(to.match_match[k - 1]),
                                         insert_above[k - 1] + cost(to.insert_match[k - 1]),
                                         delete_above[k - 1] + cost(to.delete_match[k - 1])});
            match[k] = std::max(kNever, before + cost(profile.match[target[i] * length + k - 1]));
            if (k > 1)
                del[k] = std::max(
                    {kNever, match[k - 1] + cost(to.match_delete[k - 2]), del[k - 1] + cost(to.delete_delete[k - 2])});
            insert[k] = std::max({kNever, match_above[k] + cost(to.match_insert[k - 1]),
                                  insert_above[k] + cost(to.insert_insert[k - 1])});
            found.best = std::max(found.best, match[k]);
        }
        if (found.best > harmless && found.first_exceeding == target.size()) found.first_exceeding = i;
    }
    return found;
}

}  // namespace warpseq::testing
