#include "kernels/pair/pair_sweep_gpu.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device.h"
#include "kernels/gpu/memory.cuh"
#include "kernels/pair/pair_sweep_kernel_gpu.cuh"

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

std::uint64_t cells_of(std::span<const SweepTask> tasks) {
    std::uint64_t cells = 0;
    for (const SweepTask& task : tasks) cells += task.query.size() * task.target.size();
    return cells;
}

std::uint64_t row_blocks_of(const SweepTask& task) { return (task.query.size() + task.row_step - 1) / task.row_step; }
std::uint64_t column_blocks_of(const SweepTask& task) {
    return (task.target.size() + task.column_step - 1) / task.column_step;
}

std::string shown_bytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

/// A GPU with its streams and memory. It gives device memory back to the driver only at its end, or
/// where the limit needs it. So hundreds of sweeps after one another do not wait for the driver.
class Gpu {
   public:
    /// Makes a GPU that `sharers` sweepers use at the same time, each with its part of the memory.
    Gpu(int ordinal, int sharers) : ordinal_(ordinal), sharers_(sharers) {}
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

    /// Allocates memory for what `what` names. Waits for nothing.
    Result<void*> allocate(std::uint64_t bytes, const char* what) {
        const std::lock_guard lock(mutex_);
        const auto refused = [&](const std::string& why) {
            return Status::unavailable("GPU " + std::to_string(ordinal_) + ": no memory for " + what + " (" +
                                       shown_bytes(bytes) + " more than the " + shown_bytes(used_bytes_) +
                                       " in use): " + why);
        };
        if (used_bytes_ + bytes > limit_bytes_) return refused("the limit is " + shown_bytes(limit_bytes_));
        // The pool keeps what was freed, in pieces that may be too small, so those count, too.
        std::uint64_t reserved_bytes = 0;
        cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved_bytes);
        if (reserved_bytes + bytes > limit_bytes_) give_back();
        void* memory = nullptr;
        cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_);
        if (error != cudaSuccess) {
            cudaGetLastError();
            give_back();
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

    /// The words through which the kernel tells the host of its progress while it runs.
    struct HostWords {
        volatile unsigned long long cells;
        volatile std::uint32_t strips;
    };

    int ordinal_, sharers_, multiprocessors_ = 0, shared_bytes_ = 0;
    cudaStream_t stream_ = nullptr, side_stream_ = nullptr, read_stream_ = nullptr;
    cudaEvent_t begun_ = nullptr, ended_ = nullptr;
    DeviceArray<std::uint32_t> stop_;
    PinnedArray<HostWords> host_;
    PinnedArray<std::byte> staging_;

   private:
    void give_back() {
        cudaStreamSynchronize(stream_);
        cudaMemPoolTrimTo(pool_, 0);
    }

    cudaMemPool_t pool_ = nullptr;
    std::mutex mutex_;
    std::uint64_t limit_bytes_ = 0, used_bytes_ = 0;
    std::vector<PinnedArray<std::byte>> pinned_;
};

/// A block of GPU memory that is given back with its owner.
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

/// The checkpoints and maxima of all matrices of a sweep. They stay on the GPU until many small
/// pieces of them have been read.
class CheckpointStore {
   public:
    /// Makes a store in `block`. A store larger than `most_copy_bytes` is never copied to the host
    /// as a whole.
    CheckpointStore(DeviceBlock block, std::uint64_t most_copy_bytes)
        : block_(std::move(block)), most_copy_bytes_(most_copy_bytes) {}
    ~CheckpointStore() {
        if (copy_.size() > 0) block_.gpu()->give_pinned(std::move(copy_));
    }

    std::byte* device() const { return block_.data(); }
    std::uint64_t size_bytes() const { return block_.size_bytes(); }
    /// Whether the store may be copied to the host as a whole, once many small pieces have been
    /// read.
    bool may_be_copied() const { return block_.size_bytes() <= most_copy_bytes_; }
    /// Called when the kernel that writes here has ended. From now on a copy is worth keeping. The
    /// maxima of blocks are the first `maxima` words.
    Status complete(std::uint64_t maxima) {
        maxima_raw_.resize(maxima);
        if (maxima > 0) WARPSEQ_TRY(read(0, maxima_raw_.data(), maxima * sizeof(std::int32_t)));
        const std::lock_guard lock(mutex_);
        complete_ = true;
        return {};
    }
    std::span<const std::int32_t> maxima_raw() const { return maxima_raw_; }  // of a complete store

    Status read(std::uint64_t offset, void* to, std::uint64_t bytes) {
        const std::lock_guard lock(mutex_);
        Gpu& gpu = *block_.gpu();
        if (copied_) {
            std::memcpy(to, copy_.data() + offset, bytes);
            return {};
        }
        WARPSEQ_CUDA_TRY(cudaSetDevice(gpu.ordinal_), gpu.ordinal_, "cannot be used");
        if (complete_ && ++reads_ > kReadsBeforeCopy && may_be_copied()) {
            copy_ = gpu.take_pinned();
            if (copy_.reserve(block_.size_bytes()) == cudaSuccess) {
                WARPSEQ_TRY(fetch(0, copy_.data(), block_.size_bytes()));
                copied_ = true;
                std::memcpy(to, copy_.data() + offset, bytes);
                return {};
            }
            reads_ = std::numeric_limits<int>::min();  // there is no such memory, so no copy is tried again
        }
        return fetch(offset, to, bytes);
    }

   private:
    static constexpr int kReadsBeforeCopy = 16;

    Status fetch(std::uint64_t offset, void* to, std::uint64_t bytes) const {
        const Gpu& gpu = *block_.gpu();
        WARPSEQ_CUDA_TRY(cudaMemcpyAsync(to, block_.data() + offset, bytes, cudaMemcpyDeviceToHost, gpu.read_stream_),
                         gpu.ordinal_, "cannot copy checkpoints of a pair");
        return cuda_status(cudaStreamSynchronize(gpu.read_stream_), gpu.ordinal_, "cannot copy checkpoints of a pair");
    }

    DeviceBlock block_;
    const std::uint64_t most_copy_bytes_;
    std::vector<std::int32_t> maxima_raw_;
    std::mutex mutex_;
    PinnedArray<std::byte> copy_;
    bool complete_ = false, copied_ = false;
    int reads_ = 0;
};

/// Hands out offsets into a block of device memory.
class Layout {
   public:
    std::uint64_t add(std::uint64_t bytes, std::uint64_t alignment = 256) {
        const std::uint64_t offset = (bytes_ + alignment - 1) / alignment * alignment;
        bytes_ = offset + bytes;
        return offset;
    }
    std::uint64_t bytes() const { return bytes_; }

   private:
    std::uint64_t bytes_ = 0;
};

/// A grid whose maxima can be fetched while its sweep goes on.
class GpuPairGrid : public PairGrid {
   public:
    /// Fetches the maxima as they are now.
    virtual Status fetch_maxima() = 0;

   protected:
    using PairGrid::PairGrid;
};

class DevicePairGrid final : public GpuPairGrid {
   public:
    DevicePairGrid(const SweepTask& task, std::shared_ptr<CheckpointStore> store, std::uint64_t row_checkpoints,
                   std::uint64_t column_checkpoints, std::uint64_t maxima, bool local)
        : GpuPairGrid(task),
          store_(std::move(store)),
          row_checkpoints_(row_checkpoints),
          column_checkpoints_(column_checkpoints),
          maxima_(maxima),
          local_(local) {}

    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override {
        return store_->read(row_checkpoints_ + (index * (columns() + 1) + first) * sizeof(BorderCell), cells.data(),
                            cells.size_bytes());
    }
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                  std::span<BorderCell> cells) const override {
        return store_->read(column_checkpoints_ + (index * (rows() + 1) + first) * sizeof(BorderCell), cells.data(),
                            cells.size_bytes());
    }
    std::span<const std::int32_t> block_maxima_raw() const override {
        if (!local_ || !early_maxima_raw_.empty()) return early_maxima_raw_;
        return store_->maxima_raw().subspan(maxima_ / sizeof(std::int32_t), row_blocks() * column_blocks());
    }

    Status fetch_maxima() override {
        if (!local_) return {};
        early_maxima_raw_.resize(row_blocks() * column_blocks());
        return store_->read(maxima_, early_maxima_raw_.data(), early_maxima_raw_.size() * sizeof(std::int32_t));
    }

   private:
    std::shared_ptr<CheckpointStore> store_;
    std::uint64_t row_checkpoints_, column_checkpoints_, maxima_;
    bool local_;
    std::vector<std::int32_t> early_maxima_raw_;  // fetched while the sweep went on
};

/// A band of columns of a matrix. The columns that it shares with its neighbours are in pinned
/// memory.
struct Band {
    SweepTask task;
    std::uint64_t first_column = 0;
    PairShape shape{};
    const BorderCell* given_left = nullptr;  // null: task.left
    const std::uint32_t* left_ready = nullptr;
    BorderCell* right = nullptr;  // null: there is no band on the right
    std::uint32_t* right_ready = nullptr;
};

/// The grids of a matrix's bands, joined into one.
class BandedPairGrid final : public GpuPairGrid {
   public:
    BandedPairGrid(const SweepTask& task, bool local) : GpuPairGrid(task), local_(local) {}
    /// Adds the grid of a band. Bands are added from left to right.
    void add(std::uint64_t first_column, std::unique_ptr<DevicePairGrid> grid) {
        bands_.push_back({first_column, std::move(grid)});
    }

    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override {
        for (const Part& band : bands_) {
            // Cell 0 of a band's row checkpoint is the last cell of the band on the left, but
            // without its gap.
            const std::uint64_t from = std::max(first, band.first_column + (band.first_column == 0 ? 0 : 1));
            const std::uint64_t to = std::min(first + cells.size(), band.first_column + band.grid->columns() + 1);
            if (from >= to) continue;
            WARPSEQ_TRY(band.grid->read_row_checkpoint(index, from - band.first_column,
                                                       cells.subspan(from - first, to - from)));
        }
        return {};
    }
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                  std::span<BorderCell> cells) const override {
        const std::uint64_t column = std::min((index + 1) * column_step(), columns());
        const auto band = std::ranges::find_if(
            bands_, [&](const Part& each) { return column <= each.first_column + each.grid->columns(); });
        return band->grid->read_column_checkpoint((column - band->first_column - 1) / column_step(), first, cells);
    }
    std::span<const std::int32_t> block_maxima_raw() const override { return maxima_raw_; }

    Status fetch_maxima() override {
        for (const Part& band : bands_) WARPSEQ_TRY(band.grid->fetch_maxima());
        put_together();
        return {};
    }
    /// Joins the maxima that the bands have fetched. A band's end may be inside a block.
    void put_together() {
        if (!local_) return;
        maxima_raw_.assign(row_blocks() * column_blocks(), 0);
        for (const Part& band : bands_) {
            const std::span<const std::int32_t> given = band.grid->block_maxima_raw();
            const std::uint64_t before = band.first_column / column_step(), count = band.grid->column_blocks();
            for (std::uint64_t row = 0; row < row_blocks(); ++row) {
                for (std::uint64_t i = 0; i < count; ++i) {
                    std::int32_t& to = maxima_raw_[row * column_blocks() + before + i];
                    to = std::max(to, given[row * count + i]);
                }
            }
        }
    }

   private:
    struct Part {
        std::uint64_t first_column;
        std::unique_ptr<DevicePairGrid> grid;
    };
    std::vector<Part> bands_;
    bool local_;
    std::vector<std::int32_t> maxima_raw_;
};

/// A sweep whose kernels have been started. A Watch has to wait for its end.
struct Running {
    std::shared_ptr<Gpu> gpu;
    std::uint64_t rows_per_strip = 0, maxima = 0;
    std::optional<DeviceBlock> input, scratch;
    std::shared_ptr<CheckpointStore> store;
    std::vector<std::unique_ptr<DevicePairGrid>> grids;
};

/// Passes messages between the caller and the kernels while the kernels run. They are the kernels
/// of one GPU, or those of each band.
class Watch {
   public:
    /// Watches a sweep. `grid` is the grid of a sweep of one task.
    Watch(const SweepControl& control, GpuPairGrid* grid) : control_(control), grid_(grid) {}

    /// Waits for the kernels. After an error none runs any more.
    Status wait(std::span<Running> running);
    /// Makes the kernels leave as soon as they can, and waits for them.
    static Status stop(std::span<Running> running, const Status& why);
    /// Reports the cells that the kernels had not yet told of.
    void complete(std::uint64_t cells) {
        if (control_.progress && cells > cells_) control_.progress(cells - cells_);
    }

   private:
    Status tell(std::span<Running> running, bool ended);

    const SweepControl& control_;
    GpuPairGrid* grid_;
    std::uint64_t cells_ = 0, row_blocks_ = 0;
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
        // One strip for each scheduler of a multiprocessor keeps all of it at work. Strips of many
        // matrices are as tall as can be.
        constexpr std::uint64_t kSchedulers = 4;
        const std::uint64_t strips = (rows + kPairShapes[0].strip_rows() - 1) / kPairShapes[0].strip_rows();
        return std::max<std::uint64_t>(1, kSchedulers * static_cast<std::uint64_t>(gpu_->multiprocessors_) / strips);
    }
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override;
    float kernel_milliseconds() const override { return kernel_milliseconds_; }

    int ordinal() const { return gpu_->ordinal_; }
    PairShape shape_alone(std::uint64_t rows, std::uint64_t columns) const {
        return forced_ ? *forced_ : choose_pair_shape(rows, columns, scoring_.scheme, gpu_->multiprocessors_);
    }
    /// Returns the shape for one task. It is `shape`, or the wide shape if only that one fills a
    /// matrix with such borders.
    PairShape shape_of_one(const SweepTask& task, const PairShape& shape) const;
    /// start() and finish() are the first and the last part of sweep(); Watch::wait() comes between
    /// them. With `band`, the only task is that band's.
    Result<Running> start(std::span<const SweepTask> tasks, const Band* band);
    Status finish(Running& running);

   private:
    /// The place of the cells of a task's top or left. They are among the inputs, or `offset`
    /// residues into the row 0 that matrices begin with, free or not.
    struct LinePlace {
        bool given;
        std::uint64_t offset;
    };
    struct Prepared {
        const Instance* instance;
        std::uint64_t row_checkpoints, column_checkpoints, maxima;  // offsets into the checkpoint store
        std::uint64_t query, target;                                // offsets into the input
        LinePlace top, left;
        std::uint64_t between;  // offset into the scratch memory
        std::uint32_t strips;
    };

    Result<PairShape> shape_of(const SweepTask& task, std::size_t tasks) const;
    Result<int> blocks_of(const Instance& instance, std::size_t shared_bytes);

    PairScoring scoring_;
    std::shared_ptr<Gpu> gpu_;
    std::optional<PairShape> forced_;
    std::map<std::pair<Kernel, std::size_t>, int> blocks_;
    float kernel_milliseconds_ = 0;
};

PairShape GpuPairSweeper::shape_of_one(const SweepTask& task, const PairShape& shape) const {
    if (!pair_range(shape, scoring_.scheme)) return kWidePairShape;
    if (scoring_.local && task.reached_raw != SweepTask::kNoPruning) return shape;
    const bool regular = steps_of(task.top, scoring_.scheme).regular && steps_of(task.left, scoring_.scheme).regular;
    return regular ? shape : kWidePairShape;
}

Result<PairShape> GpuPairSweeper::shape_of(const SweepTask& task, std::size_t tasks) const {
    const std::uint64_t rows = task.query.size(), columns = task.target.size();
    const auto fits = [&](const PairShape& shape) {
        return task.row_step >= rows || task.row_step % shape.strip_rows() == 0;
    };
    PairShape shape = shape_of_one(task, shape_alone(rows, columns));
    if (tasks > 1 && !forced_ && shape != kWidePairShape) {
        const PairShape batch = choose_batch_shape(rows, columns, scoring_.scheme, gpu_->multiprocessors_, tasks);
        if (fits(batch)) return batch;
    }
    if (fits(shape)) return shape;
    // The row step may be one that another GPU's strips divide.
    for (const PairShape& other : kPairShapes) {
        if (fits(other) && shape_of_one(task, other) == other) return other;
    }
    return Status::unavailable("internal error: no strips of a GPU divide a row step of " +
                               std::to_string(task.row_step) + "; please report this");
}

/// Does work(begin, end) for all of 0 .. count, on several threads if `bytes` of inputs are many.
/// Returns false if memory ran out.
template <typename Work>
bool in_slices(std::size_t count, std::uint64_t bytes, const Work& work) {
    constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20;
    const std::uint64_t most = std::min<std::uint64_t>(8, std::max(1u, std::thread::hardware_concurrency()));
    const std::uint64_t slices =
        std::clamp<std::uint64_t>(std::min<std::uint64_t>(bytes / kLeastBytes, count), 1, most);
    std::vector<std::thread> threads;
    threads.reserve(slices - 1);
    std::atomic<bool> enough = true;
    const auto slice = [&](std::uint64_t k) {
        try {
            work(count * k / slices, count * (k + 1) / slices);
        } catch (const std::bad_alloc&) {
            enough = false;
        }
    };
    std::uint64_t started = 1;
    try {
        for (; started < slices; ++started) threads.emplace_back(slice, started);
    } catch (const std::system_error&) {  // no more threads
    } catch (const std::bad_alloc&) {     // or no memory for them
    }
    slice(0);
    for (; started < slices; ++started) slice(started);
    for (std::thread& thread : threads) thread.join();
    return enough;
}

/// The places of inputs that several tasks may share. Each input is placed once.
class InputPlaces {
   public:
    explicit InputPlaces(std::size_t most) : slots_(std::bit_ceil(2 * most + 2)) { entries_.reserve(most); }
    struct Entry {
        const void* source;
        std::uint64_t bytes, offset;
        bool target;  // whether some task has it as its target
    };

    std::uint64_t place(const void* source, std::uint64_t bytes, std::uint64_t alignment, Layout& layout,
                        bool target = false) {
        const std::uint64_t mask = slots_.size() - 1;
        std::uint64_t at = (reinterpret_cast<std::uintptr_t>(source) ^ bytes << 40) * 0x9e3779b97f4a7c15 >> 20 & mask;
        for (; slots_[at] != 0; at = (at + 1) & mask) {
            Entry& entry = entries_[slots_[at] - 1];
            if (entry.source != source || entry.bytes != bytes) continue;
            entry.target |= target;
            return entry.offset;
        }
        entries_.push_back({source, bytes, layout.add(bytes, alignment), target});
        slots_[at] = static_cast<std::uint32_t>(entries_.size());
        return entries_.back().offset;
    }
    std::span<const Entry> entries() const { return entries_; }

   private:
    std::vector<std::uint32_t> slots_;  // 1 + the entry; 0: none
    std::vector<Entry> entries_;
};

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
        entry->second = std::max(1, blocks * gpu_->multiprocessors_ / gpu_->sharers_);
    }
    return entry->second;
}

Result<std::vector<std::unique_ptr<PairGrid>>> GpuPairSweeper::sweep(std::span<const SweepTask> tasks,
                                                                     const SweepControl& control) {
    try {
        std::vector<std::unique_ptr<PairGrid>> grids;
        if (tasks.empty()) return std::move(grids);
        grids.reserve(tasks.size());
        Result<Running> running = start(tasks, nullptr);
        if (!running.ok()) return running.status();
        Watch watch(control, tasks.size() == 1 ? running->grids[0].get() : nullptr);
        WARPSEQ_TRY(watch.wait({&*running, 1}));
        WARPSEQ_TRY(finish(*running));
        watch.complete(cells_of(tasks));
        for (auto& grid : running->grids) grids.push_back(std::move(grid));
        return std::move(grids);
    } catch (const std::bad_alloc&) {
        return Status::out_of_memory();
    }
}

Result<Running> GpuPairSweeper::start(std::span<const SweepTask> tasks, const Band* band) {
    Gpu& gpu = *gpu_;
    const int ordinal = gpu.ordinal_;
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal), ordinal, "cannot be used");

    // Everything is laid out here. What has to be zero comes first.
    constexpr std::uint64_t kMostResidues = (std::uint64_t{1} << 31) - 1024;
    const std::size_t count = tasks.size();
    std::vector<Prepared> prepared;
    prepared.reserve(count);
    Layout input, scratch, checkpoints;
    const bool has_left = band != nullptr && band->given_left != nullptr;
    const std::uint64_t counters_offset = scratch.add(sizeof(unsigned long long) * (1 + std::size(kInstances))),
                        reached_offset = scratch.add(count * sizeof(std::int32_t)),
                        done_offset = scratch.add(count * sizeof(std::uint32_t)),
                        left_seen_offset = has_left ? scratch.add(sizeof(std::uint32_t)) : 0;
    InputPlaces places(4 * count);
    std::uint64_t beginnings[2] = {0, 0};  // cells of the row 0 that matrices begin with, with a gap and free
    const auto place_line = [&](const PairLine& line) -> LinePlace {
        if (line.is_given()) {
            const auto cells = line.cells();
            return {true, places.place(cells.data(), cells.size_bytes(), sizeof(BorderCell), input)};
        }
        std::uint64_t& most = beginnings[line.is_free()];
        most = std::max(most, line.offset() + line.size());
        return {false, line.offset()};
    };
    std::uint64_t unit_count = 0, maxima = 0;
    for (const SweepTask& task : tasks) {
        const std::uint64_t rows = task.query.size(), columns = task.target.size();
        if (std::max(rows, columns) > kMostResidues) {
            return Status::unavailable("a GPU aligns sequences of up to " + std::to_string(kMostResidues) +
                                       " residues");
        }
        const Result<PairShape> shape = band != nullptr ? Result<PairShape>(band->shape) : shape_of(task, count);
        if (!shape.ok()) return shape.status();
        Prepared& each = prepared.emplace_back();
        each.instance = &*std::ranges::find_if(
            kInstances, [&](const Instance& one) { return one.shape == *shape && one.local == scoring_.local; });
        each.strips = static_cast<std::uint32_t>((rows + shape->strip_rows() - 1) / shape->strip_rows());
        unit_count += each.strips;
        each.maxima = maxima * sizeof(std::int32_t);
        if (scoring_.local) maxima += row_blocks_of(task) * column_blocks_of(task);
        each.query = places.place(task.query.data(), task.query.size_bytes(), 1, input);
        each.target = places.place(task.target.data(), task.target.size_bytes(), 1, input, true);
        each.top = place_line(task.top);
        if (!has_left) each.left = place_line(task.left);
        if (each.strips > 1)
            each.between = scratch.add(columns * sizeof(unsigned long long), sizeof(unsigned long long));
    }
    const std::uint64_t zeroed_scratch = scratch.bytes(), zeroed_maxima = maxima * sizeof(std::int32_t),
                        left_offset = has_left ? scratch.add((tasks[0].query.size() + 1) * sizeof(BorderCell)) : 0,
                        beginning_offsets[2] = {scratch.add(beginnings[0] * sizeof(BorderCell)),
                                                scratch.add(beginnings[1] * sizeof(BorderCell))};
    checkpoints.add(zeroed_maxima);
    for (std::size_t i = 0; i < count; ++i) {
        const SweepTask& task = tasks[i];
        prepared[i].row_checkpoints =
            checkpoints.add(row_blocks_of(task) * (task.target.size() + 1) * sizeof(BorderCell), sizeof(BorderCell));
        prepared[i].column_checkpoints =
            checkpoints.add(column_blocks_of(task) * (task.query.size() + 1) * sizeof(BorderCell), sizeof(BorderCell));
    }
    if (unit_count > std::numeric_limits<std::uint32_t>::max() / 2)
        return Status::unavailable("too many pairs for one sweep of a GPU");
    const std::uint64_t tasks_offset = input.add(count * sizeof(PairDeviceTask));
    const std::uint64_t units_offset = input.add(unit_count * sizeof(PairUnit));
    const std::uint64_t scores_offset = input.add(kResidueTableSize * kResidueTableSize);

    Result<DeviceBlock> input_block = DeviceBlock::make(gpu_, input.bytes(), "sequences");
    if (!input_block.ok()) return input_block.status();
    Result<DeviceBlock> scratch_block = DeviceBlock::make(gpu_, scratch.bytes(), "borders between strips");
    if (!scratch_block.ok()) return scratch_block.status();
    Result<DeviceBlock> checkpoints_block = DeviceBlock::make(gpu_, checkpoints.bytes(), "checkpoints of a pair");
    if (!checkpoints_block.ok()) return checkpoints_block.status();
    // Checkpoints of many pairs are read in many small pieces, and in the end all of them are read.
    constexpr std::uint64_t kMostCopyBytes = std::uint64_t{32} << 20, kMostCopyBytesOfMany = std::uint64_t{256} << 20;
    const auto store = std::make_shared<CheckpointStore>(std::move(*checkpoints_block),
                                                         count < 256 ? kMostCopyBytes : kMostCopyBytesOfMany);

    // Small inputs go through pinned memory in one copy.
    constexpr std::uint64_t kMostStagedBytes = std::uint64_t{64} << 20;
    const std::uint64_t staged_from = input.bytes() <= kMostStagedBytes ? 0 : tasks_offset;
    WARPSEQ_CUDA_TRY(gpu.staging_.reserve(input.bytes() - staged_from), ordinal, "no pinned memory");
    const auto staged = [&](std::uint64_t offset) { return gpu.staging_.data() + (offset - staged_from); };
    const std::span<const InputPlaces::Entry> entries = places.entries();
    if (staged_from > 0) {
        for (const InputPlaces::Entry& entry : entries) {
            WARPSEQ_CUDA_TRY(cudaMemcpyAsync(input_block->data() + entry.offset, entry.source, entry.bytes,
                                             cudaMemcpyHostToDevice, gpu.stream_),
                             ordinal, "cannot copy sequences");
        }
    }
    PairLetters letters;
    std::mutex letters_mutex;
    const bool looked_at = in_slices(entries.size(), tasks_offset, [&](std::size_t i, std::size_t end) {
        PairLetters mine;
        for (; i < end; ++i) {
            const InputPlaces::Entry& entry = entries[i];
            if (staged_from == 0) std::memcpy(staged(entry.offset), entry.source, entry.bytes);
            if (entry.target) mine.add({static_cast<const ResidueCode*>(entry.source), entry.bytes});
        }
        const std::lock_guard lock(letters_mutex);
        letters.add(mine);
    });
    if (!looked_at) return Status::out_of_memory();
    letters.finish();
    const auto device_task = [&](std::size_t i) {
        const Prepared& each = prepared[i];
        const SweepTask& task = tasks[i];
        const auto at = [](const DeviceBlock& block, std::uint64_t offset, auto* as) {
            return reinterpret_cast<decltype(as)>(block.data() + offset);
        };
        const auto checkpoint_at = [&](std::uint64_t offset) {
            return reinterpret_cast<BorderCell*>(store->device() + offset);
        };
        const auto line_of = [&](const LinePlace& place, bool free) {
            constexpr BorderCell* kCells = nullptr;
            if (place.given) return at(*input_block, place.offset, kCells);
            return at(*scratch_block, beginning_offsets[free] + place.offset * sizeof(BorderCell), kCells);
        };
        const auto clipped = [](std::uint64_t number) {
            return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 1u << 31));
        };
        return PairDeviceTask{
            .query = at(*input_block, each.query, static_cast<const std::uint8_t*>(nullptr)),
            .target = at(*input_block, each.target, static_cast<const std::uint8_t*>(nullptr)),
            .top = line_of(each.top, task.top.is_free()),
            .left = has_left ? at(*scratch_block, left_offset, static_cast<BorderCell*>(nullptr))
                             : line_of(each.left, task.left.is_free()),
            .between = at(*scratch_block, each.between, static_cast<unsigned long long*>(nullptr)),
            .row_checkpoints = checkpoint_at(each.row_checkpoints),
            .column_checkpoints = checkpoint_at(each.column_checkpoints),
            .maxima = reinterpret_cast<std::int32_t*>(store->device() + each.maxima),
            .reached = at(*scratch_block, reached_offset, static_cast<std::int32_t*>(nullptr)) + i,
            .done = at(*scratch_block, done_offset, static_cast<std::uint32_t*>(nullptr)) + i,
            .rows = static_cast<std::uint32_t>(task.query.size()),
            .columns = static_cast<std::uint32_t>(task.target.size()),
            .strips = each.strips,
            .row_step = clipped(task.row_step),
            .column_step = static_cast<std::uint32_t>(std::min<std::uint64_t>(task.column_step, task.target.size())),
            .row_blocks = static_cast<std::uint32_t>(row_blocks_of(task)),
            .column_blocks = static_cast<std::uint32_t>(column_blocks_of(task)),
            .rows_beyond = clipped(task.rows_beyond),
            .columns_beyond = clipped(task.columns_beyond),
            .known_raw = std::max(task.reached_raw, 0),
            .prune = scoring_.local && task.reached_raw != SweepTask::kNoPruning,
            .strip = 0,
            .given_left = band != nullptr ? band->given_left : nullptr,
            .left_ready = band != nullptr ? band->left_ready : nullptr,
            .left_seen =
                has_left ? at(*scratch_block, left_seen_offset, static_cast<std::uint32_t*>(nullptr)) : nullptr,
            .right = band != nullptr ? band->right : nullptr,
            .right_ready = band != nullptr ? band->right_ready : nullptr,
        };
    };
    for (std::size_t i = 0; i < count; ++i) {
        const PairDeviceTask device = device_task(i);
        std::memcpy(staged(tasks_offset + i * sizeof device), &device, sizeof device);
    }
    // Strips of one shape stand together, those of large matrices first.
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    const auto stands_before = [&](std::uint32_t a, std::uint32_t b) {
        if (prepared[a].instance != prepared[b].instance) return prepared[a].instance < prepared[b].instance;
        return tasks[a].query.size() * tasks[a].target.size() > tasks[b].query.size() * tasks[b].target.size();
    };
    if (!std::ranges::is_sorted(order, stands_before)) std::ranges::stable_sort(order, stands_before);
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
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(scratch_block->data(), 0, zeroed_scratch, gpu.stream_), ordinal,
                     "cannot clear memory");
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(gpu.stop_.data(), 0, sizeof(std::uint32_t), gpu.stream_), ordinal,
                     "cannot clear memory");
    // Maxima begin at 0. What may be copied to the host as a whole is cleared as a whole, because
    // some cells of checkpoints are never written and never read.
    if (const std::uint64_t cleared = store->may_be_copied() ? store->size_bytes() : zeroed_maxima; cleared > 0)
        WARPSEQ_CUDA_TRY(cudaMemsetAsync(store->device(), 0, cleared, gpu.stream_), ordinal, "cannot clear memory");
    const GapCosts& gaps = scoring_.scheme.gaps;
    for (const bool free : {false, true}) {
        if (beginnings[free] == 0) continue;
        const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(1024, beginnings[free] / 256 + 1));
        pair_line_kernel<<<blocks, 256, 0, gpu.stream_>>>(
            reinterpret_cast<BorderCell*>(scratch_block->data() + beginning_offsets[free]), beginnings[free],
            free ? 0 : gaps.open, free ? 0 : gaps.extend, gaps.first());
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal, "cannot start the kernel");
    }

    Running running;
    running.grids.reserve(count);
    const auto make_grids = [&] {
        for (std::size_t i = 0; i < count; ++i) {
            const Prepared& each = prepared[i];
            running.grids.push_back(std::make_unique<DevicePairGrid>(
                tasks[i], store, each.row_checkpoints, each.column_checkpoints, each.maxima, scoring_.local));
        }
    };
    // The grids of many tasks are made while the kernel runs. A band's grid is made before, because
    // the kernel would be left waiting for its neighbours if memory ran out.
    if (band != nullptr) make_grids();

    // Starts the kernels, one for each shape that occurs.
    PairKernelArguments arguments{};
    arguments.tasks = reinterpret_cast<const PairDeviceTask*>(input_block->data() + tasks_offset);
    arguments.stop = gpu.stop_.data();
    arguments.host_cells = &gpu.host_.data()->cells;
    arguments.host_strips = count == 1 ? &gpu.host_.data()->strips : nullptr;
    arguments.scores = reinterpret_cast<const std::int8_t*>(input_block->data() + scores_offset);
    std::ranges::copy(letters.index, arguments.letter_of);
    arguments.letters = letters.count;
    arguments.one = 1;
    arguments.warms_up = std::ranges::any_of(prepared, [](const Prepared& each) { return each.strips > 8; });
    // A gap's cost has to fit what a border word has left. With costs that leave few tags, few
    // warps run.
    arguments.tag_bits = scoring_.scheme.gaps.first() < 1 << 18 ? 14 : 11;
    static_assert(2 * kHighestGapCost < 1 << (32 - 11));
    const std::uint64_t most_warps = (std::uint64_t{1} << arguments.tag_bits) - 2;
    arguments.first = scoring_.scheme.gaps.first();
    arguments.extend = scoring_.scheme.gaps.extend;
    arguments.highest = std::max(0, scoring_.scheme.matrix.highest_raw());
    auto* const counters = reinterpret_cast<unsigned long long*>(scratch_block->data() + counters_offset);
    arguments.cells = counters;
    gpu.host_.data()->cells = 0;
    gpu.host_.data()->strips = 0;
    WARPSEQ_CUDA_TRY(cudaEventRecord(gpu.begun_, gpu.stream_), ordinal, "cannot record an event");
    std::uint64_t first_unit = 0;
    for (std::size_t i = 0, kernels = 0; i < order.size(); ++kernels) {
        const Instance& instance = *prepared[order[i]].instance;
        std::uint64_t here = 0;
        for (; i < order.size() && prepared[order[i]].instance == &instance; ++i) here += prepared[order[i]].strips;
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

    if (band == nullptr) make_grids();
    running.gpu = gpu_;
    running.rows_per_strip = prepared[0].instance->shape.strip_rows();
    running.maxima = maxima;
    running.input.emplace(std::move(*input_block));
    running.scratch.emplace(std::move(*scratch_block));
    running.store = store;
    return std::move(running);
}

Status GpuPairSweeper::finish(Running& running) {
    Gpu& gpu = *gpu_;
    WARPSEQ_CUDA_TRY(cudaSetDevice(gpu.ordinal_), gpu.ordinal_, "cannot be used");
    WARPSEQ_CUDA_TRY(cudaEventElapsedTime(&kernel_milliseconds_, gpu.begun_, gpu.ended_), gpu.ordinal_,
                     "cannot time the kernel");
    return running.store->complete(running.maxima);
}

/// Tells the caller what has become done: cells and, if there is one grid, rows of blocks.
Status Watch::tell(std::span<Running> running, bool ended) {
    std::uint64_t cells = 0, rows = std::numeric_limits<std::uint64_t>::max();
    for (const Running& each : running) {
        const Gpu::HostWords& host = *each.gpu->host_.data();
        cells += host.cells;
        rows = std::min(rows, host.strips * each.rows_per_strip);
    }
    if (control_.progress && cells > cells_) {
        control_.progress(cells - cells_);
        cells_ = cells;
    }
    if (!control_.rows_done || grid_ == nullptr) return {};
    const std::uint64_t row_blocks = ended || rows >= grid_->rows() ? grid_->row_blocks() : rows / grid_->row_step();
    if (row_blocks <= row_blocks_) return {};
    row_blocks_ = row_blocks;
    WARPSEQ_TRY(grid_->fetch_maxima());
    return control_.rows_done(*grid_, row_blocks);
}

Status Watch::stop(std::span<Running> running, const Status& why) {
    // The kernels' streams are busy; side streams set their stop words.
    Status failed;
    const auto note = [&](cudaError_t error, const Running& each, const char* doing) {
        if (error != cudaSuccess && failed.ok())
            static_cast<void>(failed = cuda_status(error, each.gpu->ordinal_, doing));  // avoids a warning of nvcc
    };
    for (const Running& each : running) {
        note(cudaSetDevice(each.gpu->ordinal_), each, "cannot be used");
        note(cudaMemsetAsync(each.gpu->stop_.data(), 1, sizeof(std::uint32_t), each.gpu->side_stream_), each,
             "cannot stop a kernel");
    }
    for (const Running& each : running) note(cudaStreamSynchronize(each.gpu->stream_), each, "a kernel failed");
    return failed.ok() ? why : failed;
}

Status Watch::wait(std::span<Running> running) {
    const Clock::time_point begun = Clock::now();
    Clock::time_point last_told = begun;
    for (;;) {
        bool ended = true;
        for (const Running& each : running) {
            const cudaError_t state = cudaEventQuery(each.gpu->ended_);
            if (state == cudaErrorNotReady)
                ended = false;
            else if (state != cudaSuccess)
                return stop(running, cuda_status(state, each.gpu->ordinal_, "a kernel failed"));
        }
        if (ended) return tell(running, true);
        const Clock::time_point now = Clock::now();
        // Short sweeps are waited for without sleep, because a path may need hundreds of them one
        // after another.
        if (now - begun < std::chrono::milliseconds(10)) continue;
        if (control_.stop.stop_requested()) return stop(running, Status::interrupted());
        if (now - last_told > std::chrono::milliseconds(250)) {
            last_told = now;
            Status told;
            try {
                static_cast<void>(told = tell(running, false));  // avoids a warning of nvcc
            } catch (const std::bad_alloc&) {
                static_cast<void>(told = Status::out_of_memory());
            } catch (...) {
                static_cast<void>(stop(running, {}));
                throw;
            }
            if (!told.ok()) return stop(running, told);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

/// A sweeper on several GPUs. It gives each a band of columns of a long matrix, or some of many
/// tasks. The first GPU does everything else.
class MultiGpuPairSweeper final : public PairSweeper, public PairKernelTime {
   public:
    MultiGpuPairSweeper(const PairScoring& scoring, std::vector<std::unique_ptr<GpuPairSweeper>> gpus,
                        std::uint64_t least_band_columns, std::uint64_t least_dealt_cells)
        : scoring_(scoring),
          gpus_(std::move(gpus)),
          least_band_columns_(least_band_columns),
          least_dealt_cells_(least_dealt_cells) {}

    std::uint64_t row_granule(std::uint64_t rows, std::uint64_t columns) const override {
        // All granules are powers of two. Whether there will be bands depends on the column step,
        // too.
        std::uint64_t granule = shape_of_bands(rows, columns).strip_rows();
        for (const auto& gpu : gpus_) granule = std::max(granule, gpu->row_granule(rows, columns));
        return granule;
    }
    std::uint64_t side_by_side(std::uint64_t rows, std::uint64_t columns) const override {
        return gpus_[0]->side_by_side(rows, columns);
    }
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override {
        try {
            if (tasks.size() == 1) {
                const std::vector<std::uint64_t> ends = band_ends(tasks[0]);
                if (ends.size() > 1) return sweep_bands(tasks[0], ends, control);
            } else if (cells_of(tasks) >= least_dealt_cells_) {
                return deal(tasks, control);
            }
        } catch (const std::bad_alloc&) {
            return Status::out_of_memory();
        }
        auto grids = gpus_[0]->sweep(tasks, control);
        kernel_milliseconds_ = gpus_[0]->kernel_milliseconds();
        return grids;
    }
    /// Returns the time of the GPU that took longest.
    float kernel_milliseconds() const override { return kernel_milliseconds_; }

   private:
    std::uint64_t most_bands(std::uint64_t rows, std::uint64_t columns) const {
        if (rows < least_band_columns_) return 1;
        return std::clamp<std::uint64_t>(columns / least_band_columns_, 1, gpus_.size());
    }
    PairShape shape_of_bands(std::uint64_t rows, std::uint64_t columns) const {
        const std::uint64_t bands = most_bands(rows, columns);
        return gpus_[0]->shape_alone(rows, (columns + bands - 1) / bands);
    }
    std::vector<std::uint64_t> band_ends(const SweepTask& task) const;
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep_bands(const SweepTask& task,
                                                               std::span<const std::uint64_t> ends,
                                                               const SweepControl& control);
    Result<std::vector<std::unique_ptr<PairGrid>>> deal(std::span<const SweepTask> tasks, const SweepControl& control);

    PairScoring scoring_;
    std::vector<std::unique_ptr<GpuPairSweeper>> gpus_;
    std::uint64_t least_band_columns_, least_dealt_cells_;
    float kernel_milliseconds_ = 0;
};

/// Returns the last column of each band. It is a column checkpoint, or any column where the only
/// checkpoint is the last column.
std::vector<std::uint64_t> MultiGpuPairSweeper::band_ends(const SweepTask& task) const {
    const std::uint64_t columns = task.target.size(), bands = most_bands(task.query.size(), columns);
    const std::uint64_t unit = task.column_step >= columns ? 1 : task.column_step;
    const std::uint64_t units = (columns + unit - 1) / unit;
    std::vector<std::uint64_t> ends;
    for (std::uint64_t band = 1; band <= bands; ++band) {
        const std::uint64_t end = std::min(units * band / bands * unit, columns);
        if (end > (ends.empty() ? 0 : ends.back())) ends.push_back(end);
    }
    return ends;
}

Result<std::vector<std::unique_ptr<PairGrid>>> MultiGpuPairSweeper::sweep_bands(const SweepTask& task,
                                                                                std::span<const std::uint64_t> ends,
                                                                                const SweepControl& control) {
    const std::uint64_t rows = task.query.size(), columns = task.target.size();
    PairShape shape = gpus_[0]->shape_of_one(task, shape_of_bands(rows, columns));
    if (task.row_step < rows && task.row_step % shape.strip_rows() != 0) shape = kWidePairShape;
    const std::uint64_t strips = (rows + shape.strip_rows() - 1) / shape.strip_rows();
    // Pinned memory of one GPU's context is that of all GPUs.
    WARPSEQ_CUDA_TRY(cudaSetDevice(gpus_[0]->ordinal()), gpus_[0]->ordinal(), "cannot be used");
    std::vector<PinnedArray<BorderCell>> borders(ends.size() - 1);
    std::vector<PinnedArray<std::uint32_t>> ready(ends.size() - 1);
    for (std::size_t i = 0; i < borders.size(); ++i) {
        WARPSEQ_CUDA_TRY(borders[i].reserve(rows + 1), gpus_[0]->ordinal(),
                         "no pinned memory for the border of a band");
        WARPSEQ_CUDA_TRY(ready[i].reserve(strips), gpus_[0]->ordinal(), "no pinned memory for the border of a band");
        borders[i].data()[0] = {task.top[ends[i]].h, 0};
        std::fill_n(ready[i].data(), strips, 0u);
    }
    // Bands start from left to right, so no kernel starts before the one that it waits for.
    std::vector<Running> running;
    running.reserve(ends.size());
    auto grid = std::make_unique<BandedPairGrid>(task, scoring_.local);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::uint64_t first = i == 0 ? 0 : ends[i - 1], width = ends[i] - first;
        Band band{.task = task, .first_column = first, .shape = shape};
        band.task.target = task.target.subspan(first, width);
        band.task.top = task.top.subspan(first, width + 1);
        band.task.columns_beyond += columns - ends[i];
        if (i > 0) {
            band.given_left = borders[i - 1].data();
            band.left_ready = ready[i - 1].data();
        }
        if (i + 1 < ends.size()) {
            band.right = borders[i].data();
            band.right_ready = ready[i].data();
        }
        try {
            Result<Running> started = gpus_[i]->start({&band.task, 1}, &band);
            if (!started.ok()) return Watch::stop(running, started.status());
            running.push_back(std::move(*started));
            grid->add(first, std::move(running.back().grids[0]));
            running.back().grids.clear();
        } catch (const std::bad_alloc&) {
            return Watch::stop(running, Status::out_of_memory());
        }
    }
    Watch watch(control, grid.get());
    WARPSEQ_TRY(watch.wait(running));
    kernel_milliseconds_ = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        WARPSEQ_TRY(gpus_[i]->finish(running[i]));
        kernel_milliseconds_ = std::max(kernel_milliseconds_, gpus_[i]->kernel_milliseconds());
    }
    WARPSEQ_TRY(grid->fetch_maxima());
    watch.complete(rows * columns);
    std::vector<std::unique_ptr<PairGrid>> grids;
    grids.push_back(std::move(grid));
    return std::move(grids);
}

/// Deals out tasks, large ones first, each to the GPU that has least.
Result<std::vector<std::unique_ptr<PairGrid>>> MultiGpuPairSweeper::deal(std::span<const SweepTask> tasks,
                                                                         const SweepControl& control) {
    std::vector<std::size_t> order(tasks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto cells = [&](std::size_t i) { return cells_of(tasks.subspan(i, 1)); };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return cells(a) > cells(b); });
    struct Share {
        std::uint64_t cells = 0;
        std::vector<std::size_t> which;
        std::vector<SweepTask> tasks;
        std::optional<Result<std::vector<std::unique_ptr<PairGrid>>>> grids;
    };
    std::vector<Share> shares(gpus_.size());
    for (const std::size_t i : order) {
        Share& share = *std::ranges::min_element(shares, {}, &Share::cells);
        share.cells += cells(i);
        share.which.push_back(i);
        share.tasks.push_back(tasks[i]);
    }
    // An error of one GPU ends the others.
    std::mutex mutex;
    std::atomic<bool> over = false;
    std::stop_source stop;
    SweepControl each_control;
    each_control.stop = stop.get_token();
    if (control.progress) {
        each_control.progress = [&](std::uint64_t more) {
            const std::lock_guard lock(mutex);
            control.progress(more);
        };
    }
    std::atomic<std::size_t> busy = shares.size();
    std::vector<std::thread> threads;
    threads.reserve(shares.size());
    const auto work = [&](std::size_t g) {
        static_cast<void>(
            shares[g].grids.emplace(guarded([&] { return gpus_[g]->sweep(shares[g].tasks, each_control); })));
        if (!shares[g].grids->ok()) over = true;
        --busy;
    };
    for (std::size_t g = 0; g < shares.size(); ++g) {
        const Status started = guarded([&]() -> Status {
            try {
                threads.emplace_back(work, g);
            } catch (const std::system_error& error) {
                return Status::unavailable("cannot start a thread for each GPU: " + std::string(error.what()));
            }
            return {};
        });
        if (started.ok()) continue;
        static_cast<void>(shares[g].grids.emplace(started));
        over = true;
        --busy;
    }
    while (busy > 0) {
        if (over || control.stop.stop_requested()) stop.request_stop();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    for (std::thread& thread : threads) thread.join();
    // Reports what went wrong rather than what was stopped because of it.
    const Share* failed = nullptr;
    for (const Share& share : shares) {
        if (share.grids->ok()) continue;
        if (failed == nullptr || failed->grids->status().code() == StatusCode::kInterrupted) failed = &share;
    }
    if (failed != nullptr) return failed->grids->status();
    std::vector<std::unique_ptr<PairGrid>> grids(tasks.size());
    kernel_milliseconds_ = 0;
    for (std::size_t g = 0; g < shares.size(); ++g) {
        for (std::size_t i = 0; i < shares[g].which.size(); ++i)
            grids[shares[g].which[i]] = std::move((**shares[g].grids)[i]);
        if (!shares[g].which.empty())
            kernel_milliseconds_ = std::max(kernel_milliseconds_, gpus_[g]->kernel_milliseconds());
    }
    return std::move(grids);
}

/// Returns how often a GPU is listed.
int sharers_of(const PairSweeperSettings& settings, int ordinal) {
    return static_cast<int>(std::ranges::count(settings.ordinals, ordinal));
}

/// Returns the bytes of a GPU's memory that each of its listings may take.
Result<std::uint64_t> memory_of_each(const PairSweeperSettings& settings, int ordinal) {
    std::uint64_t limit_bytes = settings.device_memory_bytes;
    if (limit_bytes == 0) {
        const Result<std::uint64_t> free = free_gpu_memory_bytes(ordinal);
        if (!free.ok()) return free.status();
        limit_bytes = *free - std::min(*free, kReserveBytes);
    }
    return limit_bytes / static_cast<std::uint64_t>(sharers_of(settings, ordinal));
}

}  // namespace

Result<std::unique_ptr<PairSweeper>> make_pair_sweeper(const PairScoring& scoring,
                                                       const PairSweeperSettings& settings) {
    if (settings.ordinals.empty()) return Status::unavailable("no GPU");
    std::vector<std::unique_ptr<GpuPairSweeper>> gpus;
    for (const int ordinal : settings.ordinals) {
        const Result<std::uint64_t> limit_bytes = memory_of_each(settings, ordinal);
        if (!limit_bytes.ok()) return limit_bytes.status();
        auto gpu = std::make_shared<Gpu>(ordinal, sharers_of(settings, ordinal));
        WARPSEQ_TRY(gpu->open(*limit_bytes));
        const PairShape* const shape =
            settings.shapes.empty() ? nullptr : &settings.shapes[gpus.size() % settings.shapes.size()];
        gpus.push_back(std::make_unique<GpuPairSweeper>(scoring, std::move(gpu), shape));
    }
    if (gpus.size() == 1) return std::unique_ptr<PairSweeper>(std::move(gpus[0]));
    return std::unique_ptr<PairSweeper>(std::make_unique<MultiGpuPairSweeper>(
        scoring, std::move(gpus), std::max<std::uint64_t>(1, settings.least_band_columns), settings.least_dealt_cells));
}

Result<std::uint64_t> grid_bytes_available(const PairSweeperSettings& settings, std::uint64_t rows,
                                           std::uint64_t columns) {
    // The result is what one GPU has. A band needs no more than the whole, and blocks of the way
    // back are filled by the first GPU alone.
    std::uint64_t limit_bytes = std::numeric_limits<std::uint64_t>::max();
    for (const int ordinal : settings.ordinals) {
        const Result<std::uint64_t> each = memory_of_each(settings, ordinal);
        if (!each.ok()) return each.status();
        limit_bytes = std::min(limit_bytes, *each);
    }
    const std::uint64_t needed = pair_work_bytes(rows, columns);
    return limit_bytes > needed ? limit_bytes - needed : 0;
}

}  // namespace warpseq::cuda
