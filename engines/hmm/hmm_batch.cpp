#include "engines/hmm/hmm_batch.h"

#include <utility>

namespace warpseq {

HmmTimes& HmmTimes::operator+=(const HmmTimes& other) {
    for (double HmmTimes::*seconds : {&HmmTimes::prepare_seconds, &HmmTimes::read_seconds, &HmmTimes::msv_seconds,
                                      &HmmTimes::viterbi_seconds, &HmmTimes::forward_seconds, &HmmTimes::name_seconds})
        this->*seconds += other.*seconds;
    for (std::uint64_t HmmTimes::*cells :
         {&HmmTimes::msv_cells, &HmmTimes::msv_undecided_cells, &HmmTimes::viterbi_cells, &HmmTimes::forward_cells})
        this->*cells += other.*cells;
    return *this;
}

std::uint64_t HmmBatch::nodes() const {
    std::uint64_t nodes = 0;
    for (const ProfileHmm& profile : profiles) nodes += static_cast<std::uint64_t>(profile.length);
    return nodes;
}

Result<HmmBatch> prepare_batch(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                               const DatabaseSet& databases, const HmmPipelineSettings& settings,
                               const ThreadPool& pool) {
    HmmBatch batch;
    batch.profiles = std::move(profiles);
    batch.thresholds = std::move(thresholds);
    batch.pipelines.resize(batch.size());
    batch.reports.resize(batch.size());
    WARPSEQ_TRY(pool.parallel_for(batch.size(), [&](std::uint64_t p, unsigned) {
        batch.pipelines[p] = std::make_unique<const HmmPipeline>(batch.profiles[p], settings);
        HmmReport& report = batch.reports[p];
        report.thresholds = batch.thresholds[p];
        report.counts.models = 1;
        report.counts.nodes = static_cast<std::uint64_t>(batch.profiles[p].length);
        report.counts.targets = databases.sequence_count();
        report.counts.residues = databases.residue_count();
    }));
    return batch;
}

}  // namespace warpseq
