#include "engines/sw/sw_gpu_scan.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "engines/devices/gpu_chunks.h"
#include "engines/hit_collector.h"
#include "engines/targets/chunk.h"
#include "engines/targets/chunk_reader.h"
#include "libcore/base/clock.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

namespace {

/// The memory that scores may take, in bytes for each byte of a chunk. It is enough if sequences
/// have 20 packed bytes (30 residues) on average. A chunk of shorter sequences gets fewer bytes.
constexpr std::uint64_t kScoreBytesPerChunkByte = 6;

/// A query and a sequence whose score the GPU could not hold.
struct Saturated {
    std::size_t query;
    std::uint64_t rank;
};

struct Worker {
    std::unique_ptr<cuda::SmithWatermanGpu> device;
    std::vector<std::int32_t> scores_raw;
};

class Scan final : public SwGpuScan {
   public:
    Scan(const DatabaseSet& databases, const ScoringScheme& scheme,
         const std::optional<AlignmentStatistics>& statistics, const SwGpuSettings& settings, const SwGpus& gpus)
        : databases_(databases),
          scheme_(scheme),
          statistics_(statistics),
          settings_(settings),
          gpus_(gpus),
          scan_(databases, settings) {}

    Status open();
    std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const Query> queries, const TargetShare& share,
                                                              const SearchControl& control, HostHelp help) override;
    SwGpuCounts counts() const override {
        const std::lock_guard lock(mutex_);
        return counts_;
    }

   private:
    class Job;
    Status score_chunk(const Chunk& chunk, Job& job, std::size_t worker_index);
    Status rescore(const Chunk& chunk, std::span<const Query> queries, std::span<const Saturated> saturated,
                   HitCollector& collector);
    std::vector<std::vector<Hit>> merge(Job& job);

    const DatabaseSet& databases_;
    const ScoringScheme& scheme_;
    const std::optional<AlignmentStatistics>& statistics_;
    SwGpuSettings settings_;
    SwGpus gpus_;
    std::deque<Worker> workers_;

    mutable std::mutex mutex_;  // guards counts_
    SwGpuCounts counts_;
    GpuScan scan_;  // ends before what its jobs use
};

/// A batch that workers are busy with or will be.
class Scan::Job final : public GpuScanJob<std::vector<std::vector<Hit>>> {
   public:
    Job(Scan& scan, std::span<const Query> queries_of_batch, std::uint64_t query_residues, const TargetShare& share,
        const SearchControl& control)
        : GpuScanJob(scan.scan_, share, query_residues, control), queries(queries_of_batch), scan_(scan) {}
    Status work(const Chunk& chunk, std::size_t worker) override { return scan_.score_chunk(chunk, *this, worker); }

    std::span<const Query> queries;
    std::shared_ptr<const cuda::SmithWatermanBatch> batch;
    std::vector<std::unique_ptr<HitCollector>> collectors;  // one per worker
    std::vector<SwGpuCounts> counts;                        // likewise

   private:
    std::vector<std::vector<Hit>> merge() override { return scan_.merge(*this); }
    Scan& scan_;
};

Status Scan::open() {
    const auto budget = scan_.open(gpus_.free_memory_bytes);
    if (!budget.ok()) return budget.status();
    const std::uint64_t lane_bytes = std::max<std::uint64_t>(settings_.most_queries, 1) * sizeof(std::uint16_t);
    const auto cut = [&](std::uint64_t chunk_bytes) {
        return cut_chunks(databases_, chunk_bytes,
                          std::max<std::uint64_t>(chunk_bytes * kScoreBytesPerChunkByte / lane_bytes, 1));
    };
    const auto working_bytes = [&](std::uint64_t chunk_bytes) {
        // A chunk may have some more sequences: those of the block that it ends with.
        std::uint64_t score_bytes = chunk_bytes * kScoreBytesPerChunkByte;
        for (const Chunk& chunk : cut(chunk_bytes))
            score_bytes = std::max(score_bytes, chunk.sequence_count * lane_bytes);
        return kWorkersPerGpu * (chunk_bytes + gpus_.workspace_bytes(chunk_bytes) + score_bytes);
    };
    std::uint64_t chunk_bytes = scan_.preferred_chunk_bytes();
    while (chunk_bytes > kLeastGpuChunkBytes && working_bytes(chunk_bytes) > *budget) chunk_bytes /= 2;

    WARPSEQ_TRY(scan_.create_workers(kWorkersPerGpu, [this](std::size_t, int ordinal) -> Status {
        auto device = gpus_.create(ordinal);
        if (!device.ok()) return device.status();
        workers_.emplace_back().device = *std::move(device);
        return {};
    }));
    // Another process may have taken what was free. Then chunks are made smaller, and it is an
    // error if even the smallest find no room.
    for (;; chunk_bytes /= 2) {
        Status status;
        for (std::size_t i = 0; status.ok() && i < workers_.size(); ++i)
            status = workers_[i].device->reserve(chunk_bytes);
        if (status.ok()) break;
        if (chunk_bytes <= kLeastGpuChunkBytes) return status;
    }
    return scan_.start({.form = ResidentChunks::Form::kScores,
                        .chunks = cut(chunk_bytes),
                        .working_bytes = working_bytes(chunk_bytes)},
                       gpus_.pin);
}

std::future<Result<std::vector<std::vector<Hit>>>> Scan::submit(std::span<const Query> queries,
                                                                const TargetShare& share, const SearchControl& control,
                                                                HostHelp help) {
    std::vector<std::span<const ResidueCode>> residues;
    std::uint64_t query_residues = 0;
    for (const Query& query : queries) {
        residues.emplace_back(query.residues);
        query_residues += query.residues.size();
    }
    auto job = std::make_shared<Job>(*this, queries, query_residues, share, control);
    job->batch = gpus_.make_batch(residues, scheme_);
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        job->collectors.push_back(std::make_unique<HitCollector>(databases_, queries, statistics_, settings_.space,
                                                                 settings_.evalue, settings_.max_hits));
    }
    job->counts.resize(workers_.size());
    return scan_.submit<std::vector<std::vector<Hit>>>(std::move(job), std::move(help));
}

std::vector<std::vector<Hit>> Scan::merge(Job& job) {
    std::vector<HitCollector*> collectors;
    for (const auto& collector : job.collectors) collectors.push_back(collector.get());
    auto hits = take_sorted_hits(collectors, job.queries.size());
    const std::lock_guard lock(mutex_);
    counts_.cells += job.cells();
    counts_.host += job.host_counts();
    counts_.scoring_seconds = scan_.seconds_since_first_job();
    for (const SwGpuCounts& counts : job.counts) {
        counts_.saturated += counts.saturated;
        counts_.chunks += counts.chunks;
        counts_.copies.bytes += counts.copies.bytes;
        counts_.copies.seconds += counts.copies.seconds;
        counts_.kernel_seconds += counts.kernel_seconds;
        counts_.host_seconds += counts.host_seconds;
    }
    return hits;
}

Status Scan::score_chunk(const Chunk& chunk, Job& job, std::size_t worker_index) {
    Worker& worker = workers_[worker_index];
    SwGpuCounts& counts = job.counts[worker_index];
    HitCollector& collector = *job.collectors[worker_index];
    const auto targets = scan_.bring(chunk, worker_index, *worker.device, counts.copies);
    if (!targets.ok()) return targets.status();
    const auto scores = worker.device->score(job.batch, **targets);
    if (!scores.ok()) return scores.status();
    counts.kernel_seconds += worker.device->kernel_milliseconds() / 1e3;
    ++counts.chunks;

    const auto start = Clock::now();
    const std::uint64_t lanes = (*targets)->lanes();
    std::vector<Saturated> saturated;
    worker.scores_raw.resize(lanes);
    const TargetMembers* const searched = databases_.searched(chunk.database);
    for (std::size_t query = 0; query < job.queries.size(); ++query) {
        const auto narrow = scores->subspan(query * lanes, lanes);
        std::uint16_t highest = 0;
        for (std::uint64_t i = 0; i < lanes; ++i) {
            worker.scores_raw[i] = narrow[i];
            highest = std::max(highest, narrow[i]);
        }
        for (std::uint64_t i = 0; highest >= cuda::kSaturatedScore && i < lanes; ++i) {
            if (narrow[i] < cuda::kSaturatedScore) continue;
            worker.scores_raw[i] = 0;
            if (searched != nullptr && !searched->has(chunk.first_sequence + i)) continue;
            saturated.push_back({query, chunk.first_sequence + i});
        }
        collector.add(query, chunk.database, chunk.first_sequence, worker.scores_raw);
    }
    counts.saturated += saturated.size();
    WARPSEQ_TRY(rescore(chunk, job.queries, saturated, collector));
    counts.host_seconds += seconds_since(start);
    return {};
}

Status Scan::rescore(const Chunk& chunk, std::span<const Query> queries, std::span<const Saturated> saturated,
                     HitCollector& collector) {
    if (saturated.empty()) return {};
    const WsdbReader& reader = databases_.reader(chunk.database);
    std::vector<std::int32_t> exact(saturated.size());
    WARPSEQ_TRY(scan_.with_pool([&](const ThreadPool& pool) {
        std::vector<TileBuffer> buffers(pool.threads());
        return pool.parallel_for(saturated.size(), [&](std::uint64_t i, unsigned thread) -> Status {
            const auto target = reader.residues(saturated[i].rank, buffers[thread]);
            if (!target.ok()) return target.status();
            const std::span<const ResidueCode> query(queries[saturated[i].query].residues);
            const auto scorer = make_smith_waterman_scorer(settings_.backend, std::span(&query, 1), scheme_);
            if (!scorer.ok()) return scorer.status();
            const std::uint64_t length = target->size();
            std::vector<std::uint32_t> words(tile_words(TileLayout::kLinear, length));
            pack_lane(*target, words.data(), words.size(), 0, 1);
            const TileView tile{words, std::span(&length, 1), words_for(length), 0, TileLayout::kLinear};
            const auto workspace = (*scorer)->make_workspace();
            (*scorer)->score(std::span(&tile, 1), *workspace, std::span(&exact[i], 1));
            return {};
        });
    }));
    for (std::size_t i = 0; i < saturated.size(); ++i) {
        collector.add(saturated[i].query, chunk.database, saturated[i].rank, std::span(&exact[i], 1));
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<SwGpuScan>> SwGpuScan::create(const DatabaseSet& databases, const ScoringScheme& scheme,
                                                     const std::optional<AlignmentStatistics>& statistics,
                                                     const SwGpuSettings& settings, const SwGpus& gpus) {
    auto scan = std::make_unique<Scan>(databases, scheme, statistics, settings, gpus);
    WARPSEQ_TRY(scan->open());
    return std::unique_ptr<SwGpuScan>(std::move(scan));
}

}  // namespace warpseq
