// Profiles that are searched together, prepared.
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

/// The same whatever share of the databases is searched. Vectors are indexed by profile. May be
/// moved, pipelines refer to elements of `profiles`; but not while a scan runs.
struct HmmBatch {
    std::vector<ProfileHmm>
        profiles;  // with statistics; of pressed ones as in FirstForm, and HmmPipeline has the whole
    std::vector<HmmThresholds> thresholds;
    std::vector<std::unique_ptr<const HmmPipeline>> pipelines;
    std::shared_ptr<const void> pages;  // of pressed files, which are given back with the batch
    /// Set where the sequences are the queries and the profiles their targets: how many profiles
    /// there are before these. Partials count by sequence then, too, and whether a hit is kept
    /// depends on the profiles up to its own.
    std::optional<std::uint64_t> models_before = {};
    /// Set where of each profile only so many hits are wanted, the best ones; and of domZ, unless
    /// it is given, only which of their domains it includes. Partials then hold what can be scored
    /// in place of hits, and finishing scores what is needed (hmm_best_targets.h).
    std::optional<std::uint64_t> most_targets = {};

    std::size_t size() const { return profiles.size(); }
    std::uint64_t nodes() const;
};

/// Configures the profiles, in parallel; of pressed ones what the first filters need is there
/// already. An error where one has no statistics, or there are not as many thresholds.
Result<HmmBatch> prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                 const HmmPipelineSettings& settings, const ThreadPool& pool);
Result<HmmBatch> prepare_batch(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                               const HmmPipelineSettings& settings, const ThreadPool& pool);

}  // namespace warpseq
