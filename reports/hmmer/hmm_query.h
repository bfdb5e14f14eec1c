// HmmQuery: a query as reports of a profile search show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_model.h"
#include "engines/hmm/hmm_sequence_batch.h"

namespace warpseq {

/// A query. It is a profile, or a sequence from which a profile was made, and all hits are aligned
/// with that profile. Or it is a sequence in which models were sought, and each hit has a model of
/// its own.
struct HmmQuery {
    std::string name, accession, description;  // accession and description are empty if there are none
    std::uint64_t length = 0;                  // in nodes or residues
    bool is_of_one_sequence = false;           // whether a profile was built from one sequence
    std::shared_ptr<const HmmModel> model = {};

    HmmQuery() = default;
    /// Makes a query for the lines about it alone, to which no hit can be aligned.
    explicit HmmQuery(const ProfileHmm& hmm)
        : name(hmm.name),
          accession(hmm.accession),
          description(hmm.description),
          length(static_cast<std::uint64_t>(hmm.length)),
          is_of_one_sequence(hmm.sequences == 1) {}
    /// Makes the query of a profile. `odds` has been made of `hmm`.
    HmmQuery(const ProfileHmm& hmm, const ForwardProfile& odds) : HmmQuery(hmm) {
        model = std::make_shared<const HmmModel>(hmm, odds);
    }

    /// Makes the query of a sequence in which models were sought.
    HmmQuery(const HmmSequenceBatch& batch, std::size_t sequence)
        : name(batch.titles[sequence].name),
          accession(batch.titles[sequence].accession),
          description(batch.titles[sequence].description),
          length(batch.residues[sequence]) {}

    /// Returns the model that a hit is aligned with.
    const HmmModel& model_of(const HmmHit& hit) const { return hit.model ? *hit.model : *model; }
    /// Returns the length of a hit's target, in nodes or residues.
    std::uint64_t target_length(const HmmHit& hit) const {
        return hit.model ? static_cast<std::uint64_t>(hit.model->length) : hit.target_residues;
    }
};

}  // namespace warpseq
