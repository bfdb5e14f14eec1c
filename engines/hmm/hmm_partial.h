// The partial of a profile search: the result of scanning a share of the databases for a batch of
// profiles. Partials of several shares are merged, and packets carry them between processes
// (hmm_packet.h).
#pragma once

#include <cstddef>
#include <vector>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_pipeline.h"
#include "engines/hmm/hmm_score_bound.h"
#include "engines/targets/database_set.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// An unscored target: its regions are known, but not its score.
struct HmmUnscored {
    HmmCandidate candidate;
    HmmRegions regions;
    HmmScoreBound bound;
    std::vector<ResidueCode> residues;  // empty: they have to be read from the database again
};

/// A partial. Its vectors are indexed by profile.
struct HmmPartial {
    /// Hits in the order of databases and their inputs, without names, flags and everything else
    /// that finish_report() sets. Hits that cannot be reported are left out. If Z is not given, the
    /// number of targets in the input up to the hit's own serves as Z, which is the same for every
    /// share.
    std::vector<std::vector<HmmHit>> hits;
    std::vector<HmmStageCounts> counts;  // only the numbers of the share's targets that passed each stage
    /// The same counts by sequence, in the order of the input of the only database. Empty unless
    /// the sequences are the queries (HmmBatch::models_before). Packets leave them out.
    std::vector<HmmStageCounts> sequence_counts = {};
    /// Unscored targets, in any order. Empty unless HmmBatch::most_targets is set. Packets leave
    /// them out.
    std::vector<std::vector<HmmUnscored>> unscored = {};

    HmmPartial() = default;
    explicit HmmPartial(std::size_t profiles) : hits(profiles), counts(profiles) {}

    /// Sorts the hits, which may be in any order.
    void sort();
    /// Adds the partial of another share.
    void add(HmmPartial&& other);
};

/// Adds the numbers of targets that passed each stage to `counts`.
void add_counts(std::vector<HmmStageCounts>& counts, const std::vector<HmmStageCounts>& others);

/// Sets the counts that belong to the whole search and not to a share.
void set_totals(HmmStageCounts& counts, const ProfileHmm& profile, const DatabaseSet& databases);

}  // namespace warpseq
