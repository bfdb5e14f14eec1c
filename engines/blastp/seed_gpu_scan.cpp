#include "engines/blastp/seed_gpu_scan.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "engines/devices/gpu_chunks.h"
#include "engines/devices/gpu_scan.h"
#include "engines/hit_collector.h"
#include "engines/targets/chunk.h"
#include "libcore/base/clock.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {
namespace {

/// Workers per GPU. It is one more than for other searches, because the host lists the pairs of
/// each query between word hits and scores.
constexpr std::size_t kSeedWorkersPerGpu = 3;

/// Most queries whose pairs a worker has scored at the same time. A few thousand pairs do not fill
/// a GPU. More queries at a time were no quicker (docs/lab-notes.md). The number is at most that of
/// the host's threads that a worker may use.
constexpr unsigned kMostScorersPerWorker = 3;
unsigned scorers_per_worker(unsigned host_threads, std::size_t workers) {
    return std::clamp(host_threads / static_cast<unsigned>(workers), 1u, kMostScorersPerWorker);
}

/// Bytes of the tables of a batch's words, with some to spare. kGatheredBytesPerChunkByte counts
/// gathered tiles, with what Smith-Waterman needs for them, for each byte of a chunk.
constexpr std::uint64_t kTableBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kGatheredBytesPerChunkByte = 4;

/// Most pairs of a chunk and a batch, which the kernel counts in 32 bits. Chunks are cut so that
/// half of that is enough for a batch of SwGpuSettings::most_queries. The count is checked for a
/// batch with many more parts.
constexpr std::uint64_t kMostSeedPairs = std::numeric_limits<std::uint32_t>::max();

/// Returns the settings without the host's help: the host lists the pairs that word hits leave.
GpuScanSettings without_help(GpuScanSettings settings) {
    settings.speeds_with_help.reset();
    return settings;
}

struct Worker {
    std::unique_ptr<cuda::WordHitGpu> seeds;
    struct Scorer {
        std::unique_ptr<cuda::SmithWatermanGpu> device;
        std::shared_ptr<cuda::DeviceTargets> gathered;  // memory for the tiles of one query after another
        std::vector<cuda::TargetLane> lanes;            // of the tiles
    };
    std::vector<Scorer> scorers;
    std::unique_ptr<ThreadPool> scoring;            // a thread per scorer
    std::vector<std::vector<std::uint32_t>> pairs;  // the lanes that word hits leave, by query
};

class Scan final : public SeedGpuScan {
   public:
    Scan(const DatabaseSet& databases, const BlastpParameters& parameters, const SwGpuSettings& settings,
         const SeedGpus& gpus)
        : databases_(databases),
          parameters_(parameters),
          statistics_(parameters.statistics),
          settings_(settings),
          gpus_(gpus),
          pool_(settings.host_threads),
          scan_(databases, without_help(settings)) {}

    Status open();
    std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const BlastpQuery* const> parts,
                                                              std::span<const Query> scanned, const TargetShare& share,
                                                              const SearchControl& control) override;
    BlastpGpuCounts counts() const override {
        const std::lock_guard lock(mutex_);
        return counts_;
    }

   private:
    class Job;
    Status search_chunk(const Chunk& chunk, Job& job, std::size_t worker_index);
    /// Lists the pairs of each query. Returns how many there are.
    std::uint64_t list_pairs(const Chunk& chunk, std::span<const cuda::WordHitPair> pairs, Worker& worker) const;
    /// Scores the pairs of a query, which are put in order.
    Status score(const Chunk& chunk, std::size_t query, const Job& job, const cuda::DeviceTargets& targets,
                 std::vector<std::uint32_t>& lanes, Worker::Scorer& scorer, HitCollector& collector) const;
    std::vector<std::vector<Hit>> merge(Job& job);

    const DatabaseSet& databases_;
    const BlastpParameters& parameters_;
    std::optional<AlignmentStatistics> statistics_;
    SwGpuSettings settings_;
    SeedGpus gpus_;
    ThreadPool pool_;  // for tables
    std::deque<Worker> workers_;

    mutable std::mutex mutex_;  // guards counts_
    BlastpGpuCounts counts_;
    GpuScan scan_;  // ends before what its jobs use
};

/// A batch that workers are busy with or will be.
class Scan::Job final : public GpuScanJob<std::vector<std::vector<Hit>>> {
   public:
    Job(Scan& scan, std::span<const Query> queries_of_batch, std::uint64_t query_residues, const TargetShare& share,
        const SearchControl& control)
        : GpuScanJob(scan.scan_, share, query_residues, control), queries(queries_of_batch), scan_(scan) {}
    Status work(const Chunk& chunk, std::size_t worker) override { return scan_.search_chunk(chunk, *this, worker); }

    std::span<const Query> queries;
    std::shared_ptr<const cuda::WordHitTables> seeds;
    std::vector<std::shared_ptr<const cuda::SmithWatermanBatch>> scores;  // for each query by itself
    std::vector<std::unique_ptr<HitCollector>> collectors;                // one per worker
    std::vector<BlastpGpuCounts> counts;                                  // likewise

   private:
    std::vector<std::vector<Hit>> merge() override { return scan_.merge(*this); }
    Scan& scan_;
};

Status Scan::open() {
    const auto budget = scan_.open(gpus_.scores.free_memory_bytes);
    if (!budget.ok()) return budget.status();
    const auto worker_bytes = [this](std::uint64_t chunk_bytes) {
        return chunk_bytes + gpus_.workspace_bytes(chunk_bytes, kTableBytes) + chunk_bytes * kGatheredBytesPerChunkByte;
    };
    std::uint64_t chunk_bytes = scan_.preferred_chunk_bytes();
    while (chunk_bytes > kLeastGpuChunkBytes && kSeedWorkersPerGpu * worker_bytes(chunk_bytes) > *budget)
        chunk_bytes /= 2;

    WARPSEQ_TRY(scan_.create_workers(kSeedWorkersPerGpu, [this](std::size_t, int ordinal) -> Status {
        Worker& worker = workers_.emplace_back();
        auto seeds = gpus_.create(ordinal);
        if (!seeds.ok()) return seeds.status();
        worker.seeds = *std::move(seeds);
        worker.scoring = std::make_unique<ThreadPool>(scorers_per_worker(settings_.host_threads, scan_.workers()));
        for (unsigned scorer = 0; scorer < worker.scoring->threads(); ++scorer) {
            auto device = gpus_.scores.create(ordinal);
            if (!device.ok()) return device.status();
            worker.scorers.push_back({*std::move(device), nullptr, {}});
        }
        return {};
    }));
    const std::uint64_t most_sequences = kMostSeedPairs / std::max<std::uint64_t>(settings_.most_queries, 1) / 2;
    return scan_.start({.form = ResidentChunks::Form::kSeeds,
                        .chunks = cut_chunks(databases_, chunk_bytes, most_sequences),
                        .working_bytes = kSeedWorkersPerGpu * worker_bytes(chunk_bytes),
                        .bytes_per_lane = gpus_.bytes_per_lane},
                       gpus_.scores.pin);
}

std::future<Result<std::vector<std::vector<Hit>>>> Scan::submit(std::span<const BlastpQuery* const> parts,
                                                                std::span<const Query> scanned,
                                                                const TargetShare& share,
                                                                const SearchControl& control) {
    std::vector<cuda::WordHitQuery> seeds;
    std::uint64_t query_residues = 0;
    for (const BlastpQuery* part : parts) {
        // A query that cannot be searched with has no words.
        seeds.push_back({part->scored, part->finder ? std::span(part->word_stretches) : std::span<const QueryStretch>(),
                         part->x_drop_ungapped_raw, part->ungapped_cutoff_raw});
        query_residues += part->scored.size();
    }
    auto job = std::make_shared<Job>(*this, scanned, query_residues, share, control);
    auto tables = cuda::WordHitTables::create(seeds, parameters_.rule, parameters_.scheme.matrix,
                                              parameters_.window_residues, pool_);
    job->scores.resize(parts.size());
    Status prepared = tables.status();
    if (prepared.ok()) {
        job->seeds = std::make_shared<const cuda::WordHitTables>(*std::move(tables));
        prepared = pool_.parallel_for(parts.size(), [&](std::uint64_t q, unsigned) {
            const std::span<const ResidueCode> residues(parts[q]->scored);
            job->scores[q] = gpus_.scores.make_batch(std::span(&residues, 1), parameters_.scheme);
        });
    }
    if (!prepared.ok()) return failed_scan<std::vector<std::vector<Hit>>>(prepared);
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        job->collectors.push_back(
            std::make_unique<HitCollector>(databases_, scanned, statistics_, settings_.space, settings_.evalue, 0));
    }
    job->counts.resize(workers_.size());
    return scan_.submit<std::vector<std::vector<Hit>>>(std::move(job), {});
}

std::vector<std::vector<Hit>> Scan::merge(Job& job) {
    std::vector<HitCollector*> collectors;
    for (const auto& collector : job.collectors) collectors.push_back(collector.get());
    auto hits = take_sorted_hits(collectors, job.queries.size());
    const std::lock_guard lock(mutex_);
    counts_.cells += job.cells();
    for (const BlastpGpuCounts& counts : job.counts) {
        counts_.seeded_pairs += counts.seeded_pairs;
        counts_.kernel_seconds += counts.kernel_seconds;
        counts_.scoring_seconds += counts.scoring_seconds;
    }
    return hits;
}

Status Scan::search_chunk(const Chunk& chunk, Job& job, std::size_t worker_index) {
    Worker& worker = workers_[worker_index];
    BlastpGpuCounts& counts = job.counts[worker_index];
    GpuCopies copies;
    const auto targets = scan_.bring(chunk, worker_index, *worker.seeds, copies);
    if (!targets.ok()) return targets.status();
    if ((*targets)->lanes() > kMostSeedPairs / std::max<std::size_t>(job.queries.size(), 1)) {
        return Status::unavailable("a chunk of " + std::to_string((*targets)->lanes()) + " sequences and a batch of " +
                                   std::to_string(job.queries.size()) +
                                   " queries, or parts of them, have more pairs than a GPU can count; search with "
                                   "smaller chunks")
            .with(Advice::kSmallerChunks);
    }
    const auto pairs = worker.seeds->find(job.seeds, **targets);
    if (!pairs.ok()) return pairs.status();
    counts.kernel_seconds += worker.seeds->kernel_milliseconds() / 1e3;

    const auto start = Clock::now();
    worker.pairs.resize(job.queries.size());
    counts.seeded_pairs += list_pairs(chunk, *pairs, worker);
    WARPSEQ_TRY(worker.scoring->parallel_for(job.queries.size(), [&](std::uint64_t q, unsigned scorer) {
        // The hits of one query come from one thread, so threads can share a collector.
        return score(chunk, q, job, **targets, worker.pairs[q], worker.scorers[scorer], *job.collectors[worker_index]);
    }));
    counts.scoring_seconds += seconds_since(start);
    return {};
}

std::uint64_t Scan::list_pairs(const Chunk& chunk, std::span<const cuda::WordHitPair> pairs, Worker& worker) const {
    for (auto& of_query : worker.pairs) of_query.clear();
    std::uint64_t count = 0;
    for (const cuda::WordHitPair& pair : pairs) {
        if (!databases_.is_searched(chunk.database, chunk.first_sequence + pair.lane)) continue;
        worker.pairs[pair.query].push_back(pair.lane);
        ++count;
    }
    return count;
}

Status Scan::score(const Chunk& chunk, std::size_t query, const Job& job, const cuda::DeviceTargets& targets,
                   std::vector<std::uint32_t>& lanes, Worker::Scorer& scorer, HitCollector& collector) const {
    if (lanes.empty()) return {};
    const auto add = [&](std::uint32_t lane, std::int32_t score_raw) {
        collector.add(query, chunk.database, chunk.first_sequence + lane, std::span(&score_raw, 1));
    };
    std::ranges::sort(lanes);  // the longest first, as in the chunk
    const WsdbNumbers lengths = databases_.reader(chunk.database).lengths_residues();
    scorer.lanes.clear();
    for (const std::uint32_t lane : lanes) {
        const std::uint64_t residues = lengths[chunk.first_sequence + lane];
        if (residues > kMostScoredResidues) {
            add(lane, kUnknownScore);
        } else {
            scorer.lanes.push_back({lane, static_cast<std::uint32_t>(residues)});
        }
    }
    if (scorer.lanes.empty()) return {};
    auto gathered = scorer.device->gather(targets, scorer.lanes, std::move(scorer.gathered));
    if (!gathered.ok()) return gathered.status();
    scorer.gathered = *std::move(gathered);
    const auto scores = scorer.device->score(job.scores[query], *scorer.gathered);
    if (!scores.ok()) return scores.status();
    for (std::size_t i = 0; i < scorer.lanes.size(); ++i) {
        const std::uint16_t score_raw = (*scores)[i];
        add(scorer.lanes[i].lane, score_raw < cuda::kSaturatedScore ? score_raw : kUnknownScore);
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<SeedGpuScan>> SeedGpuScan::create(const DatabaseSet& databases,
                                                         const BlastpParameters& parameters,
                                                         const SwGpuSettings& settings, const SeedGpus& gpus) {
    auto scan = std::make_unique<Scan>(databases, parameters, settings, gpus);
    WARPSEQ_TRY(scan->open());
    return std::unique_ptr<SeedGpuScan>(std::move(scan));
}

}  // namespace warpseq
