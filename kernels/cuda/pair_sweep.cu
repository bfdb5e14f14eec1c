#include "kernels/cuda/pair_sweep.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "kernels/cuda/cuda_status.cuh"
#include "kernels/cuda/device.h"
#include "kernels/cuda/pair_sweep_kernel.cuh"

namespace warpseq::cuda {
namespace {

using Clock = std::chrono::steady_clock;
using Kernel = void (*)(PairKernelArguments);

struct Instance {
    PairShape shape;
    bool local;
    Kernel kernel;
};

template <int R, bool kWide, bool kLocal>
constexpr Instance instance() {
    return {{R, kWide}, kLocal, pair_sweep_kernel<R, kWide, kLocal>};
}

const Instance kInstances[] = {
    instance<16, false, true>(), instance<16, false, false>(), instance<8, false, true>(), instance<8, false, false>(),
    instance<4, false, true>(),  instance<4, false, false>(),  instance<8, true, true>(),  instance<8, true, false>(),
};

std::string shown_bytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

/// Device memory is given back to the driver only at the end, so that hundreds of sweeps after one another do not wait for it.
class Gpu {
   public:
    explicit Gpu(int ordinal) : ordinal_(ordinal) {}
    ~Gpu() {
        cudaSetDevice(ordinal_);
        if (stream_ != nullptr) cudaStreamSynchronize(stream_);
        for (const cudaEvent_t event : {begun_, ended_}) {
            if (event != nullptr) cudaEventDestroy(event);
        }
        for (const cudaStream_t stream : {stream_, side_stream_, read_stream_}) {
            if (stream != nullptr) cudaStreamDestroy(stream);
        }
        if (pool_ != nullptr) cudaMemPoolDestroy(pool_);
    }
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    Status open(std::uint64_t limit_bytes) {
        WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
        WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, ordinal_), ordinal_,
                         "cannot tell its multiprocessors");
        WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&shared_bytes_, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal_),
                         ordinal_, "cannot tell its shared memory");
        for (cudaStream_t* stream : {&stream_, &side_stream_, &read_stream_}) {
            WARPSEQ_CUDA_TRY(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), ordinal_,
                             "cannot make a stream");
        }
        for (cudaEvent_t* event : {&begun_, &ended_}) {
            WARPSEQ_CUDA_TRY(cudaEventCreate(event), ordinal_, "cannot make an event");
        }
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location = {cudaMemLocationTypeDevice, ordinal_};
        WARPSEQ_CUDA_TRY(cudaMemPoolCreate(&pool_, &properties), ordinal_, "cannot manage its memory");
        std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
        WARPSEQ_CUDA_TRY(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), ordinal_,
                         "cannot manage its memory");
        limit_bytes_ = limit_bytes;
        WARPSEQ_CUDA_TRY(stop_.reserve(1), ordinal_, "no memory");
        return cuda_status(host_.reserve(1), ordinal_, "no pinned memory");
    }

    /// Memory for what `what` names; waits for nothing.
    Result<void*> allocate(std::uint64_t bytes, const char* what) {
        const std::lock_guard lock(mutex_);
        const auto refused = [&](const std::string& why) {
            return Status::unavailable("GPU " + std::to_string(ordinal_) + ": no memory for " + what + " (" +
                                       shown_bytes(bytes) + " more than the " + shown_bytes(used_bytes_) +
                                       " in use): " + why);
        };
        if (used_bytes_ + bytes > limit_bytes_) return refused("the limit is " + shown_bytes(limit_bytes_));
        void* memory = nullptr;
        cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_);
        if (error != cudaSuccess) {
            cudaGetLastError();
            cudaStreamSynchronize(stream_);
            cudaMemPoolTrimTo(pool_, 0);
            error = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_);
        }
        if (error != cudaSuccess) {
            cudaGetLastError();
            return refused(cudaGetErrorString(error));
        }
        used_bytes_ += bytes;
        return memory;
    }
    void release(void* memory, std::uint64_t bytes) {
        const std::lock_guard lock(mutex_);
        cudaSetDevice(ordinal_);
        cudaFreeAsync(memory, stream_);
        used_bytes_ -= bytes;
    }

    PinnedArray<std::byte> take_pinned() {
        const std::lock_guard lock(mutex_);
        if (pinned_.empty()) return {};
        PinnedArray<std::byte> array = std::move(pinned_.back());
        pinned_.pop_back();
        return array;
    }
    void give_pinned(PinnedArray<std::byte> array) {
        const std::lock_guard lock(mutex_);
        pinned_.push_back(std::move(array));
    }

    /// What the kernel tells the host while it runs.
    struct HostWords {
        volatile unsigned long long cells;
        volatile std::uint32_t strips;
    };

    int ordinal_, multiprocessors_ = 0, shared_bytes_ = 0;
    cudaStream_t stream_ = nullptr, side_stream_ = nullptr, read_stream_ = nullptr;
    cudaEvent_t begun_ = nullptr, ended_ = nullptr;
    DeviceArray<std::uint32_t> stop_;
    PinnedArray<HostWords> host_;
    PinnedArray<std::byte> staging_;

   private:
    cudaMemPool_t pool_ = nullptr;
    std::mutex mutex_;
    std::uint64_t limit_bytes_ = 0, used_bytes_ = 0;
    std::vector<PinnedArray<std::byte>> pinned_;
};

/// Memory of a GPU that goes back with its owner.
class DeviceBlock {
   public:
    DeviceBlock() = default;
    DeviceBlock(std::shared_ptr<Gpu> gpu, void* memory, std::uint64_t bytes)
        : gpu_(std::move(gpu)), memory_(static_cast<std::byte*>(memory)), bytes_(bytes) {}
    DeviceBlock(DeviceBlock&& other) noexcept
        : gpu_(std::move(other.gpu_)), memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    ~DeviceBlock() {
        if (memory_ != nullptr) gpu_->release(memory_, bytes_);
    }
    static Result<DeviceBlock> make(const std::shared_ptr<Gpu>& gpu, std::uint64_t bytes, const char* what) {
        const Result<void*> memory = gpu->allocate(bytes, what);
        if (!memory.ok()) return memory.status();
        return DeviceBlock(gpu, *memory, bytes);
    }

    std::byte* data() const { return memory_; }
    std::uint64_t size_bytes() const { return bytes_; }
    const std::shared_ptr<Gpu>& gpu() const { return gpu_; }

   private:
    std::shared_ptr<Gpu> gpu_;
    std::byte* memory_ = nullptr;
    std::uint64_t bytes_ = 0;
};

/// The lines and maxima of all matrices of a sweep. They stay on the GPU until somebody reads them in many small pieces.
class LineStore {
   public:
    explicit LineStore(DeviceBlock block) : block_(std::move(block)) {}
    ~LineStore() {
        if (copy_.size() > 0) block_.gpu()->give_pinned(std::move(copy_));
    }

    std::byte* device() const { return block_.data(); }
    /// The kernel that writes here has ended: from now on a copy is worth keeping.
    void complete() {
        const std::lock_guard lock(mutex_);
        complete_ = true;
    }

    Status read(std::uint64_t offset, void* to, std::uint64_t bytes) {
        const std::lock_guard lock(mutex_);
        Gpu& gpu = *block_.gpu();
        if (copied_) {
            std::memcpy(to, copy_.data() + offset, bytes);
            return {};
        }
        WARPSEQ_CUDA_TRY(cudaSetDevice(gpu.ordinal_), gpu.ordinal_, "cannot be used");
        if (complete_ && ++reads_ > kReadsBeforeCopy && block_.size_bytes() <= kMostCopyBytes) {
            copy_ = gpu.take_pinned();
            if (copy_.reserve(block_.size_bytes()) == cudaSuccess) {
                WARPSEQ_TRY(fetch(0, copy_.data(), block_.size_bytes()));
                copied_ = true;
                std::memcpy(to, copy_.data() + offset, bytes);
                return {};
            }
            reads_ = std::numeric_limits<int>::min();  // no such memory: not again
        }
        return fetch(offset, to, bytes);
    }

   private:
    static constexpr int kReadsBeforeCopy = 16;
    static constexpr std::uint64_t kMostCopyBytes = std::uint64_t{32} << 20;

    Status fetch(std::uint64_t offset, void* to, std::uint64_t bytes) const {
        const Gpu& gpu = *block_.gpu();
        WARPSEQ_CUDA_TRY(cudaMemcpyAsync(to, block_.data() + offset, bytes, cudaMemcpyDeviceToHost, gpu.read_stream_),
                         gpu.ordinal_, "cannot copy lines of a matrix");
        return cuda_status(cudaStreamSynchronize(gpu.read_stream_), gpu.ordinal_, "cannot copy lines of a matrix");
    }

    DeviceBlock block_;
    std::mutex mutex_;
    PinnedArray<std::byte> copy_;
    bool complete_ = false, copied_ = false;
    int reads_ = 0;
};

/// Offsets into a block of device memory, each at a multiple of 256 bytes.
class Layout {
   public:
    std::uint64_t add(std::uint64_t bytes) {
        const std::uint64_t offset = bytes_;
        bytes_ += (bytes + 255) / 256 * 256;
        return offset;
    }
    std::uint64_t bytes() const { return bytes_; }

   private:
    std::uint64_t bytes_ = 0;
};

class DevicePairGrid final : public PairGrid {
   public:
    DevicePairGrid(const SweepTask& task, std::shared_ptr<LineStore> store, std::uint64_t row_lines,
                   std::uint64_t column_lines, std::uint64_t maxima, bool local)
        : PairGrid(task),
          store_(std::move(store)),
          row_lines_(row_lines),
          column_lines_(column_lines),
          maxima_(maxima),
          local_(local) {}

    Status read_row_line(std::uint64_t line, std::uint64_t first, std::span<BorderCell> cells) const override {
        return store_->read(row_lines_ + (line * (columns() + 1) + first) * sizeof(BorderCell), cells.data(),
                            cells.size_bytes());
    }
    Status read_column_line(std::uint64_t line, std::uint64_t first, std::span<BorderCell> cells) const override {
        return store_->read(column_lines_ + (line * (rows() + 1) + first) * sizeof(BorderCell), cells.data(),
                            cells.size_bytes());
    }
    std::span<const std::int32_t> block_maxima_raw() const override { return maxima_raw_; }

    /// From the store, as they are now.
    Status fetch_maxima() {
        if (!local_) return {};
        maxima_raw_.resize(row_blocks() * column_blocks());
        return store_->read(maxima_, maxima_raw_.data(), maxima_raw_.size() * sizeof(std::int32_t));
    }
    /// From all maxima of the store.
    void take_maxima(std::span<const std::int32_t> all) {
        if (!local_) return;
        const auto mine = all.subspan(maxima_ / sizeof(std::int32_t), row_blocks() * column_blocks());
        maxima_raw_.assign(mine.begin(), mine.end());
    }

   private:
    std::shared_ptr<LineStore> store_;
    std::uint64_t row_lines_, column_lines_, maxima_;
    bool local_;
    std::vector<std::int32_t> maxima_raw_;
};

class GpuPairSweeper final : public PairSweeper, public PairKernelTime {
   public:
    GpuPairSweeper(const PairScoring& scoring, std::shared_ptr<Gpu> gpu, const PairShape* shape)
        : scoring_(scoring), gpu_(std::move(gpu)) {
        if (shape != nullptr) forced_ = *shape;
    }

    std::uint64_t row_granule(std::uint64_t rows, std::uint64_t columns) const override {
        return shape_alone(rows, columns).strip_rows();
    }
    std::uint64_t side_by_side(std::uint64_t rows, std::uint64_t) const override {
        // A strip for each scheduler of a multiprocessor keeps all of it at work; strips of many matrices are as tall as can be.
        constexpr std::uint64_t kSchedulers = 4;
        const std::uint64_t strips = (rows + kPairShapes[0].strip_rows() - 1) / kPairShapes[0].strip_rows();
        return std::max<std::uint64_t>(1, kSchedulers * static_cast<std::uint64_t>(gpu_->multiprocessors_) / strips);
    }
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override;
    float kernel_milliseconds() const override { return kernel_milliseconds_; }

   private:
    struct Prepared {
        SweepTask task;
        Instance instance;
        std::uint64_t row_lines, column_lines, maxima;  // offsets into the line store
        std::uint64_t query, target, top, left;         // offsets into the input
        std::uint64_t between, reached;                 // offsets into the scratch memory
        std::uint32_t strips;
    };

    PairShape shape_alone(std::uint64_t rows, std::uint64_t columns) const {
        return forced_ ? *forced_ : choose_pair_shape(rows, columns, scoring_.scheme, gpu_->multiprocessors_);
    }
    PairShape shape_of(const SweepTask& task, std::size_t tasks) const;
    Result<int> blocks_of(const Instance& instance, std::size_t shared_bytes);
    struct Told {
        std::uint64_t cells = 0, row_blocks = 0;
    };
    Status tell(bool ended, std::uint64_t rows_per_strip, DevicePairGrid* grid, const SweepControl& control,
                Told& told);
    Status watch(std::uint64_t rows_per_strip, DevicePairGrid* grid, const SweepControl& control, Told& told);

    PairScoring scoring_;
    std::shared_ptr<Gpu> gpu_;
    std::optional<PairShape> forced_;
    std::map<std::pair<Kernel, std::size_t>, int> blocks_;
    float kernel_milliseconds_ = 0;
};

PairShape GpuPairSweeper::shape_of(const SweepTask& task, std::size_t tasks) const {
    if (!scoring_.local &&
        !(keeps_gap_rule(task.top, scoring_.scheme.gaps) && keeps_gap_rule(task.left, scoring_.scheme.gaps))) {
        return kWidePairShape;
    }
    const std::uint64_t rows = task.query.size(), columns = task.target.size();
    if (forced_ && pair_range(*forced_, scoring_.scheme)) return *forced_;
    if (forced_) return kWidePairShape;
    const PairShape alone = shape_alone(rows, columns);
    if (tasks == 1) return alone;
    const PairShape shape = choose_batch_shape(rows, columns, scoring_.scheme, gpu_->multiprocessors_, tasks);
    return task.row_step >= rows || task.row_step % shape.strip_rows() == 0 ? shape : alone;
}

Result<int> GpuPairSweeper::blocks_of(const Instance& instance, std::size_t shared_bytes) {
    const auto [entry, fresh] = blocks_.try_emplace({instance.kernel, shared_bytes}, 0);
    if (fresh) {
        const int ordinal = gpu_->ordinal_;
        WARPSEQ_CUDA_TRY(
            cudaFuncSetAttribute(instance.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, gpu_->shared_bytes_),
            ordinal, "cannot prepare the kernel");
        int blocks = 0;
        WARPSEQ_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, instance.kernel,
                                                                       kWarpLanes * kPairBlockWarps, shared_bytes),
                         ordinal, "cannot prepare the kernel");
        if (blocks == 0)
            return Status::unavailable("GPU " + std::to_string(ordinal) + ": too little shared memory for the kernel");
        entry->second = blocks * gpu_->multiprocessors_;
    }
    return entry->second;
}

Result<std::vector<std::unique_ptr<PairGrid>>> GpuPairSweeper::sweep(std::span<const SweepTask> tasks,
                                                                     const SweepControl& control) {
    std::vector<std::unique_ptr<PairGrid>> grids;
    if (tasks.empty()) return std::move(grids);
    Gpu& gpu = *gpu_;
    const int ordinal = gpu.ordinal_;
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal), ordinal, "cannot be used");

    // Where everything lies.
    std::vector<Prepared> prepared;
    prepared.reserve(tasks.size());
    Layout input, scratch, lines;
    const std::uint64_t ticket_offset = scratch.add(2 * sizeof(unsigned long long) * std::size(kInstances));
    std::map<std::pair<const void*, std::size_t>, std::uint64_t> known;  // inputs that several tasks share
    const auto place = [&](const auto& span) {
        const auto [entry, fresh] = known.try_emplace({span.data(), span.size_bytes()}, 0);
        if (fresh) entry->second = input.add(span.size_bytes());
        return entry->second;
    };
    PairLetters letters;
    for (const SweepTask& task : tasks) {
        constexpr std::uint64_t kMostResidues = (std::uint64_t{1} << 31) - 1024;
        const std::uint64_t rows = task.query.size(), columns = task.target.size();
        if (std::max(rows, columns) > kMostResidues) {
            return Status::unavailable("a GPU aligns sequences of up to " + std::to_string(kMostResidues) +
                                       " residues");
        }
        const PairShape shape = shape_of(task, tasks.size());
        const Instance& instance = *std::ranges::find_if(
            kInstances, [&](const Instance& each) { return each.shape == shape && each.local == scoring_.local; });
        const std::uint32_t strips = static_cast<std::uint32_t>((rows + shape.strip_rows() - 1) / shape.strip_rows());
        const std::uint64_t row_blocks = (rows + task.row_step - 1) / task.row_step;
        const std::uint64_t column_blocks = (columns + task.column_step - 1) / task.column_step;
        Prepared& each = prepared.emplace_back(Prepared{task, instance, 0, 0, 0, 0, 0, 0, 0, 0, 0, strips});
        each.reached = scratch.add(sizeof(std::int32_t));
        if (scoring_.local) each.maxima = lines.add(row_blocks * column_blocks * sizeof(std::int32_t));
        each.query = place(task.query);
        each.target = place(task.target);
        each.top = place(task.top);
        each.left = place(task.left);
        letters.add(task.target);
    }
    letters.finish();
    const std::uint64_t zeroed_lines = lines.bytes();
    for (Prepared& each : prepared) {
        const std::uint64_t rows = each.task.query.size(), columns = each.task.target.size();
        each.between = scratch.add(columns * sizeof(unsigned long long));
        each.row_lines =
            lines.add((rows + each.task.row_step - 1) / each.task.row_step * (columns + 1) * sizeof(BorderCell));
        each.column_lines =
            lines.add((columns + each.task.column_step - 1) / each.task.column_step * (rows + 1) * sizeof(BorderCell));
    }
    const std::uint64_t unit_count =
        std::accumulate(prepared.begin(), prepared.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const Prepared& each) { return sum + each.strips; });
    if (unit_count > std::numeric_limits<std::uint32_t>::max() / 2)
        return Status::unavailable("too many pairs for one sweep of a GPU");
    const std::uint64_t tasks_offset = input.add(tasks.size() * sizeof(PairDeviceTask));
    const std::uint64_t units_offset = input.add(unit_count * sizeof(PairUnit));
    const std::uint64_t scores_offset = input.add(kResidueTableSize * kResidueTableSize);

    Result<DeviceBlock> input_block = DeviceBlock::make(gpu_, input.bytes(), "sequences");
    if (!input_block.ok()) return input_block.status();
    Result<DeviceBlock> scratch_block = DeviceBlock::make(gpu_, scratch.bytes(), "borders between strips");
    if (!scratch_block.ok()) return scratch_block.status();
    Result<DeviceBlock> lines_block = DeviceBlock::make(gpu_, lines.bytes(), "the lines of a pair's matrix");
    if (!lines_block.ok()) return lines_block.status();
    const auto store = std::make_shared<LineStore>(std::move(*lines_block));

    // Small inputs go through pinned memory in one copy.
    constexpr std::uint64_t kMostStagedBytes = std::uint64_t{64} << 20;
    const std::uint64_t staged_from = input.bytes() <= kMostStagedBytes ? 0 : tasks_offset;
    WARPSEQ_CUDA_TRY(gpu.staging_.reserve(input.bytes() - staged_from), ordinal, "no pinned memory");
    const auto staged = [&](std::uint64_t offset) { return gpu.staging_.data() + (offset - staged_from); };
    for (const auto& [source, offset] : known) {
        if (staged_from == 0) {
            std::memcpy(staged(offset), source.first, source.second);
        } else {
            WARPSEQ_CUDA_TRY(cudaMemcpyAsync(input_block->data() + offset, source.first, source.second,
                                             cudaMemcpyHostToDevice, gpu.stream_),
                             ordinal, "cannot copy sequences");
        }
    }
    for (std::size_t i = 0; i < prepared.size(); ++i) {
        const Prepared& each = prepared[i];
        const SweepTask& task = each.task;
        const auto at = [](const DeviceBlock& block, std::uint64_t offset, auto* as) {
            return reinterpret_cast<decltype(as)>(block.data() + offset);
        };
        const auto line_at = [&](std::uint64_t offset) {
            return reinterpret_cast<BorderCell*>(store->device() + offset);
        };
        const auto clipped = [](std::uint64_t number) {
            return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 1u << 31));
        };
        const std::uint64_t rows = task.query.size(), columns = task.target.size();
        const PairDeviceTask device{
            .query = at(*input_block, each.query, static_cast<const std::uint8_t*>(nullptr)),
            .target = at(*input_block, each.target, static_cast<const std::uint8_t*>(nullptr)),
            .top = at(*input_block, each.top, static_cast<const BorderCell*>(nullptr)),
            .left = at(*input_block, each.left, static_cast<const BorderCell*>(nullptr)),
            .between = at(*scratch_block, each.between, static_cast<unsigned long long*>(nullptr)),
            .row_lines = line_at(each.row_lines),
            .column_lines = line_at(each.column_lines),
            .maxima = reinterpret_cast<std::int32_t*>(store->device() + each.maxima),
            .reached = at(*scratch_block, each.reached, static_cast<std::int32_t*>(nullptr)),
            .rows = static_cast<std::uint32_t>(rows),
            .columns = static_cast<std::uint32_t>(columns),
            .strips = each.strips,
            .row_step = clipped(task.row_step),
            .column_step = static_cast<std::uint32_t>(std::min(task.column_step, columns)),
            .row_blocks = static_cast<std::uint32_t>((rows + task.row_step - 1) / task.row_step),
            .column_blocks = static_cast<std::uint32_t>((columns + task.column_step - 1) / task.column_step),
            .rows_beyond = clipped(task.rows_beyond),
            .columns_beyond = clipped(task.columns_beyond),
            .known_raw = std::max(task.reached_raw, 0),
            .prune = scoring_.local && task.reached_raw != SweepTask::kNoPruning,
        };
        std::memcpy(staged(tasks_offset + i * sizeof device), &device, sizeof device);
    }
    // Strips of a shape stand together, those of large matrices first.
    std::vector<std::uint32_t> order(prepared.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
        const auto key = [&](const Prepared& each) {
            return std::tuple(
                each.instance.shape.wide, each.instance.shape.rows_per_half,
                -static_cast<double>(each.task.query.size()) * static_cast<double>(each.task.target.size()));
        };
        return key(prepared[a]) < key(prepared[b]);
    });
    auto* const units = reinterpret_cast<PairUnit*>(staged(units_offset));
    std::uint64_t unit = 0;
    for (const std::uint32_t i : order) {
        for (std::uint32_t strip = 0; strip < prepared[i].strips; ++strip) units[unit++] = {i, strip};
    }
    auto* const scores = reinterpret_cast<std::int8_t*>(staged(scores_offset));
    for (int code = 0; code < kResidueTableSize; ++code) {
        for (int query = 0; query < kResidueTableSize && letters.occurs(code); ++query) {
            scores[letters.index[code] * kResidueTableSize + query] = static_cast<std::int8_t>(
                scoring_.scheme.matrix.score_raw(static_cast<ResidueCode>(query), static_cast<ResidueCode>(code)));
        }
    }
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(input_block->data() + staged_from, gpu.staging_.data(),
                                     input.bytes() - staged_from, cudaMemcpyHostToDevice, gpu.stream_),
                     ordinal, "cannot copy sequences");
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(scratch_block->data(), 0, scratch.bytes(), gpu.stream_), ordinal,
                     "cannot clear memory");
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(gpu.stop_.data(), 0, sizeof(std::uint32_t), gpu.stream_), ordinal,
                     "cannot clear memory");
    if (zeroed_lines > 0)
        WARPSEQ_CUDA_TRY(cudaMemsetAsync(store->device(), 0, zeroed_lines, gpu.stream_), ordinal,
                         "cannot clear memory");

    // The kernels, one for each shape that occurs.
    PairKernelArguments arguments{};
    arguments.tasks = reinterpret_cast<const PairDeviceTask*>(input_block->data() + tasks_offset);
    arguments.stop = gpu.stop_.data();
    arguments.host_cells = &gpu.host_.data()->cells;
    arguments.host_strips = &gpu.host_.data()->strips;
    arguments.scores = reinterpret_cast<const std::int8_t*>(input_block->data() + scores_offset);
    std::ranges::copy(letters.index, arguments.letter_of);
    arguments.letters = letters.count;
    arguments.one = 1;
    arguments.rehearse = std::ranges::any_of(prepared, [](const Prepared& each) { return each.strips > 8; });
    // A gap's cost has to fit what a border word has left; costs that leave few tags are those of few warps then.
    arguments.tag_bits = scoring_.scheme.gaps.first() < 1 << 18 ? 14 : 11;
    static_assert(2 * kHighestGapCost < 1 << (32 - 11));
    const std::uint64_t most_warps = (std::uint64_t{1} << arguments.tag_bits) - 2;
    arguments.first = scoring_.scheme.gaps.first();
    arguments.extend = scoring_.scheme.gaps.extend;
    arguments.highest = std::max(0, scoring_.scheme.matrix.highest_raw());
    auto* const counters = reinterpret_cast<unsigned long long*>(scratch_block->data() + ticket_offset);
    arguments.cells = counters;
    gpu.host_.data()->cells = 0;
    gpu.host_.data()->strips = 0;
    WARPSEQ_CUDA_TRY(cudaEventRecord(gpu.begun_, gpu.stream_), ordinal, "cannot record an event");
    std::uint64_t first_unit = 0;
    for (std::size_t i = 0, kernels = 0; i < order.size(); ++kernels) {
        const Instance& instance = prepared[order[i]].instance;
        std::uint64_t here = 0;
        for (; i < order.size() && prepared[order[i]].instance.kernel == instance.kernel; ++i)
            here += prepared[order[i]].strips;
        arguments.units = reinterpret_cast<const PairUnit*>(input_block->data() + units_offset) + first_unit;
        arguments.unit_count = static_cast<std::uint32_t>(here);
        arguments.ticket = reinterpret_cast<std::uint32_t*>(counters + 1 + kernels);
        arguments.range = pair_range(instance.shape, scoring_.scheme).value_or(PairRange{});
        const std::size_t shared_bytes = pair_shared_bytes(instance.shape, letters.count);
        const Result<int> blocks = blocks_of(instance, shared_bytes);
        if (!blocks.ok()) return blocks.status();
        const std::uint64_t wanted = (here + kPairBlockWarps - 1) / kPairBlockWarps;
        instance.kernel<<<static_cast<unsigned>(
                              std::min({wanted, static_cast<std::uint64_t>(*blocks), most_warps / kPairBlockWarps})),
                          kWarpLanes * kPairBlockWarps, shared_bytes, gpu.stream_>>>(arguments);
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal, "cannot start the kernel");
        first_unit += here;
    }
    WARPSEQ_CUDA_TRY(cudaEventRecord(gpu.ended_, gpu.stream_), ordinal, "cannot record an event");

    std::vector<std::unique_ptr<DevicePairGrid>> device_grids;
    for (const Prepared& each : prepared) {
        device_grids.push_back(std::make_unique<DevicePairGrid>(each.task, store, each.row_lines, each.column_lines,
                                                                each.maxima, scoring_.local));
    }
    Told told;
    WARPSEQ_TRY(watch(prepared[0].instance.shape.strip_rows(), tasks.size() == 1 ? device_grids[0].get() : nullptr,
                      control, told));
    WARPSEQ_CUDA_TRY(cudaEventElapsedTime(&kernel_milliseconds_, gpu.begun_, gpu.ended_), ordinal,
                     "cannot time the kernel");
    store->complete();
    std::vector<std::int32_t> maxima(zeroed_lines / sizeof(std::int32_t));
    if (!maxima.empty()) WARPSEQ_TRY(store->read(0, maxima.data(), zeroed_lines));
    std::uint64_t cells = 0;
    for (std::size_t i = 0; i < prepared.size(); ++i) {
        cells += tasks[i].query.size() * tasks[i].target.size();
        device_grids[i]->take_maxima(maxima);
        grids.push_back(std::move(device_grids[i]));
    }
    if (control.progress && cells > told.cells) control.progress(cells - told.cells);
    return std::move(grids);
}

/// Tells the caller what has become done: cells, and rows of blocks if `grid` is given.
Status GpuPairSweeper::tell(bool ended, std::uint64_t rows_per_strip, DevicePairGrid* grid, const SweepControl& control,
                            Told& told) {
    const Gpu::HostWords& host = *gpu_->host_.data();
    const std::uint64_t cells = host.cells;
    if (control.progress && cells > told.cells) {
        control.progress(cells - told.cells);
        told.cells = cells;
    }
    if (!control.rows_done || grid == nullptr) return {};
    const std::uint64_t rows = ended ? grid->rows() : host.strips * rows_per_strip;
    const std::uint64_t row_blocks = rows >= grid->rows() ? grid->row_blocks() : rows / grid->row_step();
    if (row_blocks <= told.row_blocks) return {};
    told.row_blocks = row_blocks;
    WARPSEQ_TRY(grid->fetch_maxima());
    return control.rows_done(*grid, row_blocks);
}

/// Waits for the kernels, and meanwhile tells the caller what is done, and the kernels when to stop.
Status GpuPairSweeper::watch(std::uint64_t rows_per_strip, DevicePairGrid* grid, const SweepControl& control,
                             Told& told) {
    Gpu& gpu = *gpu_;
    const Clock::time_point begun = Clock::now();
    Clock::time_point last_told = begun;
    // The kernels' stream is busy; another one sets the word that they look at.
    const auto stop = [&](const Status& why) -> Status {
        WARPSEQ_CUDA_TRY(cudaMemsetAsync(gpu.stop_.data(), 1, sizeof(std::uint32_t), gpu.side_stream_), gpu.ordinal_,
                         "cannot stop a kernel");
        WARPSEQ_CUDA_TRY(cudaStreamSynchronize(gpu.stream_), gpu.ordinal_, "a kernel failed");
        return why;
    };
    for (;;) {
        const cudaError_t state = cudaEventQuery(gpu.ended_);
        if (state == cudaSuccess) return tell(true, rows_per_strip, grid, control, told);
        if (state != cudaErrorNotReady) return cuda_status(state, gpu.ordinal_, "a kernel failed");
        const Clock::time_point now = Clock::now();
        // Short sweeps are waited for without sleep: a path may need hundreds of them one after another.
        if (now - begun < std::chrono::milliseconds(10)) continue;
        if (control.stop != nullptr && control.stop->load(std::memory_order_relaxed))
            return stop(Status::interrupted());
        if (now - last_told > std::chrono::milliseconds(250)) {
            last_told = now;
            const Status told_status = tell(false, rows_per_strip, grid, control, told);
            if (!told_status.ok()) return stop(told_status);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

}  // namespace

Result<std::unique_ptr<PairSweeper>> make_pair_sweeper(const PairScoring& scoring,
                                                       const PairSweeperSettings& settings) {
    std::uint64_t limit_bytes = settings.device_memory_bytes;
    const int ordinal = settings.ordinals.at(0);
    if (limit_bytes == 0) {
        const Result<std::uint64_t> free = free_gpu_memory_bytes(ordinal);
        if (!free.ok()) return free.status();
        limit_bytes = *free - std::min(*free, kReserveBytes);
    }
    auto gpu = std::make_shared<Gpu>(ordinal);
    WARPSEQ_TRY(gpu->open(limit_bytes));
    return std::unique_ptr<PairSweeper>(std::make_unique<GpuPairSweeper>(scoring, std::move(gpu), settings.shape));
}

Result<std::uint64_t> grid_bytes_available(const PairSweeperSettings& settings, std::uint64_t rows,
                                           std::uint64_t columns) {
    std::uint64_t limit_bytes = settings.device_memory_bytes;
    if (limit_bytes == 0) {
        limit_bytes = std::numeric_limits<std::uint64_t>::max();
        for (const int ordinal : settings.ordinals) {
            const Result<std::uint64_t> free = free_gpu_memory_bytes(ordinal);
            if (!free.ok()) return free.status();
            limit_bytes = std::min(limit_bytes, *free - std::min(*free, kReserveBytes));
        }
    }
    const std::uint64_t needed = pair_work_bytes(rows, columns);
    return limit_bytes > needed ? limit_bytes - needed : 0;
}

}  // namespace warpseq::cuda
