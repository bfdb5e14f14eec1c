#include "engines/hmm/hmm_finish.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "engines/hmm/hmm_best_targets.h"
#include "libcore/base/clock.h"
#include "libcore/statistics/extreme_value.h"

namespace warpseq {
namespace {

/// Limits on the candidates of one profile that one thread takes at once. If there are many
/// candidates, they fill the kernels' lanes with targets of like length. If there are few, tasks
/// are cut smaller, so that threads finish together.
constexpr std::size_t kTasksPerThread = 6;
constexpr std::size_t kLeastCandidatesPerTask = 32;
constexpr std::size_t kForwardCandidatesPerTask = 64;
/// Most residues of a task, whose special states take 48 bytes a residue.
constexpr std::uint64_t kResiduesPerTask = 1 << 18;
/// Most cells of a task, so that threads finish together.
constexpr std::uint64_t kCellsPerTask = std::uint64_t{1} << 26;
/// Residues of a device's survivors that are held at once.
constexpr std::uint64_t kResiduesPerWindow = std::uint64_t{128} << 20;
constexpr std::size_t kSurvivorsPerTask = 64;
/// Targets that one thread reads at once.
constexpr std::size_t kTargetsPerRead = 16;
/// Residues of unscored targets that a scan keeps so that they need not be read again.
constexpr std::uint64_t kKeptBytes = std::uint64_t{64} << 20;

/// Whether a hit is kept: by its score, or by its E-value with the targets up to it in the order of
/// the input. HMMER reads targets in that order and keeps hits in this way. Hits that the final Z
/// then rejects still widen the columns of its tables.
bool is_kept(const HmmHit& hit, const HmmThresholds& thresholds, double targets_so_far) {
    return thresholds.by_evalue ? evalue_of(hit.log_pvalue, targets_so_far) <= thresholds.evalue
                                : static_cast<double>(hit.score_bits) >= thresholds.bits;
}

/// Replaces an error for lack of memory in Forward and after it by one that says what takes the
/// memory.
Status with_hint(Status status) {
    if (status.code() != StatusCode::kOutOfMemory) return status;
    return Status::out_of_memory(
               "out of memory: a long domain, or a long row of domains, needs about 8 bytes per residue and node of "
               "the profile; use fewer threads")
        .with(Advice::kFewerThreads);
}

std::pair<std::uint32_t, std::uint64_t> place_of(const HmmCandidate& candidate) {
    return {candidate.database, candidate.rank};
}

/// Targets that are read one by one.
class TargetsRead final : public HmmTargets {
   public:
    struct Target {
        std::uint32_t database;
        std::uint64_t rank;
        std::vector<ResidueCode> residues;
    };

    /// Reads `targets`, which are in the order of databases and ranks and come without residues.
    static Result<TargetsRead> read(const DatabaseSet& databases, std::vector<Target> targets, const ThreadPool& pool) {
        // Threads begin at block borders, so that no block is decoded twice.
        std::vector<std::size_t> starts;
        const auto block = [&](const Target& target) {
            const WsdbReader& reader = databases.reader(target.database);
            return std::pair(target.database, reader.block_start(reader.tile_of_sequence(target.rank)));
        };
        for (std::size_t t = 0; t < targets.size(); ++t) {
            if (starts.empty() || (t - starts.back() >= kTargetsPerRead && block(targets[t]) != block(targets[t - 1])))
                starts.push_back(t);
        }
        starts.push_back(targets.size());
        std::vector<TileBuffer> buffers(pool.threads());
        WARPSEQ_TRY(pool.parallel_for(starts.size() - 1, [&](std::uint64_t i, unsigned thread) -> Status {
            for (std::size_t t = starts[i]; t < starts[i + 1]; ++t) {
                auto residues = databases.reader(targets[t].database).residues(targets[t].rank, buffers[thread]);
                if (!residues.ok()) return residues.status();
                targets[t].residues = *std::move(residues);
            }
            return {};
        }));
        return TargetsRead(std::move(targets));
    }

    std::span<const ResidueCode> residues(const HmmCandidate& candidate, std::vector<ResidueCode>&) const override {
        return std::ranges::lower_bound(targets_, place_of(candidate), {},
                                        [](const Target& target) { return std::pair(target.database, target.rank); })
            ->residues;
    }

   private:
    explicit TargetsRead(std::vector<Target> targets) : targets_(std::move(targets)) {}
    std::vector<Target> targets_;
};

}  // namespace

std::uint64_t HmmFinisher::residues_of(const HmmCandidate& candidate) const {
    return databases_.reader(candidate.database).lengths_residues()[candidate.rank];
}

std::uint64_t HmmFinisher::cells_of(const HmmBatch& batch, const HmmCandidates& candidates, const Task& task) const {
    std::uint64_t residues = 0;
    for (std::size_t c = task.first; c < task.first + task.count; ++c)
        residues += residues_of(candidates[task.profile][c]);
    return residues * static_cast<std::uint64_t>(batch.profiles[task.profile].length);
}

std::uint64_t HmmFinisher::cells_of(const HmmBatch& batch, const HmmCandidates& candidates) const {
    std::uint64_t cells = 0;
    for (std::size_t p = 0; p < candidates.size(); ++p)
        cells += cells_of(batch, candidates, {p, 0, candidates[p].size()});
    return cells;
}

/// Cuts candidates into runs of at most `most`, or of `least` if there are few candidates. The
/// longest work comes first.
std::vector<HmmFinisher::Task> HmmFinisher::cut_tasks(const HmmBatch& batch, const HmmCandidates& candidates,
                                                      std::size_t least, std::size_t most) const {
    std::size_t all = 0;
    for (const auto& each : candidates) all += each.size();
    const std::size_t per_task = std::clamp(all / (kTasksPerThread * threads_.size()), least, most);
    std::vector<Task> tasks;
    std::vector<std::uint64_t> cells;
    for (std::size_t p = 0; p < candidates.size(); ++p) {
        const auto nodes = static_cast<std::uint64_t>(batch.profiles[p].length);
        const std::uint64_t most_residues = std::min(kResiduesPerTask, kCellsPerTask / nodes);
        for (std::size_t first = 0, end; first < candidates[p].size(); first = end) {
            std::uint64_t residues = 0;
            for (end = first; end < candidates[p].size() && end < first + per_task; ++end) {
                const std::uint64_t more = residues_of(candidates[p][end]);
                if (end > first && residues + more > most_residues) break;
                residues += more;
            }
            tasks.push_back({p, first, end - first});
            cells.push_back(residues * nodes);
        }
    }
    std::vector<std::size_t> order(tasks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&cells](std::size_t task) { return cells[task]; });
    std::vector<Task> sorted;
    for (const std::size_t task : order) sorted.push_back(tasks[task]);
    return sorted;
}

/// Returns the first profile that has candidates; nullptr if none has.
const HmmPipeline* HmmFinisher::first_with(const HmmBatch& batch, const HmmCandidates& candidates) {
    const auto some = std::ranges::find_if(candidates, [](const auto& each) { return !each.empty(); });
    return some == candidates.end() ? nullptr
                                    : batch.pipelines[static_cast<std::size_t>(some - candidates.begin())].get();
}

Status HmmFinisher::filter_by_viterbi(HmmScan& scan, const HmmTargets& targets, HmmCandidates& candidates) {
    const auto start = Clock::now();
    const HmmBatch& batch = scan.batch;
    const HmmPipeline* const any = first_with(batch, candidates);
    if (any != nullptr) WARPSEQ_TRY(any->prepare_later());
    const std::size_t preferred = any == nullptr ? 1 : any->viterbi_filter().preferred_targets();
    const std::vector<Task> tasks =
        cut_tasks(batch, candidates, kLeastCandidatesPerTask, std::max(kLeastCandidatesPerTask, preferred));
    std::vector<std::vector<char>> passed(batch.size());
    for (std::size_t p = 0; p < passed.size(); ++p) passed[p].assign(candidates[p].size(), 1);
    std::mutex mutex;  // guards counts
    ProgressStage cells_done(scan.units_done, HmmScan::kViterbiUnits * scan.cells_at_once, cells_of(batch, candidates));
    WARPSEQ_TRY(with_hint(scan.pool.parallel_for(tasks.size(), [&](std::uint64_t i, unsigned t) -> Status {
        Thread& thread = threads_[t];
        const Task& task = tasks[i];
        const HmmPipeline& pipeline = *batch.pipelines[task.profile];
        WARPSEQ_TRY(pipeline.prepare_later());
        if (!thread.viterbi) thread.viterbi = pipeline.viterbi_filter().make_workspace();
        thread.viterbi->stop = scan.stop;
        thread.residues.resize(std::max(thread.residues.size(), task.count));
        std::vector<std::span<const ResidueCode>> asked_targets;
        std::vector<std::size_t> asked;
        std::uint64_t cells = 0;
        for (std::size_t c = task.first; c < task.first + task.count; ++c) {
            const HmmCandidate& candidate = candidates[task.profile][c];
            if (!pipeline.needs_viterbi(candidate)) continue;
            asked_targets.push_back(targets.residues(candidate, thread.residues[asked.size()]));
            asked.push_back(c);
            cells += asked_targets.back().size() * static_cast<std::uint64_t>(pipeline.nodes());
        }
        thread.results.assign(asked.size(), 0);
        pipeline.viterbi_filter().score(asked_targets, *thread.viterbi, thread.results);
        if (scan.stop.stop_requested()) return Status::interrupted();
        for (std::size_t a = 0; a < asked.size(); ++a) {
            passed[task.profile][asked[a]] =
                pipeline.passes_viterbi(thread.results[a], asked_targets[a].size(), candidates[task.profile][asked[a]]);
        }
        const auto first = passed[task.profile].begin() + static_cast<std::ptrdiff_t>(task.first);
        const auto kept = std::count(first, first + static_cast<std::ptrdiff_t>(task.count), 1);
        const std::scoped_lock lock(mutex);
        scan.times.viterbi_cells += cells;
        scan.partial.counts[task.profile].passed_viterbi += static_cast<std::uint64_t>(kept);
        for (std::size_t c = task.first; c < task.first + task.count; ++c) {
            const HmmCandidate& candidate = candidates[task.profile][c];
            if (!passed[task.profile][c]) continue;
            if (auto* counts = scan.counts_of(databases_, candidate.database, candidate.rank)) ++counts->passed_viterbi;
        }
        cells_done.add(cells_of(batch, candidates, task));
        return {};
    })));
    for (std::size_t p = 0; p < passed.size(); ++p) {
        std::size_t kept = 0;
        for (std::size_t c = 0; c < passed[p].size(); ++c) {
            if (passed[p][c]) candidates[p][kept++] = candidates[p][c];
        }
        candidates[p].resize(kept);
    }
    scan.times.viterbi_seconds += seconds_since(start);
    return {};
}

Status HmmFinisher::find_hits(HmmScan& scan, const HmmTargets& targets, const HmmCandidates& candidates) {
    const auto start = Clock::now();
    const HmmBatch& batch = scan.batch;
    // If there are few candidates, each is a task. Sampling and clustering may take longest, and
    // gain nothing from more targets in a task.
    const std::vector<Task> tasks = cut_tasks(batch, candidates, 1, kForwardCandidatesPerTask);
    std::mutex mutex;  // guards what is found
    ProgressStage cells_done(scan.units_done, HmmScan::kForwardUnits * scan.cells_at_once, cells_of(batch, candidates));
    WARPSEQ_TRY(with_hint(scan.pool.parallel_for(tasks.size(), [&](std::uint64_t i, unsigned t) -> Status {
        Thread& thread = threads_[t];
        const Task& task = tasks[i];
        const HmmPipeline& pipeline = *batch.pipelines[task.profile];
        WARPSEQ_TRY(pipeline.prepare_later());
        if (!thread.forward) thread.forward = pipeline.forward_backward().make_workspace();
        thread.forward->budget = &matrix_budget_;
        thread.forward->stop = scan.stop;
        thread.residues.resize(std::max(thread.residues.size(), task.count));
        std::vector<HmmPipeline::Target> members;
        std::uint64_t cells = 0, bytes = 0;
        for (std::size_t c = task.first; c < task.first + task.count; ++c)
            bytes += pipeline.forward_backward().task_bytes(residues_of(candidates[task.profile][c]));
        MemoryBudget::Grant grant;
        if (bytes > kOwnWorkspaceBytes) grant = target_budget_.take(bytes);
        for (std::size_t c = task.first; c < task.first + task.count; ++c) {
            const HmmCandidate& candidate = candidates[task.profile][c];
            members.push_back({targets.residues(candidate, thread.residues[members.size()]), candidate});
            cells += members.back().residues.size() * static_cast<std::uint64_t>(pipeline.nodes());
        }
        if (batch.most_targets) {
            WARPSEQ_TRY(find_regions(scan, task.profile, members, *thread.forward, mutex));
        } else {
            std::vector<HmmPipeline::Finished> finished = pipeline.finish(members, *thread.forward);
            if (scan.stop.stop_requested()) return Status::interrupted();
            std::vector<HmmHit> hits;
            for (std::size_t f = 0; f < finished.size(); ++f)
                if (finished[f].hit)
                    judge(batch, task.profile, members[f].candidate, *std::move(finished[f].hit), hits);
            if (!hits.empty()) WARPSEQ_TRY(pipeline.whole_hmm().status());  // hits show parts of it
            const std::scoped_lock lock(mutex);
            for (std::size_t f = 0; f < finished.size(); ++f)
                count_forward(scan, task.profile, members[f].candidate, finished[f].passed_forward,
                              finished[f].out_of_range);
            std::ranges::move(hits, std::back_inserter(scan.partial.hits[task.profile]));
        }
        const std::scoped_lock lock(mutex);
        scan.times.forward_cells += cells;
        cells_done.add(cells_of(batch, candidates, task));
        return {};
    })));
    scan.times.forward_seconds += seconds_since(start);
    return {};
}

void HmmFinisher::judge(const HmmBatch& batch, std::size_t profile, const HmmCandidate& candidate, HmmHit hit,
                        std::vector<HmmHit>& kept) const {
    hit.database = candidate.database;
    hit.rank = candidate.rank;
    hit.input_position = databases_.reader(hit.database).input_positions()[hit.rank];
    const std::uint64_t before =
        batch.models_before ? *batch.models_before + profile : databases_.searched_before(hit.database, hit.rank);
    if (is_kept(hit, batch.thresholds[profile], targets_z_.value_or(static_cast<double>(1 + before))))
        kept.push_back(std::move(hit));
}

void HmmFinisher::count_forward(HmmScan& scan, std::size_t profile, const HmmCandidate& candidate, bool passed,
                                bool out_of_range) const {
    scan.times.out_of_range += out_of_range ? 1 : 0;
    if (!passed) return;
    ++scan.partial.counts[profile].passed_forward;
    if (auto* counts = scan.counts_of(databases_, candidate.database, candidate.rank)) ++counts->passed_forward;
}

Status HmmFinisher::find_regions(HmmScan& scan, std::size_t profile, std::span<const HmmPipeline::Target> targets,
                                 ForwardBackward::Workspace& workspace, std::mutex& mutex) const {
    const HmmPipeline& pipeline = *scan.batch.pipelines[profile];
    std::vector<HmmPipeline::Decoded> decoded = pipeline.find_regions(targets, workspace);
    if (scan.stop.stop_requested()) return Status::interrupted();
    const std::scoped_lock lock(mutex);
    for (std::size_t t = 0; t < targets.size(); ++t) {
        const auto& [residues, candidate] = targets[t];
        count_forward(scan, profile, candidate, decoded[t].passed_forward, decoded[t].out_of_range);
        if (!decoded[t].regions) continue;
        HmmUnscored left{candidate, *std::move(decoded[t].regions), {}, {}};
        left.bound = pipeline.score_bound(left.regions, targets[t]);
        if (scan.kept_bytes + residues.size() <= kKeptBytes) {
            scan.kept_bytes += residues.size();
            left.residues.assign(residues.begin(), residues.end());
        }
        scan.partial.unscored[profile].push_back(std::move(left));
    }
    return {};
}

Status HmmFinisher::score(HmmScan& scan, std::vector<std::vector<HmmUnscored>> targets) {
    const auto start = Clock::now();
    const HmmBatch& batch = scan.batch;
    HmmCandidates candidates(batch.size());
    std::vector<TargetsRead::Target> places;
    for (std::size_t p = 0; p < targets.size(); ++p) {
        std::ranges::sort(targets[p], {}, [](const HmmUnscored& target) { return place_of(target.candidate); });
        for (const HmmUnscored& target : targets[p]) {
            candidates[p].push_back(target.candidate);
            if (target.residues.empty()) places.push_back({target.candidate.database, target.candidate.rank, {}});
        }
    }
    const auto place = [](const TargetsRead::Target& target) { return std::pair(target.database, target.rank); };
    std::ranges::sort(places, {}, place);
    const auto is_same = [&](const TargetsRead::Target& a, const TargetsRead::Target& b) {
        return place(a) == place(b);
    };
    places.erase(std::unique(places.begin(), places.end(), is_same), places.end());
    const auto read = TargetsRead::read(databases_, std::move(places), scan.pool);
    if (!read.ok()) return read.status();

    const std::vector<Task> tasks = cut_tasks(batch, candidates, 1, kForwardCandidatesPerTask);
    std::mutex mutex;  // guards hits
    WARPSEQ_TRY(with_hint(scan.pool.parallel_for(tasks.size(), [&](std::uint64_t i, unsigned t) -> Status {
        Thread& thread = threads_[t];
        const Task& task = tasks[i];
        const HmmPipeline& pipeline = *batch.pipelines[task.profile];
        WARPSEQ_TRY(pipeline.prepare_later());
        if (!thread.forward) thread.forward = pipeline.forward_backward().make_workspace();
        thread.forward->budget = &matrix_budget_;
        thread.forward->stop = scan.stop;
        std::vector<HmmPipeline::Target> members;
        std::vector<HmmRegions*> regions;
        for (std::size_t c = task.first; c < task.first + task.count; ++c) {
            HmmUnscored& target = targets[task.profile][c];
            std::vector<ResidueCode> nowhere;
            members.push_back({target.residues.empty() ? read->residues(target.candidate, nowhere)
                                                       : std::span<const ResidueCode>(target.residues),
                               target.candidate});
            regions.push_back(&target.regions);
        }
        std::vector<std::optional<HmmHit>> found = pipeline.score_regions(members, regions, *thread.forward);
        if (scan.stop.stop_requested()) return Status::interrupted();
        std::vector<HmmHit> hits;
        for (std::size_t f = 0; f < found.size(); ++f)
            if (found[f]) judge(batch, task.profile, members[f].candidate, *std::move(found[f]), hits);
        if (!hits.empty()) WARPSEQ_TRY(pipeline.whole_hmm().status());  // hits show parts of it
        const std::scoped_lock lock(mutex);
        std::ranges::move(hits, std::back_inserter(scan.partial.hits[task.profile]));
        return {};
    })));
    scan.times.forward_seconds += seconds_since(start);
    return {};
}

Status HmmFinisher::score_best(HmmScan& scan, std::optional<double> domains_z) {
    std::vector<HmmBestTargets> best;
    const double targets_z = targets_z_.value_or(static_cast<double>(databases_.searched_totals().sequences));
    for (std::size_t p = 0; p < scan.batch.size(); ++p) {
        std::ranges::sort(scan.partial.unscored[p], best_bound_first);
        best.emplace_back(scan.batch.thresholds[p], *scan.batch.most_targets, targets_z, domains_z);
    }
    while (true) {
        std::vector<std::vector<HmmUnscored>> next(scan.batch.size());
        bool any = false;
        for (std::size_t p = 0; p < scan.batch.size(); ++p) {
            std::vector<HmmUnscored>& left = scan.partial.unscored[p];
            const auto count = static_cast<std::ptrdiff_t>(best[p].next(scan.partial.hits[p], left));
            any |= count > 0;
            next[p].assign(std::move_iterator(left.begin()), std::move_iterator(left.begin() + count));
            left.erase(left.begin(), left.begin() + count);
        }
        if (!any) return {};
        WARPSEQ_TRY(score(scan, std::move(next)));
    }
}

Status HmmFinisher::finish(HmmScan& scan, HmmFiltered filtered) {
    add_counts(scan.partial.counts, filtered.counts);
    add_counts(scan.partial.sequence_counts, filtered.sequence_counts);
    std::vector<HmmSurvivor>& survivors = filtered.survivors;
    std::ranges::sort(survivors, {}, [](const HmmSurvivor& s) { return std::tuple(s.database, s.rank, s.profile); });
    for (std::size_t first = 0, end; first < survivors.size(); first = end) {
        std::uint64_t residues = 0;
        for (end = first; end < survivors.size(); ++end) {
            const HmmSurvivor& next = survivors[end];
            const bool same =
                end > first && survivors[end - 1].database == next.database && survivors[end - 1].rank == next.rank;
            if (same) continue;
            if (residues > kResiduesPerWindow) break;
            residues += databases_.reader(next.database).lengths_residues()[next.rank];
        }
        WARPSEQ_TRY(finish_window(scan, std::span(survivors).subspan(first, end - first)));
    }
    return {};
}

Status HmmFinisher::finish_window(HmmScan& scan, std::span<const HmmSurvivor> survivors) {
    const HmmBatch& batch = scan.batch;
    auto start = Clock::now();
    std::vector<TargetsRead::Target> places;
    for (const HmmSurvivor& survivor : survivors) {
        if (places.empty() || places.back().database != survivor.database || places.back().rank != survivor.rank)
            places.push_back({survivor.database, survivor.rank, {}});
    }
    const auto targets = TargetsRead::read(databases_, std::move(places), scan.pool);
    if (!targets.ok()) return targets.status();
    scan.times.read_seconds += seconds_since(start);

    start = Clock::now();
    std::vector<HmmCandidate> candidates(survivors.size());
    std::vector<char> passed(survivors.size(), 1);
    WARPSEQ_TRY(scan.pool.parallel_for(
        (survivors.size() + kSurvivorsPerTask - 1) / kSurvivorsPerTask, [&](std::uint64_t i, unsigned) -> Status {
            std::vector<ResidueCode> buffer;
            for (std::size_t s = i * kSurvivorsPerTask;
                 s < std::min<std::size_t>(survivors.size(), (i + 1) * kSurvivorsPerTask); ++s) {
                if (scan.stop.stop_requested()) return Status::interrupted();
                const HmmPipeline& pipeline = *batch.pipelines[survivors[s].profile];
                candidates[s].database = survivors[s].database;
                candidates[s].rank = survivors[s].rank;
                const auto residues = targets->residues(candidates[s], buffer);
                if (survivors[s].settled) {
                    pipeline.score_null_models(residues, candidates[s]);
                } else {
                    bool passed_msv = false;
                    passed[s] = pipeline.passes_msv_and_bias(survivors[s].msv, residues, candidates[s], passed_msv);
                }
            }
            return {};
        }));
    HmmCandidates settled(batch.size()), open(batch.size());
    for (std::size_t s = 0; s < survivors.size(); ++s) {
        if (!passed[s]) continue;
        (survivors[s].settled ? settled : open)[survivors[s].profile].push_back(candidates[s]);
        if (survivors[s].settled) continue;
        ++scan.partial.counts[survivors[s].profile].passed_bias;
        if (auto* counts = scan.counts_of(databases_, survivors[s].database, survivors[s].rank)) ++counts->passed_bias;
    }
    scan.times.msv_seconds += seconds_since(start);
    WARPSEQ_TRY(filter_by_viterbi(scan, *targets, open));
    for (std::size_t p = 0; p < batch.size(); ++p) {
        const auto middle = static_cast<std::ptrdiff_t>(settled[p].size());
        settled[p].insert(settled[p].end(), open[p].begin(), open[p].end());
        std::ranges::inplace_merge(settled[p], settled[p].begin() + middle, {}, place_of);
    }
    return find_hits(scan, *targets, settled);
}

}  // namespace warpseq
