// The partial results of a profile search: what a share of the databases holds for a batch of
// profiles. A partial is a plain value. It merges with those of other shares and travels between
// processes (hmm_packet.h).
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

/// A target whose regions are known, but not its score.
struct HmmUnscored {
    HmmCandidate candidate;
    HmmRegions regions;
    HmmScoreBound bound;
    std::vector<ResidueCode> residues;  // empty: they have to be read again
};

/// A partial. Its vectors are indexed by profile.
struct HmmPartial {
    /// Hits in the order of databases and their inputs, without names, flags and what else
    /// finish_report() fills in. Hits that cannot be reported are left out. A hit is judged by the
    /// targets before it in the input, which are the same for every share.
    std::vector<std::vector<HmmHit>> hits;
    std::vector<HmmStageCounts> counts;  // only how many targets of the share passed each stage
    /// The same counts by sequence, in the order of the input of the one database. Empty unless
    /// sequences are the queries (HmmBatch::models_before). Packets leave them out.
    std::vector<HmmStageCounts> sequence_counts = {};
    /// Targets without a score, in any order. Empty unless HmmBatch::most_targets is set. Packets
    /// leave them out.
    std::vector<std::vector<HmmUnscored>> unscored = {};

    HmmPartial() = default;
    explicit HmmPartial(std::size_t profiles) : hits(profiles), counts(profiles) {}

    /// Sorts hits, which may have been found in any order.
    void sort();
    /// Adds the partial of another share.
    void add(HmmPartial&& other);
};

/// Adds the numbers of targets that passed each stage.
void add_counts(std::vector<HmmStageCounts>& counts, const std::vector<HmmStageCounts>& others);

/// Fills in the counts of the whole search, which no share has.
void set_totals(HmmStageCounts& counts, const ProfileHmm& profile, const DatabaseSet& databases);

}  // namespace warpseq
