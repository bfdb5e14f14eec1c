// Profiles that are searched together, from their preparation to their reports, and what filters leave of the targets.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_pipeline.h"
#include "engines/targets/database_set.h"
#include "libcore/base/thread_pool.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Where the time of a search went, for --stats. Seconds are of wall time, summed over chunks; cells are model length times
/// residues.
struct HmmTimes {
    double prepare_seconds = 0, read_seconds = 0;
    double msv_seconds = 0, viterbi_seconds = 0, forward_seconds = 0, name_seconds = 0;
    std::uint64_t msv_cells = 0, msv_undecided_cells = 0, viterbi_cells = 0, forward_cells = 0;

    HmmTimes& operator+=(const HmmTimes& other);
};

/// Vectors are indexed by profile. May be moved: pipelines refer to elements of `profiles`.
struct HmmBatch {
    std::vector<ProfileHmm> profiles;  // with statistics
    std::vector<HmmThresholds> thresholds;
    std::vector<std::unique_ptr<const HmmPipeline>> pipelines;
    /// Hits unsorted and not judged, except that hits that cannot be reported are left out; names filled in at the end.
    std::vector<HmmReport> reports;
    HmmTimes times;

    std::size_t size() const { return profiles.size(); }
    std::uint64_t nodes() const;
};

/// Configures the profiles, in parallel; reports are empty but for the sizes of what is searched.
Result<HmmBatch> prepare_batch(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                               const DatabaseSet& databases, const HmmPipelineSettings& settings,
                               const ThreadPool& pool);

/// By profile; those of one profile in the order of databases and ranks, so that neighbours are of like length.
using HmmCandidates = std::vector<std::vector<HmmCandidate>>;

/// A target that a device has not rejected.
struct HmmSurvivor {
    std::uint32_t profile;
    std::uint32_t database;
    std::uint64_t rank;
    std::int16_t msv;  // the MSV filter's result
    bool settled;      // the device has decided and counted everything up to Viterbi; else everything after MSV is open
};

/// What a device has left of a batch.
struct HmmFiltered {
    std::vector<HmmSurvivor> survivors;  // in any order
    std::vector<HmmStageCounts> counts;  // by profile: what passed which filter, as far as the device has decided it
};

}  // namespace warpseq
