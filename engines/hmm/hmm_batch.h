// Batches of profiles that are prepared and searched together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_pipeline.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// A batch of prepared profiles. It does not depend on the share of the databases. Vectors are
/// indexed by profile. It may be moved, except while a scan runs; pipelines refer to elements of
/// `profiles`.
struct HmmBatch {
    std::vector<ProfileHmm>
        profiles;  // with statistics; a pressed profile is as in FirstForm, and its HmmPipeline has the whole profile
    std::vector<HmmThresholds> thresholds;
    std::vector<std::unique_ptr<const HmmPipeline>> pipelines;
    std::shared_ptr<const void> pages;  // of pressed files; they are given back with the batch
    /// The number of profiles before those of this batch. Set if the sequences are the queries and
    /// the profiles their targets. Partials then count by sequence, too, and whether a hit is kept
    /// depends on the profiles up to its own.
    std::optional<std::uint64_t> models_before = {};
    /// The number of hits wanted of each profile, the best ones. Set if the caller wants no more.
    /// Unless domZ is given, the caller may then use it only to learn which domains of these hits
    /// it includes. Partials then hold targets that can be scored in place of hits, and finishing
    /// scores those that are needed (hmm_best_targets.h).
    std::optional<std::uint64_t> most_targets = {};

    std::size_t size() const { return profiles.size(); }
    std::uint64_t nodes() const;
};

/// Configures the profiles in parallel. Pressed profiles come with what the first filters need.
/// Returns an error if a profile has no statistics, or if there are not as many thresholds as
/// profiles.
Result<HmmBatch> prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                 const HmmPipelineSettings& settings, const ThreadPool& pool);
/// Does the same for whole profiles.
Result<HmmBatch> prepare_batch(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                               const HmmPipelineSettings& settings, const ThreadPool& pool);

}  // namespace warpseq
