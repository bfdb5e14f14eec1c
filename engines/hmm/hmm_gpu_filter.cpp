#include "engines/hmm/hmm_gpu_filter.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <utility>

#include "engines/targets/chunk.h"

namespace warpseq {
namespace {

using Mode = cuda::ProfileFilterBatch::Mode;
/// The share of the pairs that lists have room for if memory is short and SSV leaves few pairs.
/// After that chunks get fewer targets, then fewer bytes, then batches fewer profiles. Each goes
/// down to the size at which kernels still run well.
constexpr std::uint64_t kShortListShare = 8;
/// Highest P-value of the MSV filter for short lists. Up to it SSV leaves much less than that
/// share, except for profiles and targets of low complexity.
constexpr double kMostPvalueOfShortLists = 0.05;
constexpr std::uint64_t kMostUsefulLanes = std::uint64_t{1} << 20, kLeastUsefulLanes = std::uint64_t{1} << 15;
constexpr std::uint64_t kUsefulChunkBytes = std::uint64_t{4} << 20;
constexpr std::size_t kUsefulProfiles = 8;
/// The share of a GPU's budget that each worker may take for rows of long models.
/// kLeastScratchBytes is the least that a worker gets.
constexpr std::uint64_t kScratchShare = 8;
constexpr std::uint64_t kLeastScratchBytes = std::uint64_t{1} << 20;

/// Workers per GPU if there are few targets. A kernel then has work for a small part of a GPU, and
/// several batches at once use more of it.
constexpr std::size_t kWorkersForFew = 4;
/// Workers per GPU if they take no more than a kAmpleShare-th of its memory and leave room for the
/// databases. Two of them bring chunks for the first time more slowly than a GPU filters for one
/// profile.
constexpr std::size_t kWorkersIfAmple = 3;
constexpr std::uint64_t kAmpleShare = 4;

/// Lowest E-value limit that is used. Lower E-values are 0.
constexpr double kLeastEvalue = 1e-250;

/// Begin and end of a GPU's work, in seconds of its own clock.
using Interval = std::pair<double, double>;

/// Returns the seconds that are in any of the intervals.
double covered_seconds(std::vector<Interval> intervals) {
    std::ranges::sort(intervals);
    double covered = 0, until = -std::numeric_limits<double>::infinity();
    for (const auto& [begun, ended] : intervals) {
        covered += std::max(0.0, ended - std::max(begun, until));
        until = std::max(until, ended);
    }
    return covered;
}

void add_passed(const cuda::FilterCounts& more, HmmStageCounts& counts) {
    counts.passed_msv += more.passed_msv;
    counts.passed_bias += more.passed_bias;
    counts.passed_viterbi += more.passed_viterbi;
}

struct Worker {
    std::unique_ptr<cuda::ProfileFilterGpu> device;
    std::vector<float> log_targets;  // log(Z) of the chunk's lanes
};

class Filter final : public HmmGpuFilter {
   public:
    Filter(const DatabaseSet& databases, const HmmGpuSettings& settings, const HmmGpus& gpus)
        : databases_(databases), settings_(settings), gpus_(gpus), scan_(databases, settings) {}

    Status open();
    std::future<Result<HmmFiltered>> submit(const HmmBatch& batch, const TargetShare& share,
                                            const SearchControl& control, HostHelp help) override;
    HmmGpuCounts counts() const override;

   private:
    class Job;
    /// Profiles that a device takes at once.
    struct Part {
        std::size_t first;
        std::shared_ptr<const cuda::ProfileFilterBatch> batch;
    };
    using Parts = Result<std::vector<Part>>;

    std::uint64_t working_bytes(const std::vector<Chunk>& chunks) const;
    std::uint64_t working_bytes(std::uint64_t chunk_bytes, std::uint64_t lanes) const;
    void choose_workers(std::uint64_t budget_bytes);
    /// Returns the number of profiles that a part has if memory is no limit.
    std::size_t most_profiles() const {
        return counts_by_lane() ? 1 : std::max<std::size_t>(1, settings_.most_profiles);
    }
    std::vector<Chunk> plan_memory(std::uint64_t budget_bytes);
    Status filter_chunk(const Chunk& chunk, Job& job, std::size_t worker_index);
    void fill_log_targets(const Chunk& chunk, std::uint64_t lanes, double most_evalue,
                          std::vector<float>& log_targets) const;
    std::optional<double> z_of(const HmmBatch& batch, std::size_t profile) const;
    Parts make_parts(const HmmBatch& batch) const;
    void count_sequences_of_max(const Job& job, HmmFiltered& all) const;
    HmmFiltered merge(const Job& job);
    /// Whether passing targets are counted lane by lane, for one profile at a time. It is so if not
    /// all sequences are searched.
    bool counts_by_lane() const { return databases_.has_members() && !settings_.pipeline.max; }
    Mode mode() const {
        if (settings_.pipeline.max) return Mode::kMax;
        return settings_.pipeline.bias_filter ? Mode::kFilters : Mode::kWithoutBias;
    }

    const DatabaseSet& databases_;
    HmmGpuSettings settings_;
    HmmGpus gpus_;
    std::size_t workers_per_gpu_ = kWorkersPerGpu;
    std::size_t profiles_per_part_ = 1;
    std::uint64_t list_share_ = 1;     // ProfileFilterGpu::expect()
    std::uint64_t scratch_bytes_ = 0;  // of a worker
    std::deque<Worker> workers_;

    mutable std::mutex mutex_;  // guards counts_ and busy_
    HmmGpuCounts counts_;
    std::vector<std::vector<Interval>> busy_;  // of each GPU
    GpuScan scan_;                             // ends before what its jobs use
};

/// A batch that workers are busy with or will be.
class Filter::Job final : public GpuScanJob<HmmFiltered> {
   public:
    Job(Filter& filter, const HmmBatch& batch, const TargetShare& share, const SearchControl& control)
        : GpuScanJob(filter.scan_, share, batch.nodes(), control),
          profile_count(batch.size()),
          results(filter.workers_.size()),
          filter_(filter) {}
    Status work(const Chunk& chunk, std::size_t worker) override { return filter_.filter_chunk(chunk, *this, worker); }

    struct OfWorker {
        HmmFiltered filtered;
        HmmGpuCounts counts;
        std::vector<Interval> busy;
    };
    std::size_t profile_count;
    bool sequences_are_queries = false;
    double most_evalue = 0;           // highest of the profiles that report by E-value
    std::shared_future<Parts> parts;  // made by a thread of their own
    std::vector<OfWorker> results;

   private:
    HmmFiltered merge() override { return filter_.merge(*this); }
    Filter& filter_;
};

/// Returns the memory that all workers on a GPU take. If there are too many pairs, it is the
/// greatest number.
std::uint64_t Filter::working_bytes(const std::vector<Chunk>& chunks) const {
    std::uint64_t most_bytes = 0, most_lanes = 0;
    for (const Chunk& chunk : chunks) {
        const WsdbReader& reader = databases_.reader(chunk.database);
        const std::uint64_t bytes =
            reader.packed_bytes(chunk.first_tile, chunk.tile_count) + chunk.tile_count * sizeof(TileView);
        most_bytes = std::max(most_bytes, bytes);
        most_lanes = std::max(most_lanes, chunk.sequence_count);
    }
    return working_bytes(most_bytes, most_lanes);
}

std::uint64_t Filter::working_bytes(std::uint64_t chunk_bytes, std::uint64_t lanes) const {
    if (lanes * profiles_per_part_ > cuda::kMostFilterPairs) return std::numeric_limits<std::uint64_t>::max();
    chunk_bytes += lanes * gpus_.bytes_per_lane;
    return workers_per_gpu_ *
           (chunk_bytes + scratch_bytes_ + gpus_.workspace_bytes(chunk_bytes, lanes, profiles_per_part_, list_share_));
}

std::vector<Chunk> Filter::plan_memory(std::uint64_t budget_bytes) {
    std::uint64_t chunk_bytes = scan_.preferred_chunk_bytes();
    profiles_per_part_ = most_profiles();
    std::vector<Chunk> chunks = cut_chunks(databases_, chunk_bytes);
    if (working_bytes(chunks) <= budget_bytes) return chunks;
    if (!settings_.pipeline.max && settings_.pipeline.f1 <= kMostPvalueOfShortLists) list_share_ = kShortListShare;
    if (working_bytes(chunks) <= budget_bytes) return chunks;
    // Profiles times targets take the most memory, and short targets are many.
    for (; profiles_per_part_ >= std::min(kUsefulProfiles, most_profiles()); profiles_per_part_ /= 2) {
        for (std::uint64_t bytes = chunk_bytes; bytes >= std::min(kUsefulChunkBytes, chunk_bytes); bytes /= 2) {
            for (std::uint64_t lanes = kMostUsefulLanes; lanes >= kLeastUsefulLanes; lanes /= 2) {
                if (working_bytes(bytes, lanes) > budget_bytes) continue;
                chunks = cut_chunks(databases_, bytes, lanes);
                if (working_bytes(chunks) <= budget_bytes) return chunks;
            }
        }
    }
    profiles_per_part_ = std::min(kUsefulProfiles, most_profiles());
    for (;;) {
        chunks = cut_chunks(databases_, chunk_bytes);
        const bool least = profiles_per_part_ == 1 && chunk_bytes <= kLeastGpuChunkBytes;
        if (least || working_bytes(chunks) <= budget_bytes) return chunks;
        if (chunk_bytes <= kLeastGpuChunkBytes)
            profiles_per_part_ /= 2;
        else
            chunk_bytes /= 2;
    }
}

/// Chooses the number of workers, and the memory of each for rows of long models.
void Filter::choose_workers(std::uint64_t budget_bytes) {
    const auto set = [&](std::size_t workers_per_gpu) {
        workers_per_gpu_ = workers_per_gpu;
        scratch_bytes_ = std::clamp(budget_bytes * kWorkersPerGpu / (kScratchShare * workers_per_gpu_),
                                    kLeastScratchBytes, cuda::kAmpleScratchBytes);
    };
    if (databases_.residue_count() < kFewTargetResidues) return set(kWorkersForFew);
    set(kWorkersIfAmple);
    profiles_per_part_ = most_profiles();
    std::uint64_t targets_bytes = 0;
    for (std::size_t d = 0; d < databases_.size(); ++d)
        targets_bytes += databases_.reader(d).packed_bytes(0, databases_.reader(d).tile_count());
    const std::uint64_t working = working_bytes(cut_chunks(databases_, scan_.preferred_chunk_bytes()));
    if (working > budget_bytes / kAmpleShare || targets_bytes > budget_bytes - working) set(kWorkersPerGpu);
}

Status Filter::open() {
    const auto budget = scan_.open(gpus_.free_memory_bytes);
    if (!budget.ok()) return budget.status();
    busy_.resize(settings_.ordinals.size());
    choose_workers(*budget);
    std::vector<std::shared_ptr<const cuda::FilterClock>> clocks;  // of each GPU
    for (const int ordinal : settings_.ordinals) {
        auto clock = gpus_.start_clock(ordinal);
        if (!clock.ok()) return clock.status();
        clocks.push_back(*std::move(clock));
    }
    WARPSEQ_TRY(scan_.create_workers(workers_per_gpu_, [&](std::size_t worker, int ordinal) -> Status {
        auto device = gpus_.create(ordinal, scratch_bytes_, clocks[scan_.gpu_of(worker)]);
        if (!device.ok()) return device.status();
        workers_.emplace_back().device = *std::move(device);
        return {};
    }));
    std::vector<Chunk> chunks = plan_memory(*budget);
    std::uint64_t most_lanes = 0;
    for (const Chunk& chunk : chunks) most_lanes = std::max(most_lanes, chunk.sequence_count);
    for (Worker& worker : workers_) worker.device->expect(most_lanes, list_share_);
    const std::uint64_t working = working_bytes(chunks);
    return scan_.start({.form = ResidentChunks::Form::kProfiles,
                        .chunks = std::move(chunks),
                        .working_bytes = working,
                        .bytes_per_lane = gpus_.bytes_per_lane},
                       gpus_.pin);
}

HmmGpuCounts Filter::counts() const {
    const std::lock_guard lock(mutex_);
    HmmGpuCounts counts = counts_;
    for (const std::vector<Interval>& busy : busy_) counts.busy_seconds += covered_seconds(busy);
    return counts;
}

/// Returns Z for a profile if models are the targets. Z then counts the models up to this one.
std::optional<double> Filter::z_of(const HmmBatch& batch, std::size_t profile) const {
    if (!batch.models_before) return {};
    return settings_.targets_z.value_or(static_cast<double>(*batch.models_before + profile + 1));
}

/// Counts for sequences what passes without filters, as for profiles. Every pair passes everything,
/// except Forward for survivors. The host counts those.
void Filter::count_sequences_of_max(const Job& job, HmmFiltered& all) const {
    for (const Chunk& chunk : job.gpu_chunks()) {
        const WsdbReader& reader = databases_.reader(chunk.database);
        for (std::uint64_t rank = chunk.first_sequence; rank < chunk.first_sequence + chunk.sequence_count; ++rank) {
            if (reader.lengths_residues()[rank] == 0 || !databases_.is_searched(chunk.database, rank)) continue;
            HmmStageCounts& counts = all.sequence_counts[reader.input_positions()[rank]];
            // Sequences of one position in several databases count together, as on the CPU.
            for (std::uint64_t* passed :
                 {&counts.passed_msv, &counts.passed_bias, &counts.passed_viterbi, &counts.passed_forward})
                *passed += job.profile_count;
        }
    }
    for (const HmmSurvivor& survivor : all.survivors)
        --all.sequence_counts[databases_.reader(survivor.database).input_positions()[survivor.rank]].passed_forward;
}

Filter::Parts Filter::make_parts(const HmmBatch& batch) const {
    std::vector<cuda::FilterProfile> profiles;
    for (std::size_t p = 0; p < batch.size(); ++p) {
        const HmmPipeline& pipeline = *batch.pipelines[p];
        profiles.push_back({&pipeline.msv_profile(), &pipeline.viterbi_profile(), &pipeline.forward_profile(),
                            &pipeline.bias_filter(),
                            filter_thresholds(pipeline, batch.thresholds[p], settings_.pipeline.max, z_of(batch, p))});
    }
    std::vector<Part> parts;
    for (std::size_t first = 0; first < batch.size(); first += profiles_per_part_) {
        const std::size_t count = std::min(profiles_per_part_, batch.size() - first);
        parts.push_back({first, gpus_.make_batch(std::span(profiles).subspan(first, count), mode())});
    }
    return parts;
}

std::future<Result<HmmFiltered>> Filter::submit(const HmmBatch& batch, const TargetShare& share,
                                                const SearchControl& control, HostHelp help) {
    auto job = std::make_shared<Job>(*this, batch, share, control);
    for (const HmmThresholds& thresholds : batch.thresholds) {
        if (thresholds.by_evalue) job->most_evalue = std::max(job->most_evalue, thresholds.evalue);
    }
    for (Job::OfWorker& each : job->results) {
        each.filtered.counts.resize(batch.size());
        if (batch.models_before) each.filtered.sequence_counts.resize(databases_.stored_sequence_count());
    }
    job->sequences_are_queries = batch.models_before.has_value();
    // Configuring profiles and laying out their tables takes a thread longer than GPUs take to
    // filter few targets. If the system refuses the thread, libstdc++ defers the work, and the
    // first worker that asks does it.
    job->parts = std::async(std::launch::async | std::launch::deferred, [this, &batch] {
                     return guarded([&] { return make_parts(batch); });
                 }).share();
    /// A guard that waits until the batch has been read, even if the result is never used.
    struct End {
        std::shared_future<Parts> parts;
        explicit End(std::shared_future<Parts> of) : parts(std::move(of)) {}
        End(End&&) = default;
        End& operator=(End&&) = delete;
        ~End() {
            if (parts.valid()) parts.wait();
        }
    };
    End end(job->parts);
    auto filtered = scan_.submit<HmmFiltered>(std::move(job), std::move(help));
    return std::async(std::launch::deferred,
                      [filtered = std::move(filtered), end = std::move(end)]() mutable { return filtered.get(); });
}

void Filter::fill_log_targets(const Chunk& chunk, std::uint64_t lanes, double most_evalue,
                              std::vector<float>& log_targets) const {
    log_targets.resize(lanes);
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        const double z =
            settings_.targets_z
                ? *settings_.targets_z
                : static_cast<double>(databases_.searched_before(chunk.database, chunk.first_sequence + lane) + 1);
        // P is at most 1.
        log_targets[lane] =
            z <= most_evalue ? -std::numeric_limits<float>::infinity() : static_cast<float>(std::log(z));
    }
}

Status Filter::filter_chunk(const Chunk& chunk, Job& job, std::size_t worker_index) {
    Worker& worker = workers_[worker_index];
    HmmFiltered& filtered = job.results[worker_index].filtered;
    HmmGpuCounts& counts = job.results[worker_index].counts;
    const auto targets = scan_.bring(chunk, worker_index, *worker.device, counts.copies);
    if (!targets.ok()) return targets.status();
    if (settings_.pipeline.max && job.sequences_are_queries)
        worker.log_targets.assign((*targets)->lanes(), 0);
    else if (settings_.pipeline.max)
        fill_log_targets(chunk, (*targets)->lanes(), job.most_evalue, worker.log_targets);
    const TargetMembers* const searched = databases_.searched(chunk.database);
    const bool lanes_are_counted =
        (searched != nullptr || !filtered.sequence_counts.empty()) && !settings_.pipeline.max;
    const Parts& parts = job.parts.get();
    if (!parts.ok()) return parts.status();
    for (const Part& part : *parts) {
        const auto outcome = worker.device->filter(part.batch, **targets, worker.log_targets, lanes_are_counted);
        if (!outcome.ok()) return outcome.status();
        for (const cuda::FilterCandidate& candidate : outcome->candidates) {
            if (searched != nullptr && !searched->has(chunk.first_sequence + candidate.lane)) continue;
            // Without filters there is nothing before Forward to decide or to count.
            const bool settled = candidate.settled || settings_.pipeline.max;
            filtered.survivors.push_back({static_cast<std::uint32_t>(part.first + candidate.profile),
                                          static_cast<std::uint32_t>(chunk.database),
                                          chunk.first_sequence + candidate.lane, candidate.msv, settled});
            counts.open += !settled;
            ++counts.survivors;
        }
        const auto positions = databases_.reader(chunk.database).input_positions();
        for (std::size_t lane = 0; lane < outcome->lane_counts.size(); ++lane) {
            const std::uint64_t rank = chunk.first_sequence + lane;
            if (searched != nullptr && !searched->has(rank)) continue;
            if (searched != nullptr) add_passed(outcome->lane_counts[lane], filtered.counts[part.first]);
            if (!filtered.sequence_counts.empty())
                add_passed(outcome->lane_counts[lane], filtered.sequence_counts[positions[rank]]);
        }
        if (!settings_.pipeline.max && searched == nullptr) {
            for (std::size_t p = 0; p < outcome->counts.size(); ++p)
                add_passed(outcome->counts[p], filtered.counts[part.first + p]);
        }
        const cuda::FilterMilliseconds& milliseconds = worker.device->milliseconds();
        counts.ssv_seconds += static_cast<double>(milliseconds.ssv) / 1e3;
        counts.msv_seconds += static_cast<double>(milliseconds.msv) / 1e3;
        counts.bias_seconds += static_cast<double>(milliseconds.bias) / 1e3;
        counts.viterbi_seconds += static_cast<double>(milliseconds.viterbi) / 1e3;
        counts.forward_seconds += static_cast<double>(milliseconds.forward) / 1e3;
        job.results[worker_index].busy.emplace_back(milliseconds.begun / 1e3, milliseconds.ended / 1e3);
    }
    ++counts.chunks;
    return {};
}

HmmFiltered Filter::merge(const Job& job) {
    HmmFiltered all;
    all.counts.resize(job.profile_count);
    for (const Job::OfWorker& each : job.results) {
        all.survivors.insert(all.survivors.end(), each.filtered.survivors.begin(), each.filtered.survivors.end());
        add_counts(all.counts, each.filtered.counts);
        add_counts(all.sequence_counts, each.filtered.sequence_counts);
    }
    if (settings_.pipeline.max) {
        // Everything passes, including Forward. The host counts Forward for survivors.
        std::uint64_t targets = 0;  // that have residues
        for (const Chunk& chunk : job.gpu_chunks()) {
            const auto lengths =  // in falling order
                databases_.reader(chunk.database)
                    .lengths_residues()
                    .subspan(chunk.first_sequence, chunk.sequence_count);
            const auto with_residues = static_cast<std::uint64_t>(
                std::ranges::partition_point(lengths, [](auto length) { return length > 0; }) - lengths.begin());
            const TargetMembers* const searched = databases_.searched(chunk.database);
            targets += searched != nullptr ? searched->count_in(chunk.first_sequence, with_residues) : with_residues;
        }
        for (HmmStageCounts& counts : all.counts)
            counts.passed_msv = counts.passed_bias = counts.passed_viterbi = counts.passed_forward = targets;
        for (const HmmSurvivor& survivor : all.survivors) --all.counts[survivor.profile].passed_forward;
        if (!all.sequence_counts.empty()) count_sequences_of_max(job, all);
    }
    const std::lock_guard lock(mutex_);
    counts_.cells += job.cells();
    counts_.host += job.host_counts();
    counts_.elapsed_seconds = scan_.seconds_since_first_job();
    for (std::size_t i = 0; i < job.results.size(); ++i) {
        const auto& [filtered, counts, busy] = job.results[i];
        std::vector<Interval>& all_busy = busy_[scan_.gpu_of(i)];
        all_busy.insert(all_busy.end(), busy.begin(), busy.end());
        counts_.chunks += counts.chunks;
        counts_.survivors += counts.survivors;
        counts_.open += counts.open;
        counts_.copies.bytes += counts.copies.bytes;
        counts_.copies.seconds += counts.copies.seconds;
        counts_.ssv_seconds += counts.ssv_seconds;
        counts_.msv_seconds += counts.msv_seconds;
        counts_.bias_seconds += counts.bias_seconds;
        counts_.viterbi_seconds += counts.viterbi_seconds;
        counts_.forward_seconds += counts.forward_seconds;
    }
    return all;
}

}  // namespace

cuda::FilterThresholds filter_thresholds(const HmmPipeline& pipeline, const HmmThresholds& thresholds, bool max,
                                         std::optional<double> targets_z) {
    cuda::FilterThresholds filter;
    const HmmLeastBits least = pipeline.least_passing_bits();
    filter.msv_bits = least.msv;
    filter.skip_viterbi_bits = least.skip_viterbi;
    filter.viterbi_bits = least.viterbi;
    filter.forward_bits = least.forward;
    if (!max) return filter;

    filter.report_bits = static_cast<float>(thresholds.bits);
    if (thresholds.by_evalue) {
        // P z <= E with log P = -lambda (bits - tau). The device adds what a hit's score may have
        // above Forward's.
        const HmmStatistics& statistics = pipeline.statistics();
        const double bits_per_nat = 1 / static_cast<double>(statistics.forward_lambda);
        filter.report_bits = static_cast<float>(statistics.forward_tau -
                                                std::log(std::max(thresholds.evalue, kLeastEvalue)) * bits_per_nat);
        filter.report_bits_per_log_target = static_cast<float>(bits_per_nat);
        if (!targets_z) return filter;
        // The threshold is the same for all targets. P is at most 1.
        filter.report_bits_per_log_target = 0;
        filter.report_bits = *targets_z <= thresholds.evalue
                                 ? -std::numeric_limits<float>::infinity()
                                 : static_cast<float>(filter.report_bits + std::log(*targets_z) * bits_per_nat);
    }
    return filter;
}

Result<std::unique_ptr<HmmGpuFilter>> HmmGpuFilter::create(const DatabaseSet& databases, const HmmGpuSettings& settings,
                                                           const HmmGpus& gpus) {
    auto filter = std::make_unique<Filter>(databases, settings, gpus);
    WARPSEQ_TRY(filter->open());
    return std::unique_ptr<HmmGpuFilter>(std::move(filter));
}

}  // namespace warpseq
