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

/// A batch of prepared profiles. The same batch serves for all shares of the databases. Vectors are
/// indexed by profile. It may be moved, except while a scan runs. The pipelines refer to elements
/// of `profiles`.
struct HmmBatch {
    std::vector<ProfileHmm>
        profiles;  // with statistics; a pressed profile has only what FirstForm has, and its HmmPipeline has the rest
    std::vector<HmmThresholds> thresholds;
    std::vector<std::unique_ptr<const HmmPipeline>> pipelines;
    std::shared_ptr<const void> pages;  // memory pages of pressed files, which are released with the batch
    /// The number of profiles before those of this batch. It is set if the sequences are the
    /// queries and the profiles are their targets. Partials then also count by sequence, and the
    /// decision to keep a hit depends only on the profiles up to that of the hit.
    std::optional<std::uint64_t> models_before = {};
    /// The number of best hits that the caller wants of each profile. If it is set, partials hold
    /// unscored targets in place of hits, and finishing scores only the targets that are needed
    /// (hmm_best_targets.h). Unless domZ is given, the domZ of the report then decides correctly
    /// which domains of these hits are included, but must not be used for anything else.
    std::optional<std::uint64_t> most_targets = {};

    std::size_t size() const { return profiles.size(); }
    std::uint64_t nodes() const;
};

/// Makes a batch and configures its profiles in parallel. Pressed profiles come with the data that
/// the first filters need. Returns an error if a profile has no statistics, or if the numbers of
/// profiles and thresholds differ.
Result<HmmBatch> prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                 const HmmPipelineSettings& settings, const ThreadPool& pool);
/// Does the same for whole profiles.
Result<HmmBatch> prepare_batch(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                               const HmmPipelineSettings& settings, const ThreadPool& pool);

}  // namespace warpseq
