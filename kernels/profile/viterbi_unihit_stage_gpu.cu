#include "kernels/profile/viterbi_unihit_stage_gpu.cuh"

#include <algorithm>

#include "kernels/profile/viterbi_unihit_kernel_gpu.cuh"

namespace warpseq::cuda {
namespace {

using ViterbiUnihitKernel = void (*)(ViterbiUnihitArguments);

struct Instance {
    int group_threads, rows_per_thread;
    ViterbiUnihitKernel kernel;
};

template <int G, int R>
constexpr Instance instance() {
    return {G, R, viterbi_unihit_kernel<G, R, G >= kViterbiUnihitPassThreads>};
}

const Instance kInstances[] = {
    instance<1, 16>(), instance<2, 12>(), instance<2, 16>(), instance<4, 12>(), instance<4, 16>(),
    instance<4, 20>(), instance<4, 24>(), instance<4, 28>(), instance<8, 12>(), instance<8, 16>(),
    instance<8, 20>(), instance<8, 24>(), instance<8, 28>(), instance<32, 4>(), instance<32, 8>(),
};

const Instance* find_instance(const ViterbiUnihitShape& shape) {
    const auto* const found = std::find_if(std::begin(kInstances), std::end(kInstances), [&](const Instance& each) {
        return each.group_threads == shape.group_threads && each.rows_per_thread == shape.rows_per_thread;
    });
    return found == std::end(kInstances) ? nullptr : found;
}

/// Whether the warps of a block work on the same pairs.
bool is_team(const ViterbiUnihitShape& shape) { return shape.group_threads == kViterbiUnihitWideThreads; }

std::size_t shared_bytes(const ViterbiUnihitShape& shape) {
    return viterbi_unihit_pass_entries(shape.group_threads, shape.rows_per_thread) * sizeof(uint4) *
           (is_team(shape) ? kViterbiUnihitWarps : 1);
}

/// The data of a range for cut_viterbi_unihit_list(), and of a class of ranges that one kernel
/// computes.
struct RangeToCut {
    std::uint32_t model, profile, length_class, lists;
    std::uint32_t round_items;  // items of a block: a unit for each warp, or one for a team
    std::uint32_t rows;         // rows of all passes
};
struct ClassToCut {
    std::uint32_t first_range, range_count;
};

struct CutArguments {
    DeviceWorkList list;
    const std::uint32_t* count;    // number of items
    const std::uint32_t* pending;  // items as indices into the list, or null
    const DeviceLane* lanes;
    const RangeToCut* to_cut;
    std::uint32_t range_count;
    const ClassToCut* classes;
    std::uint32_t class_count;
    ViterbiUnihitRange* ranges;  // ranges of class c at first_range + c
    unsigned* tickets;
    std::uint32_t length_limits[kViterbiUnihitLengthClasses], chains[kViterbiUnihitLengthClasses];
    std::uint32_t fair_tasks;  // see kTasksPerBlock
};

/// Returns the first index below `end` for which `is_before` is false.
template <typename IsBefore>
__device__ std::uint32_t first_not(std::uint32_t end, const IsBefore& is_before) {
    std::uint32_t begin = 0;
    while (begin < end) {
        const std::uint32_t middle = begin + (end - begin) / 2;
        if (is_before(middle))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

constexpr int kCutThreads = 512;
/// The least number of tasks for each block that can be resident, by which the size of a task is
/// limited. A block that is done early takes another.
constexpr int kTasksPerBlock = 3, kBlocksPerMultiprocessor = 3;
/// The number that is added to the residue limit of an item's length class. The sum is about the
/// item's residues. Times its model's rows, it is the item's work.
constexpr std::uint32_t kResiduesOver = 150;

/// Finds the place of each profile's targets of each length class in the list, and cuts the tasks
/// of each class. Runs in one block.
__global__ void cut_viterbi_unihit_list(const __grid_constant__ CutArguments arguments) {
    __shared__ std::uint32_t first_lanes[kViterbiUnihitLengthClasses + 1];
    __shared__ unsigned long long all_work;
    if (threadIdx.x == 0) all_work = 0;
    if (threadIdx.x <= kViterbiUnihitLengthClasses) {
        const std::uint32_t c = threadIdx.x;
        std::uint32_t first = c == 0 ? 0 : arguments.list.lane_count;
        if (c > 0 && c < kViterbiUnihitLengthClasses) {
            const std::uint32_t limit = arguments.length_limits[c - 1];
            first = first_not(arguments.list.lane_count,
                              [&](std::uint32_t lane) { return arguments.lanes[lane].residues > limit; });
        }
        first_lanes[c] = first;
    }
    __syncthreads();
    const std::uint32_t count = *arguments.count;
    const std::uint32_t here = arguments.pending != nullptr     ? ViterbiUnihitTables::kSecondRun
                               : count < kViterbiUnihitLongList ? ViterbiUnihitTables::kShortLists
                                                                : ViterbiUnihitTables::kLongLists;
    const auto item_work = [&](const RangeToCut& range) {
        return static_cast<unsigned long long>(arguments.length_limits[range.length_class] + kResiduesOver) *
               range.rows;
    };
    const auto items_before = [&](std::uint32_t slot) {
        return first_not(count, [&](std::uint32_t item) {
            return arguments.list.slots[arguments.pending != nullptr ? arguments.pending[item] : item] < slot;
        });
    };
    /// The ranges before they have their places.
    ViterbiUnihitRange* const scratch = arguments.ranges + arguments.range_count + arguments.class_count;
    for (std::uint32_t i = threadIdx.x; i < arguments.range_count; i += kCutThreads) {
        const RangeToCut range = arguments.to_cut[i];
        scratch[i] = {range.model, 0, 0, 0, 0};
        if ((range.lists & here) == 0) continue;
        const std::uint32_t first_slot = range.profile * arguments.list.lane_count;
        scratch[i].first_item = items_before(first_slot + first_lanes[range.length_class]);
        scratch[i].items = items_before(first_slot + first_lanes[range.length_class + 1]) - scratch[i].first_item;
        atomicAdd(&all_work, scratch[i].items * item_work(range));
    }
    __syncthreads();
    // A warp handles each class: its tasks, and the number of tasks before.
    const unsigned long long fair_work = all_work / arguments.fair_tasks;
    const std::uint32_t lane = threadIdx.x % 32;
    for (std::uint32_t c = threadIdx.x / 32; c < arguments.class_count; c += kCutThreads / 32) {
        const ClassToCut of = arguments.classes[c];
        std::uint32_t before = 0;
        for (std::uint32_t first = 0; first < of.range_count; first += 32) {
            const std::uint32_t i = of.first_range + first + lane;
            ViterbiUnihitRange range{};
            std::uint32_t tasks = 0;
            if (first + lane < of.range_count) {
                const RangeToCut& to_cut = arguments.to_cut[i];
                range = scratch[i];
                const unsigned long long fair_chain = fair_work / (to_cut.round_items * item_work(to_cut));
                const unsigned long long most = arguments.chains[to_cut.length_class];
                range.task_items = static_cast<std::uint32_t>(max(1ull, min(most, fair_chain))) * to_cut.round_items;
                tasks = (range.items + range.task_items - 1) / range.task_items;
            }
            std::uint32_t sum = tasks;
#pragma unroll
            for (std::uint32_t step = 1; step < 32; step *= 2) {
                const std::uint32_t other = __shfl_up_sync(~0u, sum, step);
                if (lane >= step) sum += other;
            }
            range.tasks_before = before + sum - tasks;
            if (first + lane < of.range_count) arguments.ranges[i + c] = range;
            before += __shfl_sync(~0u, sum, 31);
        }
        if (lane == 0) {
            arguments.ranges[of.first_range + of.range_count + c] = {0, 0, 0, 1, before};
            arguments.tickets[c] = 0;
        }
    }
}

/// Sets every pair of a profile that does not fit to kUndecided.
__global__ void leave_undecided(DeviceWorkList list, const std::uint8_t* fits, std::int16_t* results,
                                std::uint16_t* starts) {
    const std::uint32_t count = *list.count;
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        if (fits[list.slots[i] / list.lane_count] == 0) {
            results[i] = kUndecided;
            starts[i] = kViterbiUnihitNowhere;
        }
    }
}

// The kernels below collect the pairs of the second run in the list's order. They count those of
// each block, sum the counts of the blocks before, and write the indices.
constexpr unsigned kCollectThreads = 1024;

__global__ void __launch_bounds__(kCollectThreads)
    count_pending(DeviceWorkList list, const std::uint16_t* starts, std::uint32_t* block_pending) {
    const std::uint32_t i = blockIdx.x * kCollectThreads + threadIdx.x;
    const int pending = __syncthreads_count(i < *list.count && starts[i] != kViterbiUnihitNowhere);
    if (threadIdx.x == 0) block_pending[blockIdx.x] = static_cast<std::uint32_t>(pending);
}

/// Returns the exclusive sum over the block's threads. Sets `total` to the sum of all of them.
__device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t& total) {
    __shared__ std::uint32_t warp_sums[32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    std::uint32_t sum = value;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += other;
    }
    __syncthreads();
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    std::uint32_t before = 0;
    total = 0;
    for (unsigned w = 0; w < kCollectThreads / 32; ++w) {
        before += w < warp ? warp_sums[w] : 0;
        total += warp_sums[w];
    }
    return before + sum - value;
}

/// Replaces counts by exclusive sums in place, in one block. Sets `total` to the sum of all.
__global__ void __launch_bounds__(kCollectThreads)
    sum_pending(std::uint32_t* block_pending, std::uint32_t blocks, std::uint32_t* total) {
    std::uint32_t before = 0;
    for (std::uint32_t first = 0; first < blocks; first += kCollectThreads) {
        const std::uint32_t i = first + threadIdx.x;
        std::uint32_t here = 0;
        const std::uint32_t sum = before + sum_before(i < blocks ? block_pending[i] : 0, here);
        if (i < blocks) block_pending[i] = sum;
        before += here;
    }
    if (threadIdx.x == 0) *total = before;
}

__global__ void __launch_bounds__(kCollectThreads)
    collect_pending(DeviceWorkList list, const std::uint16_t* starts, const std::uint32_t* block_pending,
                    std::uint32_t* pending) {
    const std::uint32_t i = blockIdx.x * kCollectThreads + threadIdx.x;
    const bool here = i < *list.count && starts[i] != kViterbiUnihitNowhere;
    std::uint32_t total = 0;
    const std::uint32_t at = block_pending[blockIdx.x] + sum_before(here ? 1 : 0, total);
    if (here) pending[at] = i;
}

}  // namespace

/// One of the two runs over a list.
struct ViterbiUnihitRun {
    const DeviceWorkList& list;
    const std::uint32_t* count;    // number of its items
    const std::uint32_t* pending;  // its items, as indices into the list; null: all
    std::int16_t* results;
};

ViterbiUnihitStage::~ViterbiUnihitStage() {
    cudaSetDevice(ordinal_);
    if (begun_ != nullptr) cudaEventDestroy(begun_);
    for (const cudaEvent_t event : ended_) {
        if (event != nullptr) cudaEventDestroy(event);
    }
    for (const cudaStream_t stream : side_streams_) {
        if (stream != nullptr) cudaStreamDestroy(stream);
    }
}

Status ViterbiUnihitStage::open() {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    if (open_) return {};
    WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, ordinal_), ordinal_,
                     "cannot tell its multiprocessors");
    WARPSEQ_CUDA_TRY(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming), ordinal_, "cannot make an event");
    for (cudaEvent_t& event : ended_)
        WARPSEQ_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), ordinal_, "cannot make an event");
    for (cudaStream_t& stream : side_streams_)
        WARPSEQ_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), ordinal_, "cannot make a stream");
    std::vector<std::int16_t> moves(kViterbiUnihitLongestTarget + 1);
    for (std::size_t residues = 0; residues < moves.size(); ++residues)
        moves[residues] = ViterbiProfile::move(residues);
    WARPSEQ_CUDA_TRY(moves_.reserve(moves.size()), ordinal_, "no memory for tables");
    WARPSEQ_CUDA_TRY(cudaMemcpy(moves_.data(), moves.data(), moves_.size_bytes(), cudaMemcpyHostToDevice), ordinal_,
                     "cannot copy tables");
    open_ = true;
    return {};
}

Status ViterbiUnihitStage::prepare(const ViterbiUnihitTables& tables, cudaStream_t stream) {
    WARPSEQ_TRY(open());
    classes_.clear();
    std::vector<RangeToCut> to_cut;
    std::vector<ClassToCut> classes;
    for (const ViterbiUnihitTables::Class& each : tables.classes()) {
        const Instance* const instance = find_instance(each.shape);
        if (instance == nullptr)
            return Status::unavailable("no kernel for this plan: a defect of warpseq, please report it");
        const std::size_t bytes = shared_bytes(each.shape);
        WARPSEQ_CUDA_TRY(cudaFuncSetAttribute(instance->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              static_cast<int>(bytes)),
                         ordinal_, "cannot prepare the Viterbi kernel");
        int blocks = 0;
        WARPSEQ_CUDA_TRY(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, instance->kernel, kViterbiUnihitBlockThreads, bytes),
            ordinal_, "cannot prepare the Viterbi kernel");
        blocks = std::max(blocks, 1) * multiprocessors_;
        const auto range_count = static_cast<std::uint32_t>(each.ranges.size());
        const auto first_range = static_cast<std::uint32_t>(to_cut.size());
        classes_.push_back(
            {each.shape, each.most_passes, first_range, range_count, blocks, each.ranges.front().length_class, 0, 0});
        classes.push_back({first_range, range_count});
        const int units = is_team(each.shape) ? 1 : kViterbiUnihitWarps;
        for (const ViterbiUnihitTables::Range& range : each.ranges) {
            const ViterbiUnihitModel& model = tables.models()[range.model];
            to_cut.push_back(
                {range.model, model.profile, range.length_class, range.lists,
                 static_cast<std::uint32_t>(2 * 32 / each.shape.group_threads * units),
                 model.passes * static_cast<std::uint32_t>(each.shape.group_threads * each.shape.rows_per_thread)});
        }
    }
    all_fit_ = std::ranges::all_of(tables.fits(), [](std::uint8_t fits) { return fits != 0; });

    const auto copy = [&](auto& to, const auto* from, std::size_t size) -> Status {
        WARPSEQ_CUDA_TRY(to.reserve(std::max<std::size_t>(size, 1)), ordinal_, "no memory for profiles");
        WARPSEQ_CUDA_TRY(cudaMemcpyAsync(to.data(), from, size * sizeof(*from), cudaMemcpyHostToDevice, stream),
                         ordinal_, "cannot copy profiles");
        return {};
    };
    WARPSEQ_TRY(copy(models_, tables.models().data(), tables.models().size()));
    WARPSEQ_TRY(copy(tables_, tables.words().data(), tables.words().size()));
    WARPSEQ_TRY(copy(fits_, tables.fits().data(), tables.fits().size()));
    range_count_ = static_cast<std::uint32_t>(to_cut.size());
    const auto as_bytes = [](const auto& vector) { return reinterpret_cast<const std::uint8_t*>(vector.data()); };
    WARPSEQ_TRY(copy(to_cut_, as_bytes(to_cut), to_cut.size() * sizeof(RangeToCut)));
    WARPSEQ_TRY(copy(classes_to_cut_, as_bytes(classes), classes.size() * sizeof(ClassToCut)));
    WARPSEQ_CUDA_TRY(ranges_.reserve(2 * to_cut.size() + classes_.size() + 1), ordinal_, "no memory for profiles");
    WARPSEQ_CUDA_TRY(tickets_.reserve(classes_.size() + 1), ordinal_, "no memory for profiles");
    return cuda_status(cudaStreamSynchronize(stream), ordinal_, "cannot copy profiles");
}

Status ViterbiUnihitStage::score(const TargetsOnDevice& targets, const DeviceWorkList& list, std::int16_t* results,
                                 cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    if (list.most == 0) return {};
    const unsigned blocks = (list.most + kCollectThreads - 1) / kCollectThreads;
    WARPSEQ_CUDA_TRY(starts_.reserve(list.room), ordinal_, "no memory for a list");
    WARPSEQ_CUDA_TRY(pending_.reserve(std::size_t{list.room} + 1), ordinal_, "no memory for a list");
    WARPSEQ_CUDA_TRY(block_pending_.reserve((std::size_t{list.room} + kCollectThreads - 1) / kCollectThreads), ordinal_,
                     "no memory for a list");
    if (!all_fit_) {
        leave_undecided<<<static_cast<unsigned>(4 * multiprocessors_), 256, 0, stream>>>(list, fits_.data(), results,
                                                                                         starts_.data());
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot start the Viterbi kernel");
    }
    if (classes_.empty()) return {};

    // The borders take the longest chain of words of each warp or team.
    std::uint64_t border_entries = 0;
    const auto with_borders =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ranges::count_if(
                                       classes_, [](const LaunchClass& each) { return each.most_passes > 1; })));
    for (LaunchClass& each : classes_) {
        each.first_border = border_entries;
        each.border_words = 0;
        each.blocks = static_cast<unsigned>(each.resident_blocks);
        if (each.most_passes == 1) continue;
        std::uint64_t longest = targets.distinct_lengths.empty()
                                    ? 1
                                    : std::min(targets.distinct_lengths.front(), kViterbiUnihitLongestTarget);
        for (std::uint32_t c = each.first_length_class; c < kViterbiUnihitLengthClasses; ++c) {
            if (c > 0) longest = std::min<std::uint64_t>(longest, kViterbiUnihitLengthLimits[c - 1]);
            const std::uint64_t words =
                std::max<std::uint64_t>(words_for(longest), static_cast<std::uint64_t>(each.shape.group_threads) + 1);
            each.border_words = std::max(each.border_words, words * kViterbiUnihitChains[c]);
        }
        each.border_words += 2;  // for reading ahead
        const std::uint64_t block_entries = each.border_words * kResiduesPerWord *
                                            static_cast<std::uint64_t>(32 / each.shape.group_threads) *
                                            static_cast<std::uint64_t>(is_team(each.shape) ? 1 : kViterbiUnihitWarps);
        each.blocks = blocks_within(scratch_bytes_ / with_borders, block_entries * sizeof(uint2), each.blocks);
        border_entries += block_entries * each.blocks;
    }
    WARPSEQ_CUDA_TRY(borders_.reserve(std::max<std::uint64_t>(border_entries, 1)), ordinal_,
                     "no memory for border rows");

    WARPSEQ_TRY(launch(targets, {list, list.count, nullptr, results}, stream));
    count_pending<<<blocks, kCollectThreads, 0, stream>>>(list, starts_.data(), block_pending_.data());
    std::uint32_t* const pending_count = pending_.data() + list.most;
    sum_pending<<<1, kCollectThreads, 0, stream>>>(block_pending_.data(), blocks, pending_count);
    collect_pending<<<blocks, kCollectThreads, 0, stream>>>(list, starts_.data(), block_pending_.data(),
                                                            pending_.data());
    WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot start the Viterbi kernel");
    return launch(targets, {list, pending_count, pending_.data(), results}, stream);
}

Status ViterbiUnihitStage::launch(const TargetsOnDevice& targets, const ViterbiUnihitRun& run, cudaStream_t stream) {
    CutArguments cut{
        .list = run.list,
        .count = run.count,
        .pending = run.pending,
        .lanes = targets.lanes_table.data(),
        .to_cut = reinterpret_cast<const RangeToCut*>(to_cut_.data()),
        .range_count = range_count_,
        .classes = reinterpret_cast<const ClassToCut*>(classes_to_cut_.data()),
        .class_count = static_cast<std::uint32_t>(classes_.size()),
        .ranges = ranges_.data(),
        .tickets = tickets_.data(),
        .length_limits = {},
        .chains = {},
        .fair_tasks = static_cast<std::uint32_t>(kTasksPerBlock * kBlocksPerMultiprocessor * multiprocessors_)};
    std::ranges::copy(kViterbiUnihitLengthLimits, cut.length_limits);
    std::ranges::copy(kViterbiUnihitChains, cut.chains);
    cut_viterbi_unihit_list<<<1, kCutThreads, 0, stream>>>(cut);
    WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot start the Viterbi kernel");

    // Classes run side by side, since each alone may be too little for the GPU.
    const std::size_t sides = std::min<std::size_t>(classes_.size() - 1, kSideStreams);
    if (sides > 0) WARPSEQ_CUDA_TRY(cudaEventRecord(begun_, stream), ordinal_, "cannot start the Viterbi kernel");
    for (std::size_t side = 0; side < sides; ++side)
        WARPSEQ_CUDA_TRY(cudaStreamWaitEvent(side_streams_[side], begun_, 0), ordinal_,
                         "cannot start the Viterbi kernel");
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        const LaunchClass& each = classes_[c];
        const Instance* const instance = find_instance(each.shape);
        const ViterbiUnihitArguments arguments{.words = targets.words.data(),
                                               .lanes = targets.lanes_table.data(),
                                               .lane_count = run.list.lane_count,
                                               .slots = run.list.slots,
                                               .moves = moves_.data(),
                                               .models = models_.data(),
                                               .tables = reinterpret_cast<const uint4*>(tables_.data()),
                                               .ranges = ranges_.data() + each.first_range + c,
                                               .range_count = each.range_count,
                                               .ticket = tickets_.data() + c,
                                               .borders = borders_.data() + each.first_border,
                                               .border_words = each.border_words,
                                               .results = run.results,
                                               .starts = starts_.data(),
                                               .pending = run.pending};
        // If there are more classes than streams, the others wait for the shortest.
        const std::size_t line = c <= sides ? c : sides - (c - sides - 1) % (sides + 1);
        const cudaStream_t on = line == 0 ? stream : side_streams_[line - 1];
        instance->kernel<<<each.blocks, kViterbiUnihitBlockThreads, shared_bytes(each.shape), on>>>(arguments);
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot start the Viterbi kernel");
    }
    for (std::size_t side = 0; side < sides; ++side) {
        WARPSEQ_CUDA_TRY(cudaEventRecord(ended_[side], side_streams_[side]), ordinal_,
                         "cannot start the Viterbi kernel");
        WARPSEQ_CUDA_TRY(cudaStreamWaitEvent(stream, ended_[side], 0), ordinal_, "cannot wait for the Viterbi kernel");
    }
    return {};
}

}  // namespace warpseq::cuda
