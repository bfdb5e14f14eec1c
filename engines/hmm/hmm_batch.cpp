#include "engines/hmm/hmm_batch.h"

#include <utility>

namespace warpseq {

std::uint64_t HmmBatch::nodes() const {
    std::uint64_t nodes = 0;
    for (const ProfileHmm& profile : profiles) nodes += static_cast<std::uint64_t>(profile.length);
    return nodes;
}

Result<HmmBatch> prepare_batch(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                               const HmmPipelineSettings& settings, const ThreadPool& pool) {
    if (profiles.size() != thresholds.size())
        return Status::invalid_input("there are " + std::to_string(profiles.size()) + " profiles and thresholds for " +
                                     std::to_string(thresholds.size()));
    for (const ProfileHmm& profile : profiles) {
        if (!profile.statistics)
            return Status::invalid_input("profile " + profile.name + " has no statistics; it has to be calibrated");
    }
    HmmBatch batch;
    batch.profiles = std::move(profiles);
    batch.thresholds = std::move(thresholds);
    batch.pipelines.resize(batch.size());
    WARPSEQ_TRY(pool.parallel_for(batch.size(), [&](std::uint64_t p, unsigned) {
        batch.pipelines[p] = std::make_unique<const HmmPipeline>(batch.profiles[p], settings);
    }));
    return batch;
}

}  // namespace warpseq
