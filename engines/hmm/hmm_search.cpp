#include "engines/hmm/hmm_search.h"

#include <utility>

#include "engines/hmm/hmm_cpu_filter.h"
#include "engines/targets/chunk.h"
#include "libcore/base/clock.h"

namespace warpseq {
HmmSearch::HmmSearch(const DatabaseSet& databases, const HmmSearchSettings& settings, const ThreadPool& pool)
    : databases_(databases),
      settings_(settings),
      pool_(pool),
      finisher_(databases, settings_.pipeline, settings_.targets_z, pool) {}

Result<HmmBatch> HmmSearch::prepare(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds) {
    const auto start = Clock::now();
    auto batch = prepare_batch(std::move(profiles), std::move(thresholds), databases_, settings_.pipeline, pool_);
    if (batch.ok()) batch->times.prepare_seconds += seconds_since(start);
    return batch;
}

Status HmmSearch::search(HmmBatch& batch, Progress& progress) {
    auto start = Clock::now();
    HmmCpuFilter filter(batch, settings_.pipeline, pool_);
    batch.times.prepare_seconds += seconds_since(start);
    HmmCandidates candidates;
    std::uint64_t residues_done = 0;
    for (const Chunk& chunk : cut_chunks(databases_, settings_.chunk_bytes)) {
        start = Clock::now();
        WARPSEQ_TRY(chunk_reader_.read(databases_.reader(chunk.database), chunk, pool_));
        const std::vector<TileView>& tiles = chunk_reader_.tiles();
        batch.times.read_seconds += seconds_since(start);
        start = Clock::now();
        WARPSEQ_TRY(filter.filter(chunk, tiles, candidates));
        batch.times.msv_seconds += seconds_since(start);
        const TargetsInTiles targets(tiles);
        WARPSEQ_TRY(finisher_.filter_by_viterbi(batch, targets, candidates));
        WARPSEQ_TRY(finisher_.find_hits(batch, targets, candidates));
        residues_done += chunk.residues;
        progress.update(residues_done * batch.nodes());
    }
    batch.times.msv_cells += filter.cells();
    batch.times.msv_undecided_cells += filter.undecided_cells();
    return finisher_.name_hits(batch);
}

Status HmmSearch::finish(HmmBatch& batch, HmmFiltered filtered) {
    WARPSEQ_TRY(finisher_.finish(batch, std::move(filtered)));
    return finisher_.name_hits(batch);
}

}  // namespace warpseq
