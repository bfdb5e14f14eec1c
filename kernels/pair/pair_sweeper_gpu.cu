#include "kernels/pair/pair_sweeper_gpu.cuh"

#include <algorithm>
#include <new>
#include <string>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/launch.cuh"

namespace warpseq::cuda {
namespace {

/// The work that a start enqueues on a worker. If the start ends in the middle, by an error or an
/// exception, the destructor makes the kernels leave and waits for all of it. So nothing still
/// reads the caller's sequences, the worker's staging memory, or what a band shares with its
/// neighbours. The whole GPU is not waited for: another worker on it may have kernels that run for
/// minutes.
class StartedWork {
   public:
    explicit StartedWork(PairWorker& worker) : worker_(worker) {}
    ~StartedWork() {
        if (is_handed_on_) return;
        static_cast<void>(worker_.ask_to_stop());
        static_cast<void>(worker_.wait_until_stopped());
    }
    StartedWork(const StartedWork&) = delete;
    StartedWork& operator=(const StartedWork&) = delete;

    /// Called when the work has become the caller's.
    void hand_on() { is_handed_on_ = true; }

   private:
    PairWorker& worker_;
    bool is_handed_on_ = false;
};

}  // namespace

std::uint64_t cells_of(std::span<const SweepTask> tasks) {
    std::uint64_t cells = 0;
    for (const SweepTask& task : tasks) cells += task.query.size() * task.target.size();
    return cells;
}

std::uint64_t GpuPairSweeper::side_by_side(std::uint64_t rows, std::uint64_t) const {
    // One strip for each scheduler of a multiprocessor keeps all of it at work. Strips of many
    // matrices are as tall as can be.
    constexpr std::uint64_t kSchedulers = 4;
    const std::uint64_t strips = (rows + kPairShapes[0].strip_rows() - 1) / kPairShapes[0].strip_rows();
    return std::max<std::uint64_t>(1, kSchedulers * static_cast<std::uint64_t>(worker_->multiprocessors()) / strips);
}

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
        const PairShape batch = choose_batch_shape(rows, columns, scoring_.scheme, worker_->multiprocessors(), tasks);
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

Result<int> GpuPairSweeper::blocks_of(PairKernel kernel, std::size_t shared_bytes) {
    const auto known = blocks_.find({kernel, shared_bytes});
    if (known != blocks_.end()) return known->second;
    const Result<int> blocks =
        blocks_per_multiprocessor(worker_->ordinal(), kernel,
                                  {.threads = kWarpLanes * kPairBlockWarps,
                                   .shared_bytes = shared_bytes,
                                   .most_shared_bytes = static_cast<std::size_t>(worker_->shared_bytes())});
    if (!blocks.ok()) return blocks.status();
    const int here = std::max(1, *blocks * worker_->multiprocessors() / worker_->sharers());
    blocks_.emplace(std::pair(kernel, shared_bytes), here);
    return here;
}

Result<std::vector<std::unique_ptr<PairGrid>>> GpuPairSweeper::sweep(std::span<const SweepTask> tasks,
                                                                     const SweepControl& control) {
    try {
        std::vector<std::unique_ptr<PairGrid>> grids;
        if (tasks.empty()) return std::move(grids);
        grids.reserve(tasks.size());
        Result<RunningSweep> running = start(tasks);
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

Result<RunningSweep> GpuPairSweeper::start(std::span<const SweepTask> tasks) {
    std::vector<PairShape> shapes;
    shapes.reserve(tasks.size());
    for (const SweepTask& task : tasks) {
        const Result<PairShape> shape = shape_of(task, tasks.size());
        if (!shape.ok()) return shape.status();
        shapes.push_back(*shape);
    }
    return start(tasks, shapes, nullptr);
}

Result<RunningSweep> GpuPairSweeper::start_band(const PairBand& band) {
    return start({&band.task, 1}, {&band.shape, 1}, &band);
}

Result<RunningSweep> GpuPairSweeper::start(std::span<const SweepTask> tasks, std::span<const PairShape> shapes,
                                           const PairBand* band) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal()), ordinal(), "cannot be used");
    const bool has_left = band != nullptr && band->links.given_left != nullptr;
    const Result<PairMemoryPlan> plan = plan_pair_memory(tasks, shapes, scoring_.local, has_left);
    if (!plan.ok()) return plan.status();
    Result<RunningSweep> allocated = allocate(*plan);
    if (!allocated.ok()) return allocated.status();
    RunningSweep& running = *allocated;
    running.rows_per_strip = shapes[0].strip_rows();

    // From here on work is enqueued. It ends before `allocated` does, which owns its memory.
    StartedWork work(*worker_);
    const Result<PairLetterNumbers> letters =
        copy_inputs(running, *plan, tasks, band != nullptr ? band->links : PairBandLinks{});
    if (!letters.ok()) return letters.status();
    WARPSEQ_TRY(clear(running, *plan));
    WARPSEQ_TRY(write_beginnings(running, *plan));
    // The grids of many tasks are made while the kernel runs. A band's grid is made before, because
    // a neighbour would be left waiting for the kernel if memory ran out.
    if (band != nullptr) make_grids(running, *plan, tasks);
    WARPSEQ_TRY(launch(running, *plan, *letters));
    if (band == nullptr) make_grids(running, *plan, tasks);
    work.hand_on();
    return std::move(running);
}

Result<RunningSweep> GpuPairSweeper::allocate(const PairMemoryPlan& plan) const {
    Result<DeviceBlock> input = DeviceBlock::make(worker_, plan.input_bytes, "sequences");
    if (!input.ok()) return input.status();
    Result<DeviceBlock> scratch = DeviceBlock::make(worker_, plan.scratch_bytes, "borders between strips");
    if (!scratch.ok()) return scratch.status();
    Result<DeviceBlock> checkpoints = DeviceBlock::make(worker_, plan.checkpoints_bytes, "checkpoints of a pair");
    if (!checkpoints.ok()) return checkpoints.status();
    // Checkpoints of many pairs are read in many small pieces, and in the end all of them are read.
    constexpr std::uint64_t kMostCopyBytes = std::uint64_t{32} << 20, kMostCopyBytesOfMany = std::uint64_t{256} << 20;
    RunningSweep running;
    running.worker = worker_;
    running.maxima = plan.maxima;
    running.store = std::make_shared<CheckpointStore>(std::move(*checkpoints),
                                                      plan.tasks.size() < 256 ? kMostCopyBytes : kMostCopyBytesOfMany);
    running.input.emplace(std::move(*input));
    running.scratch.emplace(std::move(*scratch));
    return std::move(running);
}

void GpuPairSweeper::make_grids(RunningSweep& running, const PairMemoryPlan& plan,
                                std::span<const SweepTask> tasks) const {
    running.grids.reserve(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        running.grids.push_back(
            std::make_unique<DevicePairGrid>(tasks[i], running.store, plan.tasks[i], scoring_.local));
    }
}

/// Copies sequences and tables to the GPU. Small inputs go through pinned memory in one copy. Large
/// ones are on their way while the host looks for their letters.
Result<PairLetterNumbers> GpuPairSweeper::copy_inputs(const RunningSweep& running, const PairMemoryPlan& plan,
                                                      std::span<const SweepTask> tasks, const PairBandLinks& links) {
    const std::uint64_t staged_from = plan.staged_from(), staged_bytes = plan.input_bytes - staged_from;
    const cudaStream_t stream = worker_->stream().get();
    WARPSEQ_CUDA_TRY(worker_->staging().reserve(staged_bytes), ordinal(), "no pinned memory");
    if (staged_from > 0) {
        for (const PairInputPlace& input : plan.inputs) {
            WARPSEQ_CUDA_TRY(cudaMemcpyAsync(running.input->data() + input.offset, input.source, input.bytes,
                                             cudaMemcpyHostToDevice, stream),
                             ordinal(), "cannot copy sequences");
        }
    }
    Result<PairLetterNumbers> letters = stage_pair_input(
        plan, tasks, scoring_, {running.input->data(), running.scratch->data(), running.store->device()}, links,
        {worker_->staging().data(), staged_bytes});
    if (!letters.ok()) return letters;
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(running.input->data() + staged_from, worker_->staging().data(), staged_bytes,
                                     cudaMemcpyHostToDevice, stream),
                     ordinal(), "cannot copy sequences");
    return letters;
}

/// Sets to zero what has to begin with zero.
Status GpuPairSweeper::clear(const RunningSweep& running, const PairMemoryPlan& plan) {
    const auto zero = [&](void* memory, std::uint64_t bytes) {
        return cuda_status(cudaMemsetAsync(memory, 0, bytes, worker_->stream().get()), ordinal(),
                           "cannot clear memory");
    };
    WARPSEQ_TRY(zero(running.scratch->data(), plan.zeroed_scratch_bytes));
    WARPSEQ_TRY(zero(worker_->stop_word(), sizeof(std::uint32_t)));
    // A store that may be copied to the host as a whole is cleared as a whole, because some cells
    // of checkpoints are never written and never read.
    const CheckpointStore& store = *running.store;
    const std::uint64_t bytes = store.may_be_copied() ? store.size_bytes() : plan.zeroed_checkpoints_bytes;
    return bytes > 0 ? zero(store.device(), bytes) : Status();
}

Status GpuPairSweeper::write_beginnings(const RunningSweep& running, const PairMemoryPlan& plan) {
    for (const bool free : {false, true}) {
        if (plan.beginning_cells[free] == 0) continue;
        auto* const cells = reinterpret_cast<BorderCell*>(running.scratch->data() + plan.beginning_offsets[free]);
        WARPSEQ_CUDA_TRY(
            write_beginning(cells, plan.beginning_cells[free], scoring_.scheme.gaps, free, worker_->stream().get()),
            ordinal(), "cannot start the kernel");
    }
    return {};
}

PairKernelArguments GpuPairSweeper::arguments_of(const RunningSweep& running, const PairMemoryPlan& plan,
                                                 const PairLetterNumbers& letters) const {
    const std::byte* const input = running.input->data();
    PairWorker::HostWords& host = worker_->host_words();
    PairKernelArguments arguments{};
    arguments.tasks = reinterpret_cast<const PairDeviceTask*>(input + plan.tasks_offset);
    arguments.stop = worker_->stop_word();
    arguments.cells = reinterpret_cast<unsigned long long*>(running.scratch->data() + plan.counters_offset);
    arguments.host_cells = &host.cells;
    arguments.host_strips = plan.tasks.size() == 1 ? &host.strips : nullptr;
    arguments.scores = reinterpret_cast<const std::int8_t*>(input + plan.scores_offset);
    std::ranges::copy(letters.index, arguments.letter_of);
    arguments.letters = letters.count;
    arguments.one = 1;
    arguments.warms_up = std::ranges::any_of(plan.tasks, [](const PairTaskPlaces& each) { return each.strips > 8; });
    arguments.tag_bits = pair_tag_bits(scoring_.scheme.gaps);
    arguments.first = scoring_.scheme.gaps.first();
    arguments.extend = scoring_.scheme.gaps.extend;
    arguments.highest = std::max(0, scoring_.scheme.matrix.highest_raw());
    return arguments;
}

/// Starts the kernels, one for each shape that occurs.
Status GpuPairSweeper::launch(const RunningSweep& running, const PairMemoryPlan& plan,
                              const PairLetterNumbers& letters) {
    const cudaStream_t stream = worker_->stream().get();
    PairKernelArguments arguments = arguments_of(running, plan, letters);
    const auto* const units = reinterpret_cast<const PairUnit*>(running.input->data() + plan.units_offset);
    unsigned long long* ticket = arguments.cells;
    const std::uint64_t most_blocks = most_pair_warps(arguments.tag_bits) / kPairBlockWarps;
    worker_->host_words().cells = 0;
    worker_->host_words().strips = 0;
    WARPSEQ_TRY(worker_->begun().record(stream));
    for (const PairLaunch& launch : plan.launches) {
        const PairShape& shape = kPairShapes[launch.shape];
        arguments.units = units + launch.first_unit;
        arguments.unit_count = static_cast<std::uint32_t>(launch.units);
        arguments.ticket = reinterpret_cast<std::uint32_t*>(++ticket);
        arguments.range = pair_range(shape, scoring_.scheme).value_or(PairRange{});
        const PairKernel kernel = pair_kernel(launch.shape, scoring_.local);
        const std::size_t shared_bytes = PairSharedLayout::of(shape.strip_rows(), letters.count).block_bytes();
        const Result<int> resident = blocks_of(kernel, shared_bytes);
        if (!resident.ok()) return resident.status();
        const unsigned blocks = blocks_for(launch.units, kPairBlockWarps,
                                           std::min<std::uint64_t>(static_cast<std::uint64_t>(*resident), most_blocks));
        WARPSEQ_CUDA_TRY(launch_pair_kernel(kernel, blocks, shared_bytes, stream, arguments), ordinal(),
                         "cannot start the kernel");
    }
    return worker_->ended().record(stream);
}

Status GpuPairSweeper::finish(RunningSweep& running) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal()), ordinal(), "cannot be used");
    const Result<float> milliseconds = milliseconds_between(worker_->begun(), worker_->ended());
    if (!milliseconds.ok()) return milliseconds.status();
    kernel_milliseconds_ = *milliseconds;
    return running.store->complete(running.maxima);
}

}  // namespace warpseq::cuda
