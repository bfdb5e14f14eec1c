// What a share of the databases holds for a batch of profiles: a plain value that merges with those
// of other shares, and travels (hmm_packet.h).
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

/// A target whose regions are known, not its score.
struct HmmUnscored {
    HmmCandidate candidate;
    HmmRegions regions;
    HmmScoreBound bound;
    std::vector<ResidueCode> residues;  // empty: they have to be read again
};

/// By profile.
struct HmmPartial {
    /// In the order of databases and their inputs, without names, flags and what else
    /// finish_report() fills in. Left out is what cannot be reported: a hit is judged by the
    /// targets before it in the input, which are the same for every share.
    std::vector<std::vector<HmmHit>> hits;
    std::vector<HmmStageCounts> counts;  // what of the share passed which stage; nothing else
    /// The same by sequence, in the order of the input of the one database, where sequences are the
    /// queries (HmmBatch::models_before); else empty. It does not travel.
    std::vector<HmmStageCounts> sequence_counts = {};
    /// Where HmmBatch::most_targets is set, in any order; else empty. It does not travel.
    std::vector<std::vector<HmmUnscored>> unscored = {};

    HmmPartial() = default;
    explicit HmmPartial(std::size_t profiles) : hits(profiles), counts(profiles) {}

    /// Hits found in any order come into theirs.
    void sort();
    /// Adds what another share holds.
    void add(HmmPartial&& other);
};

/// Adds what passed which stage.
void add_counts(std::vector<HmmStageCounts>& counts, const std::vector<HmmStageCounts>& others);

/// Fills in the counts that no share has: those of the whole search.
void set_totals(HmmStageCounts& counts, const ProfileHmm& profile, const DatabaseSet& databases);

}  // namespace warpseq
