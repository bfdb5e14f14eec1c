// The parts of a profile that results need after the search: its names, and what alignments show of
// it. They take about six bytes per node, while a ProfileHmm and its configured forms take a
// kilobyte per node.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engines/hmm/hmm_hit.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct HmmModel {
    std::string name, accession, description;     // accession and description may be empty
    int length = 0;                               // nodes
    std::string consensus, reference, structure;  // as in ProfileHmm
    std::vector<bool> likely;  // whether a residue's odds in a match state are above 1, at [code * length + node - 1]
    HmmThresholds thresholds;  // if models are the targets: thresholds for their hits

    HmmModel() = default;
    /// Makes a model of a profile. `odds` are the profile's odds.
    HmmModel(const ProfileHmm& hmm, const ForwardProfile& odds, const HmmThresholds& limits = {});

    bool is_likely(ResidueCode code, int node) const {
        return likely[code * static_cast<std::size_t>(length) + static_cast<std::size_t>(node - 1)];
    }
};

}  // namespace warpseq
