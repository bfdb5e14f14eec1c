// Random profiles as odds, and targets that contain matches to them. They are made with additions,
// multiplications and divisions alone, so that every machine gets the same floats.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/statistics/null_model.h"

namespace warpseq::testing {

struct RandomPlan7 {
    ForwardProfile profile;
    std::vector<ResidueCode> consensus;  // the likeliest residue of each node
};

/// Makes a random profile. If `impossible`, some transitions within the model are 0, as files may
/// have them.
inline RandomPlan7 random_plan7(Random& random, int length, bool impossible = false) {
    const auto nodes = static_cast<std::size_t>(length);
    RandomPlan7 made;
    ForwardProfile& profile = made.profile;
    profile.length = length;
    Plan7Profile::Transitions& to = profile.transitions;
    to.enter.assign(nodes, static_cast<float>(2.0 / (length * (length + 1.0))));
    for (auto* kind : {&to.match_match, &to.insert_match, &to.delete_match, &to.match_delete, &to.match_insert,
                       &to.insert_insert, &to.delete_delete}) {
        kind->assign(nodes, 0.0f);
    }
    for (std::size_t at = 0; at + 1 < nodes; ++at) {
        const bool no_delete = impossible && random.below(9) == 0, no_insert = impossible && random.below(9) == 0;
        const double match_delete = no_delete ? 0 : 0.02 + 0.06 * random.uniform();
        const double match_insert = no_insert ? 0 : 0.01 + 0.04 * random.uniform();
        const double insert_insert = no_insert ? 0 : 0.3 + 0.5 * random.uniform();
        const double delete_delete = impossible && random.below(9) == 0 ? 0 : 0.3 + 0.5 * random.uniform();
        to.match_delete[at] = static_cast<float>(match_delete);
        to.match_insert[at] = static_cast<float>(match_insert);
        to.insert_insert[at] = static_cast<float>(insert_insert);
        to.delete_delete[at] = static_cast<float>(delete_delete);
        to.match_match[at + 1] = static_cast<float>(1 - match_delete - match_insert);
        to.insert_match[at + 1] = static_cast<float>(1 - insert_insert);
        to.delete_match[at + 1] = static_cast<float>(1 - delete_delete);
    }
    profile.match.assign(kResidueTableSize * nodes, 0.0f);
    for (std::size_t at = 0; at < nodes; ++at) {
        const auto likeliest = static_cast<ResidueCode>(random.below(kAminoAcids));
        made.consensus.push_back(likeliest);
        const double share = 0.3 + 0.6 * random.uniform();
        for (std::size_t code = 0; code < kResidueTableSize; ++code) {
            double weighted = 0, weights = 0;
            for (std::size_t a = 0; a < kAminoAcids; ++a) {
                if (!(kAminoAcidsOfCode[code] >> a & 1)) continue;
                const auto background = static_cast<double>(kBackgroundFrequencies[a]);
                weighted += background * ((1 - share) + (a == likeliest ? share / background : 0));
                weights += background;
            }
            if (weights > 0) profile.match[code * nodes + at] = static_cast<float>(weighted / weights);
        }
    }
    return made;
}

/// Returns random amino acids, with an X now and then.
inline std::vector<ResidueCode> random_residues(Random& random, std::size_t residues) {
    std::vector<ResidueCode> made(residues);
    for (ResidueCode& code : made)
        code = static_cast<ResidueCode>(random.below(40) == 0 ? kCodeX : random.below(kAminoAcids));
    return made;
}

/// Returns `copies` of the profile's consensus between random residues. The copies are mutated, and
/// residues are left out or inserted here and there.
inline std::vector<ResidueCode> planted_target(Random& random, const RandomPlan7& plan7, std::size_t copies,
                                               std::size_t between_residues) {
    std::vector<ResidueCode> made = random_residues(random, between_residues);
    for (std::size_t copy = 0; copy < copies; ++copy) {
        for (const ResidueCode code : plan7.consensus) {
            const std::uint64_t event = random.below(30);
            if (event == 0) continue;
            if (event == 1) made.push_back(static_cast<ResidueCode>(random.below(kAminoAcids)));
            made.push_back(event < 5 ? static_cast<ResidueCode>(random.below(kAminoAcids)) : code);
        }
        const std::vector<ResidueCode> between = random_residues(random, between_residues);
        made.insert(made.end(), between.begin(), between.end());
    }
    return made;
}

}  // namespace warpseq::testing
