#include "engines/hmm/hmm_engine.h"

#include <algorithm>
#include <utility>

#include "libcore/base/clock.h"

namespace warpseq {
namespace {

/// Number of batches in flight with GPUs. They are small enough that the host finishes some while
/// the GPUs filter the next ones. Several are finished side by side, so that the longest task of
/// one does not hold up the others.
constexpr std::size_t kGpuBatchesInFlight = 6;
/// Number of batches in flight with GPUs and few targets. A GPU then waits for profiles, and each
/// batch is prepared by a thread of its own.
constexpr std::size_t kGpuBatchesInFlightForFew = 12;
constexpr std::size_t kCpuBatchesInFlight = 3;
constexpr unsigned kManyThreads = 4;
constexpr HmmBatchLimits kGpuBatch{.profiles = 32, .nodes = 8 << 10};
constexpr HmmBatchLimits kGpuBatchForFew{.profiles = 64, .nodes = 16 << 10};

bool has_few_targets(const Session& session) { return session.databases().residue_count() < kFewTargetResidues; }

}  // namespace

HmmEngine::HmmEngine(const Session& session, HmmSettings settings) : session_(session), settings_(std::move(settings)) {
    settings_.pipeline.backend = session.settings().backend;
    HmmSearchSettings host{.pipeline = settings_.pipeline,
                           .targets_z = settings_.targets_z,
                           .domains_z = settings_.domains_z,
                           .names_as_hmmer = settings_.names_as_hmmer};
    if (session.settings().chunk_bytes != 0) host.chunk_bytes = session.settings().chunk_bytes;
    host_.emplace(session.databases(), host, session.pool());
}

Result<std::unique_ptr<HmmEngine>> HmmEngine::create(const Session& session, HmmSettings settings) {
    std::unique_ptr<HmmEngine> engine(new HmmEngine(session, std::move(settings)));
#if WARPSEQ_HAVE_CUDA
    if (!session.gpus().empty()) {
        HmmGpuSettings gpu{session.gpu_scan_settings()};
        gpu.most_profiles = batch_limits(session).profiles;
        gpu.pipeline = engine->settings_.pipeline;
        gpu.targets_z = engine->settings_.targets_z;
        auto filter = HmmGpuFilter::create(session.databases(), gpu, HmmGpus::of_this_machine());
        if (!filter.ok()) return filter.status();
        engine->gpus_ = *std::move(filter);
    }
#endif
    return engine;
}

Result<HmmBatch> HmmEngine::prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                            const std::stop_token& stop) {
    auto batch = host_->prepare_sources(std::move(sources), std::move(thresholds), stop);
    if (!batch.ok() || !gpus_) return batch;
    WARPSEQ_TRY(session_.pool().with_stop(stop).parallel_for(
        batch->size(), [&](std::uint64_t p, unsigned) { return batch->pipelines[p]->prepare_later(); }));
    return batch;
}

bool HmmEngine::models_are_worth_a_gpu(std::uint64_t nodes, std::uint64_t sequence_residues, unsigned threads) {
    constexpr double kCpuCellsPerSecond = 18e9;  // of a thread, all stages of Pfam-like profiles
    constexpr double kGpuStartSeconds = 0.3, kGpuSecondsPerNode = 0.8e-6, kGpuCellsPerSecond = 1e13;
    constexpr double kTableSecondsPerNode = 2e-6;  // of a thread
    const double cells = static_cast<double>(nodes) * static_cast<double>(sequence_residues);
    const double cpu_seconds = cells / (kCpuCellsPerSecond * threads);
    const double gpu_seconds =
        kGpuStartSeconds + std::max(kGpuSecondsPerNode, kTableSecondsPerNode / threads) * static_cast<double>(nodes) +
        cells / kGpuCellsPerSecond;
    return gpu_seconds < cpu_seconds;
}

std::size_t HmmEngine::batches_in_flight() const {
    const bool few = has_few_targets(session_) && session_.settings().threads >= kManyThreads;
    if (gpus_) return few ? kGpuBatchesInFlightForFew : kGpuBatchesInFlight;
    // Each batch ends with a task that keeps only one of many threads busy. With few targets that
    // takes longer than the rest.
    return few ? kCpuBatchesInFlight : 1;
}

HmmBatchLimits HmmEngine::batch_limits(const Session& session) {
    HmmBatchLimits limits = has_few_targets(session) ? kGpuBatchForFew : kGpuBatch;
    if (session.gpus().empty() && !session.settings().same_batches) limits = {};
    limits.nodes = session.batch_residues(limits.nodes);
    return limits;
}

std::future<Result<HmmPartial>> HmmEngine::start_scan(const HmmBatch& batch, const TargetShare& share,
                                                      const SearchControl& control) {
    if (!gpus_) {
        return std::async(std::launch::deferred, [this, &batch, share, control]() -> Result<HmmPartial> {
            const auto progress = control.observer.begin(
                "Searching", HmmScan::kUnits * batch.nodes() * residues_of(share, session_.databases()));
            auto partial = guarded([&] { return host_->scan(batch, share, *progress, control.stop); });
            if (partial.ok()) progress->finish();
            return partial;
        });
    }
    const auto start = Clock::now();
    auto of_host = std::make_shared<HmmPartial>();
    const auto scan = [this, of_host, &batch, stop = control.stop](const TargetShare& part,
                                                                   Progress& progress) -> Status {
        auto partial = host_->scan(batch, part, progress, stop);
        if (!partial.ok()) return partial.status();
        return merge(*of_host, *std::move(partial));
    };
    // In the end the search waits for other batches to be finished, so the host does not help then.
    const auto is_idle = [this] { return finishing_ == 0 && session_.pool().is_idle(); };
    auto filtered =
        gpus_->submit(batch, share, control, {.scan = scan, .units_per_cell = HmmScan::kUnits, .is_idle = is_idle});
    host_->add({.submit_seconds = seconds_since(start)});
    return std::async(
        std::launch::deferred,
        [this, &batch, of_host, stop = control.stop, filtered = std::move(filtered)]() mutable -> Result<HmmPartial> {
            const auto begin = Clock::now();
            auto left = guarded([&] { return filtered.get(); });
            host_->add({.wait_seconds = seconds_since(begin)});
            if (!left.ok()) return left.status();
            const Finishing finishing(finishing_);
            return guarded([&]() -> Result<HmmPartial> {
                auto partial = host_->scan(batch, *std::move(left), stop);
                if (partial.ok() && !of_host->hits.empty()) WARPSEQ_TRY(merge(*partial, std::move(*of_host)));
                return partial;
            });
        });
}

Status HmmEngine::merge(HmmPartial& partial, HmmPartial&& other) const {
    partial.add(std::move(other));
    for (const std::vector<HmmHit>& hits : partial.hits) {
        const auto twice = std::ranges::adjacent_find(hits, {}, &HmmHit::place);
        if (twice != hits.end()) return found_twice(session_.databases(), twice->database, twice->rank);
    }
    return {};
}

Result<std::vector<HmmReport>> HmmEngine::finish(const HmmBatch& batch, HmmPartial partial,
                                                 const SearchControl& control) {
    const Finishing finishing(finishing_);
    return host_->finish(batch, std::move(partial), control.stop);
}

std::optional<HmmGpuCounts> HmmEngine::gpu_counts() const {
    if (!gpus_) return {};
    return gpus_->counts();
}

}  // namespace warpseq
