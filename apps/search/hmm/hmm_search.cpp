#include "apps/search/hmm/hmm_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "apps/search/chunk.h"
#include "formats/fasta.h"
#include "kernels/msv_filter.h"
#include "libcore/extreme_value.h"

namespace warpseq {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Consecutive tiles that the MSV filter takes in one call; a linear tile stands alone.
constexpr std::size_t kTilesPerGroup = 8;
/// Survivors of one profile that one thread takes at once when there are many: as many as fill the kernels' lanes with targets of
/// like length. When there are few, tasks are cut smaller, so that threads finish together.
constexpr std::size_t kTasksPerThread = 6;
constexpr std::size_t kLeastSurvivorsPerTask = 32;
constexpr std::size_t kForwardSurvivorsPerTask = 64;
/// A task's special states take 48 bytes a residue.
constexpr std::uint64_t kResiduesPerTask = 1 << 20;

std::uint64_t residues_of(std::span<const TileView> tiles, const HmmCandidate& candidate) {
    return tiles[candidate.tile].lengths_residues[candidate.lane];
}

void unpack(std::span<const TileView> tiles, const HmmCandidate& candidate, std::vector<ResidueCode>& residues) {
    residues.resize(residues_of(tiles, candidate));
    unpack_lane(tiles[candidate.tile], candidate.lane, residues.data());
}

/// Whether a hit is kept: by its score, or its E-value with the targets up to it in the order of the input. That is how HMMER, which
/// reads targets in that order, keeps hits; those that the final Z then rejects still widen the columns of its tables.
bool is_kept(const HmmHit& hit, const HmmThresholds& thresholds, double targets_so_far) {
    return thresholds.by_evalue ? evalue_of(hit.log_pvalue, targets_so_far) <= thresholds.evalue
                                : static_cast<double>(hit.score_bits) >= thresholds.bits;
}

/// Calls work(index, thread) as ThreadPool::parallel_for does. Memory that runs out in it is the result, not the end.
template <typename Work>
Status run_tasks(ThreadPool& pool, std::uint64_t count, const Work& work) {
    FirstError error;
    pool.parallel_for(count, [&](std::uint64_t index, unsigned thread) {
        try {
            work(index, thread);
        } catch (const std::bad_alloc&) {
            error.set(index, Status::unavailable("out of memory: a long target needs about 8 bytes for each of its residues times "
                                                 "the profile's nodes on each thread; use fewer --threads"));
        }
    });
    return error.status();
}

}  // namespace

/// A run of survivors of one profile.
struct HmmSearch::Survivor {
    std::size_t profile;
    std::size_t first, count;  // in Batch::candidates[profile]
};

struct HmmSearch::Batch {
    struct Thread {
        std::unique_ptr<MsvFilter::Workspace> msv;
        std::unique_ptr<ViterbiFilter::Workspace> viterbi;
        std::unique_ptr<ForwardBackward::Workspace> forward;
        std::vector<std::int16_t> results;
        std::vector<std::vector<HmmCandidate>> candidates;  // by profile
        std::vector<HmmStageCounts> counts;                 // by profile
        std::vector<std::vector<ResidueCode>> residues;
        std::vector<std::pair<std::uint64_t, int>> lowest_msv;  // by profile: target length, least result that passes
        std::uint64_t viterbi_cells = 0, forward_cells = 0;
    };

    std::vector<std::unique_ptr<HmmPipeline>> pipelines;
    std::unique_ptr<MsvFilter> msv;
    std::span<const HmmThresholds> thresholds;
    std::optional<double> targets_z;
    std::vector<HmmReport> reports;
    std::vector<Thread> threads;
    std::vector<std::vector<HmmCandidate>> candidates;  // by profile, in the order of tiles and lanes: by falling length

    /// Runs of at most `most` candidates, and of `least` where there are few, the longest work first.
    std::vector<Survivor> cut_tasks(std::span<const TileView> tiles, std::size_t least, std::size_t most) const {
        std::size_t all = 0;
        for (const auto& each : candidates) all += each.size();
        const std::size_t per_task = std::clamp(all / (kTasksPerThread * threads.size()), least, most);
        std::vector<Survivor> tasks;
        std::vector<std::uint64_t> cells;
        for (std::size_t p = 0; p < candidates.size(); ++p) {
            for (std::size_t first = 0, end; first < candidates[p].size(); first = end) {
                std::uint64_t residues = 0;
                for (end = first; end < candidates[p].size() && end < first + per_task; ++end) {
                    const std::uint64_t more = residues_of(tiles, candidates[p][end]);
                    if (end > first && residues + more > kResiduesPerTask) break;
                    residues += more;
                }
                tasks.push_back({p, first, end - first});
                cells.push_back(residues * static_cast<std::uint64_t>(pipelines[p]->hmm().length));
            }
        }
        std::vector<std::size_t> order(tasks.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::ranges::greater(), [&cells](std::size_t task) { return cells[task]; });
        std::vector<Survivor> sorted;
        for (const std::size_t task : order) sorted.push_back(tasks[task]);
        return sorted;
    }
};

HmmSearch::HmmSearch(const DatabaseSet& databases, const HmmSearchSettings& settings, ThreadPool& pool)
    : databases_(databases), settings_(settings), pool_(pool) {}

Result<std::vector<HmmReport>> HmmSearch::search(std::span<const ProfileHmm> profiles,
                                                 std::span<const HmmThresholds> thresholds,
                                                 std::optional<double> targets_z, Progress& progress) {
    auto start = Clock::now();
    Batch batch;
    batch.thresholds = thresholds;
    batch.targets_z = targets_z;
    batch.pipelines.resize(profiles.size());
    batch.reports.resize(profiles.size());
    batch.candidates.resize(profiles.size());
    pool_.parallel_for(profiles.size(), [&](std::uint64_t p, unsigned) {
        batch.pipelines[p] = std::make_unique<HmmPipeline>(profiles[p], settings_.pipeline);
        HmmReport& report = batch.reports[p];
        report.thresholds = thresholds[p];
        report.counts.models = 1;
        report.counts.nodes = static_cast<std::uint64_t>(profiles[p].length);
        report.counts.targets = databases_.sequence_count();
        report.counts.residues = databases_.residue_count();
    });
    std::vector<MsvProfile> msv_profiles;
    for (const auto& pipeline : batch.pipelines) msv_profiles.push_back(pipeline->msv_profile());
    batch.msv = make_msv_filter(settings_.pipeline.backend, msv_profiles);
    batch.threads.resize(pool_.threads());
    for (Batch::Thread& thread : batch.threads) {
        thread.msv = batch.msv->make_workspace();
        thread.viterbi = batch.pipelines.front()->viterbi_filter().make_workspace();
        thread.forward = batch.pipelines.front()->forward_backward().make_workspace();
        thread.candidates.resize(profiles.size());
        thread.counts.resize(profiles.size());
        thread.lowest_msv.assign(profiles.size(), {0, 0});
    }
    times_.prepare_seconds += seconds_since(start);

    std::uint64_t nodes = 0, residues_done = 0;
    for (const ProfileHmm& profile : profiles) nodes += static_cast<std::uint64_t>(profile.length);
    for (const Chunk& chunk : cut_chunks(databases_, settings_.chunk_bytes)) {
        WARPSEQ_TRY(search_chunk(chunk, batch));
        residues_done += chunk.residues;
        progress.update(residues_done * nodes);
    }
    for (const Batch::Thread& thread : batch.threads) {
        times_.msv_cells += thread.msv->cells;
        times_.msv_undecided_cells += thread.msv->undecided_cells;
        times_.viterbi_cells += thread.viterbi_cells;
        times_.forward_cells += thread.forward_cells;
        for (std::size_t p = 0; p < profiles.size(); ++p) {
            HmmStageCounts& counts = batch.reports[p].counts;
            counts.passed_msv += thread.counts[p].passed_msv;
            counts.passed_bias += thread.counts[p].passed_bias;
            counts.passed_viterbi += thread.counts[p].passed_viterbi;
            counts.passed_forward += thread.counts[p].passed_forward;
        }
    }
    WARPSEQ_TRY(name_hits(batch));
    return std::move(batch.reports);
}

Status HmmSearch::search_chunk(const Chunk& chunk, Batch& batch) {
    auto start = Clock::now();
    const auto lap = [&start](double& seconds) {
        seconds += seconds_since(start);
        start = Clock::now();
    };
    WARPSEQ_TRY(chunk_reader_.read(databases_.reader(chunk.database), chunk, pool_));
    const std::vector<TileView>& tiles = chunk_reader_.tiles();
    lap(times_.read_seconds);
    WARPSEQ_TRY(filter_tiles(tiles, batch));
    lap(times_.msv_seconds);
    WARPSEQ_TRY(filter_survivors(tiles, batch));
    lap(times_.viterbi_seconds);
    WARPSEQ_TRY(finish_survivors(chunk, tiles, batch));
    lap(times_.forward_seconds);
    return {};
}

Status HmmSearch::filter_tiles(std::span<const TileView> tiles, Batch& batch) {
    const std::vector<TileGroup> groups = group_tiles(tiles, kTilesPerGroup);
    const bool filters = !settings_.pipeline.max;
    WARPSEQ_TRY(run_tasks(pool_, groups.size(), [&](std::uint64_t g, unsigned t) {
        Batch::Thread& thread = batch.threads[t];
        const auto group = tiles.subspan(groups[g].first, groups[g].count);
        std::size_t lanes = 0;
        for (const TileView& tile : group) lanes += tile.lanes();
        thread.results.assign(batch.pipelines.size() * lanes, 0);
        if (filters) batch.msv->score(group, *thread.msv, thread.results);

        thread.residues.resize(std::max<std::size_t>(thread.residues.size(), 1));
        std::vector<ResidueCode>& residues = thread.residues[0];
        std::size_t lane_of_group = 0;
        for (std::size_t tile = 0; tile < group.size(); ++tile) {
            for (std::uint32_t lane = 0; lane < group[tile].lanes(); ++lane, ++lane_of_group) {
                const std::uint64_t length = group[tile].lengths_residues[lane];
                if (length == 0) continue;
                bool unpacked = false;
                for (std::size_t p = 0; p < batch.pipelines.size(); ++p) {
                    const HmmPipeline& pipeline = *batch.pipelines[p];
                    const std::int16_t result = thread.results[p * lanes + lane_of_group];
                    if (filters) {
                        auto& [known_length, lowest] = thread.lowest_msv[p];
                        if (known_length != length) {
                            known_length = length;
                            lowest = pipeline.lowest_passing_msv(length);
                        }
                        if (result < lowest) continue;
                    }
                    HmmCandidate candidate{groups[g].first + tile, lane};
                    if (!unpacked) unpack(tiles, candidate, residues);
                    unpacked = true;
                    bool passed_msv = false;
                    const bool passed = pipeline.passes_msv_and_bias(result, residues, candidate, passed_msv);
                    thread.counts[p].passed_msv += passed_msv;
                    if (!passed) continue;
                    ++thread.counts[p].passed_bias;
                    thread.candidates[p].push_back(candidate);
                }
            }
        }
    }));
    for (std::size_t p = 0; p < batch.pipelines.size(); ++p) {
        std::vector<HmmCandidate>& candidates = batch.candidates[p];
        candidates.clear();
        for (Batch::Thread& thread : batch.threads) {
            candidates.insert(candidates.end(), thread.candidates[p].begin(), thread.candidates[p].end());
            thread.candidates[p].clear();
        }
        std::ranges::sort(candidates, {}, [](const HmmCandidate& c) { return std::pair(c.tile, c.lane); });
    }
    return {};
}

Status HmmSearch::filter_survivors(std::span<const TileView> tiles, Batch& batch) {
    const std::size_t most =
        std::max(kLeastSurvivorsPerTask, batch.pipelines.front()->viterbi_filter().preferred_targets());
    const std::vector<Survivor> tasks = batch.cut_tasks(tiles, kLeastSurvivorsPerTask, most);
    std::vector<std::vector<char>> passed(batch.pipelines.size());
    for (std::size_t p = 0; p < passed.size(); ++p) passed[p].assign(batch.candidates[p].size(), 1);
    WARPSEQ_TRY(run_tasks(pool_, tasks.size(), [&](std::uint64_t i, unsigned t) {
        Batch::Thread& thread = batch.threads[t];
        const Survivor& task = tasks[i];
        const HmmPipeline& pipeline = *batch.pipelines[task.profile];
        thread.residues.resize(std::max(thread.residues.size(), task.count));
        std::vector<std::span<const ResidueCode>> targets;
        std::vector<std::size_t> asked;
        for (std::size_t c = task.first; c < task.first + task.count; ++c) {
            const HmmCandidate& candidate = batch.candidates[task.profile][c];
            if (!pipeline.needs_viterbi(candidate)) continue;
            std::vector<ResidueCode>& residues = thread.residues[targets.size()];
            unpack(tiles, candidate, residues);
            targets.emplace_back(residues);
            asked.push_back(c);
            thread.viterbi_cells += residues.size() * static_cast<std::uint64_t>(pipeline.hmm().length);
        }
        thread.results.assign(targets.size(), 0);
        pipeline.viterbi_filter().score(targets, *thread.viterbi, thread.results);
        for (std::size_t a = 0; a < asked.size(); ++a) {
            const HmmCandidate& candidate = batch.candidates[task.profile][asked[a]];
            passed[task.profile][asked[a]] =
                pipeline.passes_viterbi(thread.results[a], targets[a].size(), candidate);
        }
        for (std::size_t c = task.first; c < task.first + task.count; ++c)
            thread.counts[task.profile].passed_viterbi += passed[task.profile][c] != 0;
    }));
    for (std::size_t p = 0; p < passed.size(); ++p) {
        std::size_t kept = 0;
        for (std::size_t c = 0; c < passed[p].size(); ++c) {
            if (passed[p][c]) batch.candidates[p][kept++] = batch.candidates[p][c];
        }
        batch.candidates[p].resize(kept);
    }
    return {};
}

Status HmmSearch::finish_survivors(const Chunk& chunk, std::span<const TileView> tiles, Batch& batch) {
    const std::size_t least =
        std::min(kForwardSurvivorsPerTask, batch.pipelines.front()->forward_backward().preferred_tasks());
    const std::vector<Survivor> tasks = batch.cut_tasks(tiles, least, kForwardSurvivorsPerTask);
    const WsdbReader& reader = databases_.reader(chunk.database);
    std::uint64_t targets_before = 0;  // in the databases before this one
    for (std::size_t d = 0; d < chunk.database; ++d) targets_before += databases_.reader(d).sequence_count();
    std::mutex mutex;  // of the reports
    WARPSEQ_TRY(run_tasks(pool_, tasks.size(), [&](std::uint64_t i, unsigned t) {
        Batch::Thread& thread = batch.threads[t];
        const Survivor& task = tasks[i];
        const HmmPipeline& pipeline = *batch.pipelines[task.profile];
        thread.residues.resize(std::max(thread.residues.size(), task.count));
        std::vector<HmmPipeline::Target> targets;
        for (std::size_t c = task.first; c < task.first + task.count; ++c) {
            const HmmCandidate& candidate = batch.candidates[task.profile][c];
            std::vector<ResidueCode>& residues = thread.residues[targets.size()];
            unpack(tiles, candidate, residues);
            targets.push_back({residues, candidate});
            thread.forward_cells += residues.size() * static_cast<std::uint64_t>(pipeline.hmm().length);
        }
        std::vector<HmmPipeline::Finished> finished = pipeline.finish(targets, *thread.forward);
        std::vector<HmmHit> hits;
        for (std::size_t f = 0; f < finished.size(); ++f) {
            thread.counts[task.profile].passed_forward += finished[f].passed_forward;
            if (!finished[f].hit) continue;
            HmmHit& hit = *finished[f].hit;
            const HmmCandidate& candidate = targets[f].candidate;
            hit.database = static_cast<std::uint32_t>(chunk.database);
            hit.rank = tiles[candidate.tile].first_sequence + candidate.lane;
            hit.input_position = reader.input_positions()[hit.rank];
            const auto targets_so_far = static_cast<double>(targets_before + hit.input_position + 1);
            if (!is_kept(hit, batch.thresholds[task.profile], batch.targets_z.value_or(targets_so_far))) continue;
            hits.push_back(std::move(hit));
        }
        const std::scoped_lock lock(mutex);
        std::vector<HmmHit>& all = batch.reports[task.profile].hits;
        all.insert(all.end(), std::make_move_iterator(hits.begin()), std::make_move_iterator(hits.end()));
    }));
    return {};
}

Status HmmSearch::name_hits(Batch& batch) {
    // In the database's order each block of names is decoded once.
    std::vector<HmmHit*> hits;
    for (HmmReport& report : batch.reports) {
        std::ranges::sort(report.hits, {}, [](const HmmHit& hit) { return std::pair(hit.database, hit.input_position); });
        for (HmmHit& hit : report.hits) hits.push_back(&hit);
    }
    std::ranges::sort(hits, {}, [](const HmmHit* hit) { return std::pair(hit->database, hit->rank); });
    for (HmmHit* hit : hits) {
        const auto header = databases_.reader(hit->database).header(hit->rank);
        if (!header.ok()) return header.status();
        hit->target_name = identifier_of(*header);
        hit->target_description = description_of(*header);
    }
    return {};
}

}  // namespace warpseq
