#include "kernels/smith_waterman/smith_waterman_gpu.h"

#include <algorithm>
#include <cstring>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/launch.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/gpu/streams.cuh"
#include "kernels/smith_waterman/smith_waterman_kernel_gpu.cuh"

namespace warpseq::cuda {

namespace {

static_assert(kLeastBorderColumns >=
              kSmithWatermanWordColumns *
                  SmithWatermanLayout(Pairing::kTwoQueries, kMostGroupThreads, 8, false).least_words);

/// Returns the most counts of the words that are left, for all passes and fine units of a launch on
/// a chunk of so many packed bytes. The units that are beyond it tell only that they are done. With
/// little device memory chunks are small, so the counts must not take a fixed part of it.
constexpr std::uint64_t most_fine_counts(std::uint64_t chunk_bytes) {
    return std::clamp(chunk_bytes / 32, std::uint64_t{1} << 14, std::uint64_t{1} << 20);
}
/// If a pass has fewer units than this for each warp that the GPU holds, all units are fine. Else
/// the warps are busy without it, and only long units are. They would hold up the next pass.
constexpr std::uint64_t kFewUnitsPerWarp = 4;
/// A pass tells how far it is after so many words of a unit. To tell it, a warp waits until its
/// border entries have arrived in memory.
constexpr std::uint32_t kPublishWords = 16;

using Kernel = void (*)(KernelArguments);

struct Instance {
    Pairing pairing;
    int group_threads, rows_per_thread;
    bool linear, borders;
    Kernel kernel;
};

template <Pairing kPairing, int G, int R, bool kLinear, bool kBorders>
constexpr Instance instance() {
    return {kPairing, G, R, kLinear, kBorders, smith_waterman_kernel<kPairing, G, R, kLinear, kBorders>};
}

using enum Pairing;

const Instance kInstances[] = {
    instance<kTwoQueries, 1, 16, false, false>(), instance<kTwoQueries, 2, 16, false, false>(),
    instance<kTwoQueries, 4, 16, false, false>(), instance<kTwoQueries, 8, 16, false, false>(),
    instance<kTwoQueries, 8, 16, false, true>(),  instance<kTwoQueries, 1, 24, false, false>(),
    instance<kTwoQueries, 2, 24, false, false>(), instance<kTwoQueries, 4, 24, false, false>(),
    instance<kTwoQueries, 8, 24, false, false>(), instance<kTwoQueries, 8, 24, false, true>(),
    instance<kTwoQueries, 1, 32, false, false>(), instance<kTwoQueries, 2, 32, false, false>(),
    instance<kTwoQueries, 4, 32, false, false>(), instance<kTwoQueries, 8, 32, false, false>(),
    instance<kTwoQueries, 8, 32, false, true>(),  instance<kTwoQueries, 1, 40, false, false>(),
    instance<kTwoQueries, 2, 40, false, false>(), instance<kTwoQueries, 4, 40, false, false>(),
    instance<kTwoQueries, 8, 40, false, false>(), instance<kTwoQueries, 8, 40, false, true>(),
    instance<kTwoQueries, 8, 8, true, false>(),   instance<kTwoQueries, 8, 8, true, true>(),
    instance<kTwoTargets, 1, 16, false, false>(), instance<kTwoTargets, 2, 16, false, false>(),
    instance<kTwoTargets, 4, 16, false, false>(), instance<kTwoTargets, 8, 16, false, false>(),
    instance<kTwoTargets, 8, 16, false, true>(),  instance<kTwoTargets, 1, 24, false, false>(),
    instance<kTwoTargets, 2, 24, false, false>(), instance<kTwoTargets, 4, 24, false, false>(),
    instance<kTwoTargets, 8, 24, false, false>(), instance<kTwoTargets, 8, 24, false, true>(),
    instance<kTwoTargets, 1, 32, false, false>(), instance<kTwoTargets, 2, 32, false, false>(),
    instance<kTwoTargets, 4, 32, false, false>(), instance<kTwoTargets, 8, 32, false, false>(),
    instance<kTwoTargets, 8, 32, false, true>(),  instance<kTwoTargets, 1, 40, false, false>(),
    instance<kTwoTargets, 2, 40, false, false>(), instance<kTwoTargets, 4, 40, false, false>(),
    instance<kTwoTargets, 8, 40, false, false>(), instance<kTwoTargets, 8, 40, false, true>(),
    instance<kTwoTargets, 8, 8, true, false>(),   instance<kTwoTargets, 8, 8, true, true>(),
};

Kernel find_kernel(const KernelShape& shape, bool linear, bool borders) {
    for (const Instance& each : kInstances) {
        if (each.pairing == shape.pairing && each.group_threads == shape.group_threads &&
            each.rows_per_thread == shape.rows_per_thread && each.linear == linear && each.borders == borders) {
            return each.kernel;
        }
    }
    return nullptr;
}

SmithWatermanBatch::Part make_part(SmithWatermanPlan plan, std::span<const std::span<const ResidueCode>> queries,
                                   const SubstitutionMatrix& matrix) {
    SmithWatermanBatch::Part part{std::move(plan), {}};
    const std::size_t words = SmithWatermanLayout(part.plan.shape).profile_words();
    part.profiles.resize(words * part.plan.passes.size());
    for (std::size_t pass = 0; pass < part.plan.passes.size(); ++pass) {
        fill_profile(part.plan, pass, queries, matrix, std::span(part.profiles).subspan(pass * words, words));
    }
    return part;
}

/// Returns the segments of all passes as the kernel reads them.
std::vector<SegmentArguments> segment_arguments(const SmithWatermanPlan& plan) {
    std::vector<SegmentArguments> all;
    for (const Pass& pass : plan.passes) {
        for (int thread = 0; thread < kMostGroupThreads; ++thread) {
            SegmentArguments& to = all.emplace_back();
            for (int half = 0; half < 2; ++half) {
                const Segment& from = pass.segments[half][thread];
                to.query[half] = from.reports ? from.query : -1;
                if (from.continues) to.keep |= 0xffffu << (16 * half);
            }
            if (plan.shape.pairing == kTwoTargets && to.keep != 0) to.keep = ~0u;
        }
    }
    return all;
}

std::vector<std::uint64_t> lengths_of(std::span<const std::span<const ResidueCode>> queries) {
    std::vector<std::uint64_t> lengths;
    for (const auto& query : queries) lengths.push_back(query.size());
    return lengths;
}

class SmithWatermanWorker final : public SmithWatermanGpu {
   public:
    explicit SmithWatermanWorker(int ordinal) : ordinal_(ordinal), uploader_(ordinal) {}

    ~SmithWatermanWorker() override { cudaSetDevice(ordinal_); }  // the GPU of the memory that is freed next

    Status open() {
        WARPSEQ_TRY(stream_.open(ordinal_));
        WARPSEQ_TRY(fan_.open(ordinal_, 1));
        for (Event* event : {&begun_, &ended_}) WARPSEQ_TRY(event->open(ordinal_, Event::Kind::kTime));
        const Result<int> shared_bytes = find_shared_bytes(ordinal_);
        if (!shared_bytes.ok()) return shared_bytes.status();
        shared_bytes_ = static_cast<std::size_t>(*shared_bytes);
        return {};
    }

    Status reserve(std::uint64_t chunk_bytes) override {
        WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
        borders_ = DeviceArray<uint2>();
        return cuda_status(borders_.reserve(workspace_bytes(chunk_bytes, true) / sizeof(uint2)), ordinal_,
                           "no memory for border rows");
    }

    Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles, std::shared_ptr<DeviceTargets> reuse,
                                                  const UploadSource& source) override {
        return uploader_.upload(tiles, std::move(reuse), stream_.get(), source);
    }
    Result<std::shared_ptr<DeviceTargets>> gather(const DeviceTargets& from, std::span<const TargetLane> lanes,
                                                  std::shared_ptr<DeviceTargets> reuse) override {
        const auto there = targets_on(ordinal_, from, TargetTables::kSequences);
        if (!there.ok()) return there.status();
        return uploader_.gather(**there, lanes, std::move(reuse), stream_.get());
    }
    Result<std::span<const std::uint16_t>> score(const std::shared_ptr<const SmithWatermanBatch>& batch,
                                                 const DeviceTargets& targets) override;
    float kernel_milliseconds() const override { return kernel_milliseconds_; }

   private:
    Status copy_batch(const std::shared_ptr<const SmithWatermanBatch>& batch);
    /// A part of the batch in device memory, and the state of the kernel that computes it.
    struct PartOnDevice {
        DeviceArray<std::uint32_t> profiles;
        DeviceArray<SegmentArguments> segments;       // kMostGroupThreads for each pass
        DeviceArray<unsigned> control;                // tickets and progress of a launch
        std::vector<SegmentArguments> host_segments;  // kept because they may still be being copied
    };
    Status copy_part(const SmithWatermanBatch::Part& part, PartOnDevice& device);
    Status launch(const SmithWatermanBatch::Part& part, PartOnDevice& device, const TargetsOnDevice& targets,
                  bool linear, cudaStream_t stream);

    int ordinal_;
    std::size_t shared_bytes_ = 0;  // the most that a block may have
    TargetUploader uploader_;
    Stream stream_;
    StreamFan fan_;  // one branch, for linear tiles
    Event begun_, ended_;
    std::shared_ptr<const SmithWatermanBatch> batch_;
    PartOnDevice interleaved_, linear_;
    DeviceArray<uint2> borders_;
    DeviceArray<std::uint16_t> scores_;
    PinnedArray<std::uint16_t> host_scores_;
    float kernel_milliseconds_ = 0;
};

Status SmithWatermanWorker::copy_batch(const std::shared_ptr<const SmithWatermanBatch>& batch) {
    if (batch_ == batch) return {};
    batch_ = nullptr;
    WARPSEQ_TRY(copy_part(batch->interleaved(), interleaved_));
    WARPSEQ_TRY(copy_part(batch->linear(), linear_));
    batch_ = batch;
    return {};
}

Status SmithWatermanWorker::copy_part(const SmithWatermanBatch::Part& part, PartOnDevice& device) {
    device.host_segments = segment_arguments(part.plan);
    WARPSEQ_CUDA_TRY(device.profiles.reserve_ahead(part.profiles.size()), ordinal_, "no memory for query profiles");
    WARPSEQ_CUDA_TRY(device.segments.reserve_ahead(device.host_segments.size()), ordinal_,
                     "no memory for query profiles");
    WARPSEQ_TRY(copy_to_device(device.profiles, part.profiles, ordinal_, stream_.get(), "query profiles"));
    return copy_to_device(device.segments, device.host_segments, ordinal_, stream_.get(), "query profiles");
}

Status SmithWatermanWorker::launch(const SmithWatermanBatch::Part& part, PartOnDevice& device,
                                   const TargetsOnDevice& targets, bool linear, cudaStream_t stream) {
    if (part.plan.passes.empty()) return {};  // no query has a residue
    const KernelShape& shape = part.plan.shape;
    const bool borders = part.plan.has_borders();
    const Kernel kernel = find_kernel(shape, linear, borders);
    if (kernel == nullptr) return Status::unavailable("no kernel for this plan: a defect of warpseq, please report it");
    const SmithWatermanLayout layout(shape, linear);
    const std::size_t shared_bytes = layout.shared_bytes(borders);
    if (shared_bytes > shared_bytes_) {
        return Status::unavailable("GPU " + std::to_string(ordinal_) + ": too little shared memory for the kernel");
    }
    const Result<unsigned> resident =
        resident_blocks(ordinal_, kernel, {.threads = kSmithWatermanBlockThreads, .shared_bytes = shared_bytes});
    if (!resident.ok()) return resident.status();
    const std::uint32_t tile_count = linear ? targets.linear_tiles : targets.interleaved_tiles;
    const auto unit_targets = static_cast<std::uint32_t>(layout.unit_targets);
    const std::uint64_t units =
        (std::uint64_t{tile_count} * (linear ? 1 : kTileLanes) + unit_targets - 1) / unit_targets;
    const std::uint64_t passes = part.plan.passes.size();
    const unsigned blocks_per_pass = blocks_for(units, kSmithWatermanBlockThreads / 32, *resident);
    const auto twice = [](std::uint32_t value) { return value | value << 16; };

    std::uint64_t fine_units = 0;
    if (borders) {
        const std::uint64_t warps = std::uint64_t{*resident} * (kSmithWatermanBlockThreads / 32);
        const std::uint64_t long_units =
            linear ? units
                   : (targets.long_interleaved_tiles * std::uint64_t{kTileLanes} + unit_targets - 1) / unit_targets;
        const std::uint64_t most = most_fine_counts(targets.word_count * sizeof(std::uint32_t)) / passes;
        fine_units = std::min(units < kFewUnitsPerWarp * warps ? units : long_units, most);
    }
    const std::uint64_t control_words = 1 + passes + (borders ? units + passes * fine_units : 0);
    WARPSEQ_CUDA_TRY(device.control.reserve_ahead(control_words), ordinal_, "no memory for tickets");
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(device.control.data(), 0, control_words * sizeof(unsigned), stream), ordinal_,
                     "cannot start the kernel");

    KernelArguments arguments{};
    arguments.words = targets.words.data();
    arguments.tiles = targets.tiles.data() + (linear ? 0 : targets.linear_tiles + 1);
    arguments.tile_count = tile_count;
    arguments.profiles = reinterpret_cast<const uint4*>(device.profiles.data());
    arguments.segments = device.segments.data();
    arguments.blocks_per_pass = blocks_per_pass;
    // No score below saturation reaches 2,047 above another. So higher costs are the same as this
    // one.
    arguments.gap_first =
        twice(0x8000u | static_cast<std::uint32_t>(std::min(batch_->gaps().first(), kSaturatedScore - 1)));
    arguments.gap_extend = twice(static_cast<std::uint16_t>(-std::min(batch_->gaps().extend, kSaturatedScore - 1)));
    arguments.borders = borders_.data() + (linear ? 0 : targets.border_entries[1]);
    arguments.block_ticket = device.control.data();
    arguments.unit_tickets = arguments.block_ticket + 1;
    if (borders) {
        arguments.progress.passes_done = arguments.unit_tickets + passes;
        arguments.progress.words_left = arguments.progress.passes_done + units;
        arguments.progress.fine_units = static_cast<std::uint32_t>(fine_units);
        arguments.progress.publish_words = kPublishWords;
    }
    arguments.scores = scores_.data();
    arguments.lane_count = targets.lane_count;
    kernel<<<static_cast<unsigned>(blocks_per_pass * passes), kSmithWatermanBlockThreads, shared_bytes, stream>>>(
        arguments);
    return cuda_status(cudaGetLastError(), ordinal_, "cannot start the kernel");
}

Result<std::span<const std::uint16_t>> SmithWatermanWorker::score(
    const std::shared_ptr<const SmithWatermanBatch>& batch, const DeviceTargets& targets_base) {
    const auto there = targets_on(ordinal_, targets_base);
    if (!there.ok()) return there.status();
    const TargetsOnDevice& targets = **there;
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    EnqueuedWork work(ordinal_);
    WARPSEQ_TRY(copy_batch(batch));
    const std::size_t score_count = batch->query_count() * targets.lane_count;
    WARPSEQ_CUDA_TRY(scores_.reserve_ahead(std::max<std::size_t>(score_count, 1)), ordinal_, "no memory for scores");
    WARPSEQ_CUDA_TRY(host_scores_.reserve_ahead(std::max<std::size_t>(score_count, 1)), ordinal_,
                     "no pinned memory for scores");
    if (batch->has_borders()) {
        WARPSEQ_CUDA_TRY(borders_.reserve_ahead(targets.border_entries[0] + targets.border_entries[1]), ordinal_,
                         "no memory for border rows");
    }
    // A query without residues has no segment that writes its scores.
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(scores_.data(), 0, score_count * sizeof(std::uint16_t), stream_.get()), ordinal_,
                     "cannot clear scores");
    WARPSEQ_TRY(begun_.record(stream_.get()));
    // The few very long targets run beside the others, first in line for the multiprocessors.
    WARPSEQ_TRY(fan_.run(stream_.get(), targets.linear_tiles > 0 ? 1 : 0, [&]() -> Status {
        if (targets.linear_tiles > 0) WARPSEQ_TRY(launch(batch->linear(), linear_, targets, true, fan_.branch(0)));
        if (targets.interleaved_tiles == 0) return {};
        return launch(batch->interleaved(), interleaved_, targets, false, stream_.get());
    }));
    WARPSEQ_TRY(ended_.record(stream_.get()));
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(host_scores_.data(), scores_.data(), score_count * sizeof(std::uint16_t),
                                     cudaMemcpyDeviceToHost, stream_.get()),
                     ordinal_, "cannot copy scores");
    WARPSEQ_TRY(work.wait(stream_.get(), "the Smith-Waterman kernel failed"));
    const Result<float> milliseconds = milliseconds_between(begun_, ended_);
    if (!milliseconds.ok()) return milliseconds.status();
    kernel_milliseconds_ = *milliseconds;
    return std::span<const std::uint16_t>(host_scores_.data(), score_count);
}

}  // namespace

SmithWatermanBatch::SmithWatermanBatch(std::span<const std::span<const ResidueCode>> queries,
                                       const ScoringScheme& scheme, const KernelShape* shape)
    : query_count_(queries.size()), gaps_(scheme.gaps) {
    const std::vector<std::uint64_t> lengths = lengths_of(queries);
    interleaved_ = make_part(shape != nullptr ? plan_with_shape(lengths, *shape) : plan_smith_waterman(lengths),
                             queries, scheme.matrix);
    KernelShape linear_shape = interleaved_.plan.shape;
    linear_shape.group_threads = kMostGroupThreads;
    linear_shape.rows_per_thread = 8;
    linear_ = make_part(plan_with_shape(lengths, linear_shape), queries, scheme.matrix);
}

Result<std::unique_ptr<SmithWatermanGpu>> SmithWatermanGpu::create(int ordinal) {
    auto worker = std::make_unique<SmithWatermanWorker>(ordinal);
    WARPSEQ_TRY(worker->open());
    return std::unique_ptr<SmithWatermanGpu>(std::move(worker));
}

std::uint64_t SmithWatermanGpu::workspace_bytes(std::uint64_t chunk_bytes, bool borders) {
    // A packed word holds six columns of one lane, each with an entry.
    const std::uint64_t border_bytes =
        borders ? chunk_bytes / sizeof(std::uint32_t) * kResiduesPerWord * sizeof(uint2) : 0;
    // Each unit has a counter, and a unit has at least a word in each of four lanes.
    const std::uint64_t control_bytes =
        borders ? chunk_bytes / 4 + 2 * most_fine_counts(chunk_bytes) * sizeof(unsigned) : 0;
    return border_bytes + control_bytes + 2 * (kSpareBorderColumns + kLeastBorderColumns) * kTileLanes * sizeof(uint2);
}

}  // namespace warpseq::cuda
