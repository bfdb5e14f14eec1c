// What a report of a profile search says of a query.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_model.h"

namespace warpseq {

/// A profile, or a sequence that a profile was made of, which all hits are aligned with; or a
/// sequence that models were sought in, each hit of which has its own.
struct HmmQuery {
    std::string name, accession, description;  // the last two empty: none
    std::uint64_t length = 0;                  // nodes or residues
    std::shared_ptr<const HmmModel> model = {};

    HmmQuery() = default;
    /// `odds` are those of `hmm`.
    HmmQuery(const ProfileHmm& hmm, const ForwardProfile& odds)
        : name(hmm.name),
          accession(hmm.accession),
          description(hmm.description),
          length(static_cast<std::uint64_t>(hmm.length)),
          model(std::make_shared<const HmmModel>(hmm, odds)) {}

    const HmmModel& model_of(const HmmHit& hit) const { return hit.model ? *hit.model : *model; }
    /// Nodes or residues of a hit's target.
    std::uint64_t target_length(const HmmHit& hit) const {
        return hit.model ? static_cast<std::uint64_t>(hit.model->length) : hit.target_residues;
    }
};

}  // namespace warpseq
