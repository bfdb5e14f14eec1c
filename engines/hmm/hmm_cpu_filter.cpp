#include "engines/hmm/hmm_cpu_filter.h"

#include <algorithm>

#include "engines/targets/chunk_reader.h"

namespace warpseq {
namespace {

/// Consecutive tiles that the MSV filter takes in one call. A linear tile stands alone.
constexpr std::size_t kTilesPerGroup = 8, kLongTilesPerGroup = 2;
constexpr std::uint64_t kLongTileResidues = 2048;
/// Nodes of the profiles that share a filter. Filters are made in parallel.
constexpr std::uint64_t kNodesPerPart = 2048;
/// Fewest groups of tiles for each thread at which a group is one piece of work. With fewer, as
/// with a few thousand targets, each part of the profiles is a piece of work. Otherwise the longest
/// targets would keep one thread busy long after the others.
constexpr std::size_t kGroupsPerThread = 8;

/// The MSV result at which the search for the least passing one begins: base and some.
constexpr int kUsualLowestMsv = MsvProfile::kBase;

std::size_t lanes_of(std::span<const TileView> tiles) {
    std::size_t lanes = 0;
    for (const TileView& tile : tiles) lanes += tile.lanes();
    return lanes;
}

void unpack(const TileView& tile, std::uint32_t lane, std::vector<ResidueCode>& residues) {
    residues.resize(tile.lengths_residues[lane]);
    unpack_lane(tile, lane, residues.data());
}

}  // namespace

std::span<const ResidueCode> TargetsInTiles::residues(const HmmCandidate& candidate,
                                                      std::vector<ResidueCode>& buffer) const {
    const auto after = std::ranges::upper_bound(tiles_, candidate.rank, {}, &TileView::first_sequence);
    const TileView& tile = *(after - 1);
    const auto lane = static_cast<std::uint32_t>(candidate.rank - tile.first_sequence);
    if (tile.lengths_residues[lane] < kLongTargetResidues) {
        unpack(tile, lane, buffer);
        return buffer;
    }
    const std::scoped_lock lock(mutex_);
    std::vector<ResidueCode>& shared = long_targets_[candidate.rank];
    if (shared.empty()) unpack(tile, lane, shared);
    return shared;
}

Result<HmmCpuFilter> HmmCpuFilter::create(HmmScan& scan, const DatabaseSet& databases,
                                          const HmmPipelineSettings& settings) {
    HmmCpuFilter filter(scan, databases, settings);
    const HmmBatch& batch = scan.batch;
    for (std::size_t first = 0, end; first < batch.size(); first = end) {
        std::uint64_t nodes = 0;
        for (end = first; end < batch.size(); ++end) {
            nodes += static_cast<std::uint64_t>(batch.profiles[end].length);
            if (end > first && nodes > kNodesPerPart) break;
        }
        filter.parts_.push_back({first, end - first, nullptr});
    }
    WARPSEQ_TRY(scan.pool.parallel_for(filter.parts_.size(), [&](std::uint64_t i, unsigned) {
        Part& part = filter.parts_[i];
        std::vector<MsvProfile> profiles;
        for (std::size_t p = part.first; p < part.first + part.count; ++p)
            profiles.push_back(batch.pipelines[p]->msv_profile());
        part.msv = make_msv_filter(settings.backend, profiles);
    }));
    for (Thread& thread : filter.threads_) {
        thread.msv = filter.parts_.front().msv->make_workspace();
        thread.msv->stop = scan.stop;
        thread.candidates.resize(batch.size());
        thread.counts.resize(batch.size());
        thread.lowest_msv.assign(batch.size(), {0, kUsualLowestMsv});
    }
    return filter;
}

Status HmmCpuFilter::filter(const ChunkGroup& chunks, std::span<const TileView> tiles, HmmCandidates& candidates) {
    const HmmBatch& batch = scan_.batch;
    const std::uint64_t nodes = batch.nodes();
    // The first sequence is the longest.
    const bool is_long = !tiles.empty() && tiles.front().lengths_residues.front() >= kLongTileResidues;
    const std::vector<TileGroup> groups = group_tiles(tiles, is_long ? kLongTilesPerGroup : kTilesPerGroup);
    const auto tiles_of = [&](std::uint64_t g) { return tiles.subspan(groups[g].first, groups[g].count); };
    // Computes the results of a part of the profiles for a group, [profile of the batch * lanes +
    // lane].
    const auto score = [&](const Part& part, std::uint64_t g, Thread& thread, std::vector<std::int16_t>& results) {
        const std::size_t lanes = lanes_of(tiles_of(g));
        part.msv->score(tiles_of(g), *thread.msv, std::span(results).subspan(part.first * lanes, part.count * lanes));
        return scan_.stop.stop_requested() ? Status::interrupted() : Status();
    };
    const bool by_parts = filters_ && parts_.size() > 1 && groups.size() < kGroupsPerThread * threads_.size();
    std::vector<std::vector<std::int16_t>> results_by_group(by_parts ? groups.size() : 0);
    for (std::size_t g = 0; g < results_by_group.size(); ++g)
        results_by_group[g].resize(batch.size() * lanes_of(tiles_of(g)));
    WARPSEQ_TRY(scan_.pool.parallel_for(results_by_group.size() * parts_.size(), [&](std::uint64_t item, unsigned t) {
        const std::uint64_t g = item / parts_.size();  // long targets first
        return score(parts_[item % parts_.size()], g, threads_[t], results_by_group[g]);
    }));
    WARPSEQ_TRY(scan_.pool.parallel_for(groups.size(), [&](std::uint64_t g, unsigned t) -> Status {
        Thread& thread = threads_[t];
        const auto group = tiles_of(g);
        const std::size_t lanes = lanes_of(group);
        if (!by_parts) {
            thread.results.assign(batch.size() * lanes, 0);
            for (const Part& part : parts_) {
                if (filters_) WARPSEQ_TRY(score(part, g, thread, thread.results));
            }
        }
        const std::vector<std::int16_t>& results = by_parts ? results_by_group[g] : thread.results;
        scan_.units_done.add(HmmScan::kFilterUnits * residues_of(group) * nodes);

        std::size_t lane_of_group = 0;
        const TargetMembers* const searched = databases_.searched(chunks.database);
        for (const TileView& tile : group) {
            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane, ++lane_of_group) {
                const std::uint64_t length = tile.lengths_residues[lane];
                if (length == 0) continue;
                if (searched != nullptr && !searched->has(tile.first_sequence + lane)) continue;
                if (scan_.stop.stop_requested()) return Status::interrupted();
                bool unpacked = false;
                const HmmTargetLength target_length(length);
                // A sequence is in one tile, and only one thread works on a tile.
                HmmStageCounts* of_sequence = scan_.counts_of(databases_, static_cast<std::uint32_t>(chunks.database),
                                                              tile.first_sequence + lane);
                for (std::size_t p = 0; p < batch.size(); ++p) {
                    const HmmPipeline& pipeline = *batch.pipelines[p];
                    const std::int16_t result = results[p * lanes + lane_of_group];
                    if (filters_) {
                        auto& [known_length, lowest] = thread.lowest_msv[p];
                        if (known_length != length) {
                            known_length = length;
                            lowest = pipeline.lowest_passing_msv(target_length, lowest);
                        }
                        if (result < lowest) continue;
                    }
                    if (scan_.stop.stop_requested()) return Status::interrupted();
                    if (!unpacked) unpack(tile, lane, thread.residues);
                    unpacked = true;
                    HmmCandidate candidate;
                    candidate.database = static_cast<std::uint32_t>(chunks.database);
                    candidate.rank = tile.first_sequence + lane;
                    bool passed_msv = false;
                    const bool passed = pipeline.passes_msv_and_bias(result, thread.residues, candidate, passed_msv);
                    thread.counts[p].passed_msv += passed_msv;
                    if (of_sequence != nullptr) of_sequence->passed_msv += passed_msv;
                    if (!passed) continue;
                    ++thread.counts[p].passed_bias;
                    if (of_sequence != nullptr) ++of_sequence->passed_bias;
                    thread.candidates[p].push_back(candidate);
                }
                if (length >= kLongTargetResidues) thread.residues = std::vector<ResidueCode>();
            }
        }
        return {};
    }));
    candidates.resize(batch.size());
    for (std::size_t p = 0; p < batch.size(); ++p) {
        candidates[p].clear();
        for (Thread& thread : threads_) {
            candidates[p].insert(candidates[p].end(), thread.candidates[p].begin(), thread.candidates[p].end());
            thread.candidates[p].clear();
            scan_.partial.counts[p].passed_msv += thread.counts[p].passed_msv;
            scan_.partial.counts[p].passed_bias += thread.counts[p].passed_bias;
            thread.counts[p] = {};
        }
        std::ranges::sort(candidates[p], {}, &HmmCandidate::rank);
    }
    return {};
}

std::uint64_t HmmCpuFilter::cells() const {
    std::uint64_t cells = 0;
    for (const Thread& thread : threads_) cells += thread.msv->cells;
    return cells;
}

std::uint64_t HmmCpuFilter::undecided_cells() const {
    std::uint64_t cells = 0;
    for (const Thread& thread : threads_) cells += thread.msv->undecided_cells;
    return cells;
}

}  // namespace warpseq
