// What results need to know of a profile once it has been searched with: what it is called, and
// what alignments show of it. About six bytes a node, where a ProfileHmm and its configured forms
// have a kilobyte.
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
    std::string name, accession, description;     // the last two empty: none
    int length = 0;                               // nodes
    std::string consensus, reference, structure;  // as in ProfileHmm
    std::vector<bool> likely;  // residues whose odds in a match state are above 1 [code * length + node - 1]
    HmmThresholds thresholds;  // where models are the targets: what their hits are judged by

    HmmModel() = default;
    /// `odds` are those of `hmm`.
    HmmModel(const ProfileHmm& hmm, const ForwardProfile& odds, const HmmThresholds& limits = {});

    bool is_likely(ResidueCode code, int node) const {
        return likely[code * static_cast<std::size_t>(length) + static_cast<std::size_t>(node - 1)];
    }
};

}  // namespace warpseq
