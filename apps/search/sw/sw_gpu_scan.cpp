#include "apps/search/sw/sw_gpu_scan.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "apps/common/progress.h"
#include "apps/search/chunk.h"
#include "apps/search/chunk_reader.h"
#include "apps/search/hit_collector.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/smith_waterman.h"
#include "libcore/thread_pool.h"

namespace warpseq {

namespace {

/// Chunks are large enough that a launch's last warps are few among many, and so many that the GPUs end together.
constexpr std::uint64_t kMostChunkBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kUsefulChunkBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kChunksPerGpu = 6;
constexpr std::uint64_t kLeastChunkBytes = std::uint64_t{128} << 10;
constexpr std::uint64_t kSpareBytes = std::uint64_t{96} << 20;
constexpr std::size_t kLinesPerGpu = 2;
/// Score slots of a chunk are bounded by the queries of a batch times its sequences; a sequence has about this many packed
/// bytes or more in a protein database (30 residues), and a batch this many queries (QueryBatchLimits).
constexpr std::uint64_t kScoreBytesPerChunkByte = 64 * sizeof(std::uint16_t) / 20;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Chunks that stay in one GPU's memory.
class ResidentChunks {
   public:
    ResidentChunks(std::size_t chunk_count, std::uint64_t capacity_bytes)
        : slots_(chunk_count), left_bytes_(capacity_bytes) {}

    /// Held while a chunk is looked up and, where it is not there, brought: two lines never bring the same chunk.
    std::mutex& mutex(std::size_t chunk) { return slots_[chunk].mutex; }
    std::shared_ptr<const cuda::DeviceTargets> find(std::size_t chunk) const { return slots_[chunk].targets; }

    /// Whether there is room for a chunk; if so, it is taken.
    bool claim(std::uint64_t bytes) {
        std::uint64_t left = left_bytes_.load();
        while (left >= bytes) {
            if (left_bytes_.compare_exchange_weak(left, left - bytes)) return true;
        }
        return false;
    }
    void keep(std::size_t chunk, std::shared_ptr<const cuda::DeviceTargets> targets) {
        slots_[chunk].targets = std::move(targets);
    }

   private:
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<const cuda::DeviceTargets> targets;
    };
    std::deque<Slot> slots_;
    std::atomic<std::uint64_t> left_bytes_;
};

struct Gpu {
    int ordinal;
    std::unique_ptr<ResidentChunks> resident;
};

/// A query against a sequence whose score the GPU could not hold.
struct Saturated {
    std::size_t query;
    std::uint64_t rank;
};

struct Line {
    Gpu* gpu = nullptr;
    std::unique_ptr<cuda::SmithWatermanGpu> device;
    std::shared_ptr<cuda::DeviceTargets> passing;  // memory for chunks that do not stay
    ChunkReader reader;
    std::vector<std::int32_t> scores_raw;
    std::thread thread;
};

/// A batch that lines of work are busy with, or will be.
struct Job {
    std::span<const Query> queries;
    std::uint64_t query_residues = 0;
    std::shared_ptr<const cuda::SmithWatermanBatch> batch;
    std::vector<std::unique_ptr<HitCollector>> collectors;  // one per line
    std::vector<SwGpuCounts> counts;                        // likewise
    std::size_t next_chunk = 0;                             // guarded by the scan's mutex, as what follows
    std::size_t chunks_left = 0;
    std::uint64_t cells_done = 0;
    FirstError error;
    std::unique_ptr<Progress> progress;
    std::promise<Result<std::vector<std::vector<Hit>>>> hits;
};

class Scan final : public SwGpuScan {
   public:
    Scan(const DatabaseSet& databases, const ScoringScheme& scheme,
         const std::optional<AlignmentStatistics>& statistics, const SwGpuSettings& settings)
        : databases_(databases),
          scheme_(scheme),
          statistics_(statistics),
          settings_(settings),
          pool_(settings.host_threads) {}

    ~Scan() override;

    Status open();
    std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const Query> queries, bool quiet) override;
    SwGpuCounts counts() const override {
        const std::lock_guard lock(mutex_);
        return counts_;
    }

   private:
    void work(std::size_t line_index);
    void finish(Job& job);
    Status score_chunk(std::size_t chunk_index, Job& job, std::size_t line_index);
    Result<std::shared_ptr<const cuda::DeviceTargets>> bring(std::size_t chunk_index, Line& line, SwGpuCounts& counts);
    Status rescore(const Chunk& chunk, std::span<const Query> queries, std::span<const Saturated> saturated,
                   HitCollector& collector);

    const DatabaseSet& databases_;
    const ScoringScheme& scheme_;
    const std::optional<AlignmentStatistics>& statistics_;
    SwGpuSettings settings_;
    ThreadPool pool_;
    std::mutex pool_mutex_;  // lines take turns at the pool
    std::vector<Chunk> chunks_;
    std::deque<Gpu> gpus_;
    std::deque<Line> lines_;

    mutable std::mutex mutex_;
    std::condition_variable more_;           // a job has come, or the end
    std::deque<std::shared_ptr<Job>> jobs_;  // with chunks that nobody has taken, oldest first
    bool stop_ = false;
    std::optional<Clock::time_point> started_;
    SwGpuCounts counts_;
};

Status Scan::open() {
    // Contexts of several GPUs are made side by side: each takes a fifth of a second.
    std::vector<std::uint64_t> free(settings_.ordinals.size());
    std::vector<std::thread> openers;
    FirstError error;
    for (std::size_t g = 0; g < settings_.ordinals.size(); ++g) {
        openers.emplace_back([&, g] {
            const auto bytes = cuda::free_gpu_memory_bytes(settings_.ordinals[g]);
            if (bytes.ok())
                free[g] = *bytes;
            else
                error.set(g, bytes.status());
        });
    }
    for (std::thread& opener : openers) opener.join();
    WARPSEQ_TRY(error.status());

    // Something stays free for what the driver loads when kernels first run, and for query profiles.
    std::uint64_t budget = *std::ranges::min_element(free) / 10 * 9;
    budget -= std::min(budget, kSpareBytes);
    if (settings_.device_memory_bytes != 0) budget = std::min(budget, settings_.device_memory_bytes);
    const auto line_bytes = [](std::uint64_t chunk_bytes) {
        return chunk_bytes + cuda::SmithWatermanGpu::workspace_bytes(chunk_bytes, true) +
               chunk_bytes * kScoreBytesPerChunkByte;
    };
    std::uint64_t chunk_bytes = settings_.chunk_bytes;
    if (chunk_bytes == 0) {
        std::uint64_t all_bytes = 0;
        for (std::size_t d = 0; d < databases_.size(); ++d) {
            for (std::uint64_t tile = 0; tile < databases_.reader(d).tile_count(); ++tile)
                all_bytes += databases_.reader(d).tile_bytes(tile);
        }
        chunk_bytes =
            std::clamp(all_bytes / (kChunksPerGpu * settings_.ordinals.size()), kUsefulChunkBytes, kMostChunkBytes);
    }
    while (chunk_bytes > kLeastChunkBytes && kLinesPerGpu * line_bytes(chunk_bytes) > budget) chunk_bytes /= 2;

    for (const int ordinal : settings_.ordinals) gpus_.push_back({ordinal, nullptr});
    lines_.resize(kLinesPerGpu * gpus_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        lines_[i].gpu = &gpus_[i % gpus_.size()];
        auto device = cuda::SmithWatermanGpu::create(lines_[i].gpu->ordinal);
        if (!device.ok()) return device.status();
        lines_[i].device = *std::move(device);
    }
    // Somebody else may have taken what was free: smaller chunks then, and an error when even the smallest find no room.
    for (;; chunk_bytes /= 2) {
        Status status;
        for (std::size_t i = 0; status.ok() && i < lines_.size(); ++i) status = lines_[i].device->reserve(chunk_bytes);
        if (status.ok()) break;
        if (chunk_bytes <= kLeastChunkBytes) return status;
    }
    chunks_ = cut_chunks(databases_, chunk_bytes);
    const std::uint64_t working = kLinesPerGpu * line_bytes(chunk_bytes);
    for (Gpu& gpu : gpus_) {
        gpu.resident = std::make_unique<ResidentChunks>(chunks_.size(), budget > working ? budget - working : 0);
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].thread = std::thread([this, i] { work(i); });
    return {};
}

Scan::~Scan() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    more_.notify_all();
    for (Line& line : lines_) {
        if (line.thread.joinable()) line.thread.join();
    }
}

std::future<Result<std::vector<std::vector<Hit>>>> Scan::submit(std::span<const Query> queries, bool quiet) {
    if (!started_) started_ = Clock::now();
    auto job = std::make_shared<Job>();
    job->queries = queries;
    std::vector<std::span<const ResidueCode>> residues;
    for (const Query& query : queries) {
        residues.emplace_back(query.residues);
        job->query_residues += query.residues.size();
    }
    job->batch = std::make_shared<const cuda::SmithWatermanBatch>(residues, scheme_);
    for (std::size_t line = 0; line < lines_.size(); ++line) {
        job->collectors.push_back(
            std::make_unique<HitCollector>(databases_, queries, statistics_, settings_.evalue, settings_.max_hits));
    }
    job->counts.resize(lines_.size());
    job->chunks_left = chunks_.size();
    job->progress = std::make_unique<Progress>("Searching", job->query_residues * databases_.residue_count(), quiet);
    auto hits = job->hits.get_future();
    if (chunks_.empty()) {
        finish(*job);
        return hits;
    }
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    more_.notify_all();
    return hits;
}

void Scan::work(std::size_t line_index) {
    for (;;) {
        std::shared_ptr<Job> job;
        std::size_t chunk = 0;
        {
            std::unique_lock lock(mutex_);
            more_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
            if (stop_) return;
            job = jobs_.front();
            chunk = job->next_chunk++;
            if (job->next_chunk == chunks_.size()) jobs_.pop_front();
        }
        // After an error the rest of a batch is passed over: it will not be reported.
        const Status status = job->error.status().ok() ? score_chunk(chunk, *job, line_index) : Status();
        if (!status.ok()) job->error.set(chunk, status);
        bool last = false;
        {
            const std::lock_guard lock(mutex_);
            job->cells_done += chunks_[chunk].residues * job->query_residues;
            job->progress->update(job->cells_done);
            last = --job->chunks_left == 0;
        }
        if (last) finish(*job);
    }
}

void Scan::finish(Job& job) {
    job.progress->finish();
    if (!job.error.status().ok()) {
        job.hits.set_value(job.error.status());
        return;
    }
    std::vector<HitCollector*> collectors;
    for (const auto& collector : job.collectors) collectors.push_back(collector.get());
    auto hits = take_sorted_hits(collectors, job.queries.size());
    {
        const std::lock_guard lock(mutex_);
        counts_.cells += job.query_residues * databases_.residue_count();
        counts_.scoring_seconds = seconds_since(*started_);
        for (const SwGpuCounts& counts : job.counts) {
            counts_.saturated += counts.saturated;
            counts_.chunks += counts.chunks;
            counts_.uploaded_bytes += counts.uploaded_bytes;
            counts_.kernel_seconds += counts.kernel_seconds;
            counts_.upload_seconds += counts.upload_seconds;
            counts_.host_seconds += counts.host_seconds;
        }
    }
    job.hits.set_value(std::move(hits));
}

Result<std::shared_ptr<const cuda::DeviceTargets>> Scan::bring(std::size_t chunk_index, Line& line,
                                                               SwGpuCounts& counts) {
    const Chunk& chunk = chunks_[chunk_index];
    ResidentChunks& resident = *line.gpu->resident;
    const std::lock_guard lock(resident.mutex(chunk_index));
    if (auto targets = resident.find(chunk_index)) return targets;

    const auto start = Clock::now();
    {
        const std::lock_guard pool_lock(pool_mutex_);
        WARPSEQ_TRY(line.reader.read(databases_.reader(chunk.database), chunk, pool_));
    }
    std::uint64_t bytes = 0;
    for (const TileView& tile : line.reader.tiles()) bytes += tile.words.size_bytes() + sizeof(TileView);
    counts.uploaded_bytes += bytes;
    const bool stays = resident.claim(bytes);
    auto targets = line.device->upload(line.reader.tiles(), stays ? nullptr : line.passing);
    if (!targets.ok()) return targets.status();
    if (stays) {
        resident.keep(chunk_index, *targets);
    } else {
        line.passing = *targets;
    }
    counts.upload_seconds += seconds_since(start);
    return std::shared_ptr<const cuda::DeviceTargets>(*std::move(targets));
}

Status Scan::score_chunk(std::size_t chunk_index, Job& job, std::size_t line_index) {
    const Chunk& chunk = chunks_[chunk_index];
    Line& line = lines_[line_index];
    SwGpuCounts& counts = job.counts[line_index];
    HitCollector& collector = *job.collectors[line_index];
    const auto targets = bring(chunk_index, line, counts);
    if (!targets.ok()) return targets.status();
    const auto scores = line.device->score(job.batch, **targets);
    if (!scores.ok()) return scores.status();
    counts.kernel_seconds += line.device->kernel_milliseconds() / 1e3;
    ++counts.chunks;

    const auto start = Clock::now();
    const std::uint64_t lanes = (*targets)->lanes();
    std::vector<Saturated> saturated;
    line.scores_raw.resize(lanes);
    for (std::size_t query = 0; query < job.queries.size(); ++query) {
        const auto narrow = scores->subspan(query * lanes, lanes);
        for (std::uint64_t i = 0; i < lanes; ++i) {
            line.scores_raw[i] = narrow[i];
            if (narrow[i] >= cuda::kSaturatedScore) {
                line.scores_raw[i] = 0;
                saturated.push_back({query, chunk.first_sequence + i});
            }
        }
        collector.add(query, chunk.database, chunk.first_sequence, line.scores_raw);
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
    FirstError error;
    {
        const std::lock_guard pool_lock(pool_mutex_);
        std::vector<TileBuffer> buffers(pool_.threads());
        pool_.parallel_for(saturated.size(), [&](std::uint64_t i, unsigned thread) {
            const auto target = reader.residues(saturated[i].rank, buffers[thread]);
            if (!target.ok()) return error.set(i, target.status());
            const std::span<const ResidueCode> query(queries[saturated[i].query].residues);
            const auto scorer = make_smith_waterman_scorer(settings_.backend, std::span(&query, 1), scheme_);
            if (!scorer.ok()) return error.set(i, scorer.status());
            const std::uint64_t length = target->size();
            std::vector<std::uint32_t> words(tile_words(TileLayout::kLinear, length));
            pack_lane(*target, words.data(), words.size(), 0, 1);
            const TileView tile{words, std::span(&length, 1), words_for(length), 0, TileLayout::kLinear};
            const auto workspace = (*scorer)->make_workspace();
            (*scorer)->score(std::span(&tile, 1), *workspace, std::span(&exact[i], 1));
        });
    }
    WARPSEQ_TRY(error.status());
    for (std::size_t i = 0; i < saturated.size(); ++i) {
        collector.add(saturated[i].query, chunk.database, saturated[i].rank, std::span(&exact[i], 1));
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<SwGpuScan>> SwGpuScan::create(const DatabaseSet& databases, const ScoringScheme& scheme,
                                                     const std::optional<AlignmentStatistics>& statistics,
                                                     const SwGpuSettings& settings) {
    auto scan = std::make_unique<Scan>(databases, scheme, statistics, settings);
    WARPSEQ_TRY(scan->open());
    return std::unique_ptr<SwGpuScan>(std::move(scan));
}

}  // namespace warpseq
