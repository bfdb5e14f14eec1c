#include "kernels/profile/viterbi_unihit_stage_gpu.cuh"

#include <algorithm>
#include <cub/warp/warp_scan.cuh>

#include "kernels/gpu/launch.cuh"
#include "kernels/gpu/selection.cuh"
#include "kernels/profile/viterbi_unihit_kernel_gpu.cuh"

namespace warpseq::cuda {

/// The data of a range for cut_viterbi_unihit_list(), and of a class of ranges that one kernel
/// computes.
struct ViterbiUnihitRangeToCut {
    std::uint32_t model, profile, length_class, lists;
    std::uint32_t round_items;  // items of a block: a unit for each warp, or one for a team
    std::uint32_t rows;         // rows of all passes
};
struct ViterbiUnihitClassToCut {
    std::uint32_t first_range, range_count;
};

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
    return ViterbiUnihitLayout(shape.group_threads, shape.rows_per_thread).shared_bytes();
}

struct CutArguments {
    DeviceWorkList list;
    const std::uint32_t* count;    // number of items
    const std::uint32_t* pending;  // items as indices into the list, or null
    const DeviceLane* lanes;
    const ViterbiUnihitRangeToCut* to_cut;
    std::uint32_t range_count;
    const ViterbiUnihitClassToCut* classes;
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

/// Branches for classes besides the caller's stream: with it, as many as a device runs side by side
/// by default.
constexpr std::size_t kBranches = 7;
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
    using Scan = cub::WarpScan<std::uint32_t>;
    __shared__ Scan::TempStorage scan_storage[kCutThreads / 32];
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
    const auto item_work = [&](const ViterbiUnihitRangeToCut& range) {
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
        const ViterbiUnihitRangeToCut range = arguments.to_cut[i];
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
        const ViterbiUnihitClassToCut of = arguments.classes[c];
        std::uint32_t before = 0;
        for (std::uint32_t first = 0; first < of.range_count; first += 32) {
            const std::uint32_t i = of.first_range + first + lane;
            ViterbiUnihitRange range{};
            std::uint32_t tasks = 0;
            if (first + lane < of.range_count) {
                const ViterbiUnihitRangeToCut& to_cut = arguments.to_cut[i];
                range = scratch[i];
                const unsigned long long fair_chain = fair_work / (to_cut.round_items * item_work(to_cut));
                const unsigned long long most = arguments.chains[to_cut.length_class];
                range.task_items = static_cast<std::uint32_t>(max(1ull, min(most, fair_chain))) * to_cut.round_items;
                tasks = (range.items + range.task_items - 1) / range.task_items;
            }
            std::uint32_t sum = 0, total = 0;
            Scan(scan_storage[threadIdx.x / 32]).ExclusiveSum(tasks, sum, total);
            range.tasks_before = before + sum;
            if (first + lane < of.range_count) arguments.ranges[i + c] = range;
            before += total;
            __syncwarp();  // before the warp's storage is used again
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

/// Whether a pair of the list, by its index there, is for the second run.
struct IsPending {
    const std::uint32_t* count;
    const std::uint16_t* starts;
    __device__ bool operator()(std::uint32_t item) const {
        return item < *count && starts[item] != kViterbiUnihitNowhere;
    }
};

}  // namespace

/// One of the two runs over a list.
struct ViterbiUnihitRun {
    const DeviceWorkList& list;
    const std::uint32_t* count;    // number of its items
    const std::uint32_t* pending;  // its items, as indices into the list; null: all
    std::int16_t* results;
};

Status ViterbiUnihitStage::prepare(const ViterbiUnihitTables& tables, cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    const Result<int> multiprocessors = count_multiprocessors(ordinal_);
    if (!multiprocessors.ok()) return multiprocessors.status();
    multiprocessors_ = *multiprocessors;
    WARPSEQ_TRY(fan_.open(ordinal_, kBranches));
    classes_.clear();
    std::vector<ViterbiUnihitRangeToCut> to_cut;
    std::vector<ViterbiUnihitClassToCut> classes;
    for (const ViterbiUnihitTables::Class& each : tables.classes()) {
        const Instance* const instance = find_instance(each.shape);
        if (instance == nullptr)
            return Status::unavailable("no kernel for this plan: a defect of warpseq, please report it");
        const Result<unsigned> resident =
            resident_blocks(ordinal_, instance->kernel,
                            {.threads = kViterbiUnihitBlockThreads, .shared_bytes = shared_bytes(each.shape)});
        if (!resident.ok()) return resident.status();
        const auto range_count = static_cast<std::uint32_t>(each.ranges.size());
        const auto first_range = static_cast<std::uint32_t>(to_cut.size());
        classes_.push_back({.shape = each.shape,
                            .most_passes = each.most_passes,
                            .first_range = first_range,
                            .range_count = range_count,
                            .resident_blocks = *resident,
                            .first_length_class = each.ranges.front().length_class});
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

    range_count_ = static_cast<std::uint32_t>(to_cut.size());
    WARPSEQ_CUDA_TRY(ranges_.reserve(2 * to_cut.size() + classes_.size() + 1), ordinal_, "no memory for profiles");
    WARPSEQ_CUDA_TRY(tickets_.reserve(classes_.size() + 1), ordinal_, "no memory for profiles");
    std::vector<std::int16_t> moves;
    if (moves_.size() == 0) {
        moves.resize(kViterbiUnihitLongestTarget + 1);
        for (std::size_t residues = 0; residues < moves.size(); ++residues)
            moves[residues] = ViterbiProfile::move(residues);
    }
    EnqueuedWork copies(ordinal_);  // of the vectors above, too
    if (!moves.empty()) WARPSEQ_TRY(copy_to_device(moves_, moves, ordinal_, stream, "tables"));
    WARPSEQ_TRY(copy_to_device(models_, tables.models(), ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(tables_, tables.words(), ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(fits_, tables.fits(), ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(to_cut_, to_cut, ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(classes_to_cut_, classes, ordinal_, stream, "profiles"));
    return copies.wait(stream, "cannot copy profiles");
}

Status ViterbiUnihitStage::score(const TargetsOnDevice& targets, const DeviceWorkList& list, std::int16_t* results,
                                 cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    if (list.most == 0) return {};
    WARPSEQ_CUDA_TRY(starts_.reserve(list.room), ordinal_, "no memory for a list");
    WARPSEQ_CUDA_TRY(pending_.reserve(std::size_t{list.room} + 1), ordinal_, "no memory for a list");
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
        each.blocks = each.resident_blocks;
        if (each.most_passes == 1) continue;
        const ViterbiUnihitLayout layout(each.shape.group_threads, each.shape.rows_per_thread);
        std::uint64_t longest = targets.distinct_lengths.empty()
                                    ? 1
                                    : std::min(targets.distinct_lengths.front(), kViterbiUnihitLongestTarget);
        for (std::uint32_t c = each.first_length_class; c < kViterbiUnihitLengthClasses; ++c) {
            if (c > 0) longest = std::min<std::uint64_t>(longest, kViterbiUnihitLengthLimits[c - 1]);
            const std::uint64_t words = std::max<std::uint64_t>(words_for(longest), layout.least_words);
            each.border_words = std::max(each.border_words, words * kViterbiUnihitChains[c]);
        }
        each.border_words += 2;  // for reading ahead
        const std::uint64_t block_entries = each.border_words * layout.word_border * layout.chains;
        each.blocks = blocks_within(scratch_bytes_ / with_borders, block_entries * sizeof(uint2), each.blocks);
        border_entries += block_entries * each.blocks;
    }
    WARPSEQ_CUDA_TRY(borders_.reserve(std::max<std::uint64_t>(border_entries, 1)), ordinal_,
                     "no memory for border rows");

    WARPSEQ_TRY(launch(targets, {list, list.count, nullptr, results}, stream));
    std::uint32_t* const pending_count = pending_.data() + list.most;
    WARPSEQ_TRY(select_numbers(ordinal_, list.most, list.room, IsPending{list.count, starts_.data()}, pending_.data(),
                               pending_count, selection_scratch_, stream));
    return launch(targets, {list, pending_count, pending_.data(), results}, stream);
}

Status ViterbiUnihitStage::launch(const TargetsOnDevice& targets, const ViterbiUnihitRun& run, cudaStream_t stream) {
    CutArguments cut{
        .list = run.list,
        .count = run.count,
        .pending = run.pending,
        .lanes = targets.lanes_table.data(),
        .to_cut = to_cut_.data(),
        .range_count = range_count_,
        .classes = classes_to_cut_.data(),
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

    // Classes run side by side, since each alone may be too little for the GPU. The first one runs
    // on `stream` itself.
    const std::size_t branches = std::min(classes_.size() - 1, fan_.size());
    return fan_.run(stream, branches, [&]() -> Status {
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            // If there are more classes than streams, the others wait for the shortest.
            const std::size_t line = c <= branches ? c : branches - (c - branches - 1) % (branches + 1);
            WARPSEQ_TRY(start(c, targets, run, line == 0 ? stream : fan_.branch(line - 1)));
        }
        return {};
    });
}

Status ViterbiUnihitStage::start(std::size_t which, const TargetsOnDevice& targets, const ViterbiUnihitRun& run,
                                 cudaStream_t stream) {
    const LaunchClass& each = classes_[which];
    const ViterbiUnihitArguments arguments{.words = targets.words.data(),
                                           .lanes = targets.lanes_table.data(),
                                           .lane_count = run.list.lane_count,
                                           .slots = run.list.slots,
                                           .moves = moves_.data(),
                                           .models = models_.data(),
                                           .tables = reinterpret_cast<const uint4*>(tables_.data()),
                                           .ranges = ranges_.data() + each.first_range + which,
                                           .range_count = each.range_count,
                                           .ticket = tickets_.data() + which,
                                           .borders = borders_.data() + each.first_border,
                                           .border_words = each.border_words,
                                           .results = run.results,
                                           .starts = starts_.data(),
                                           .pending = run.pending};
    find_instance(each.shape)
        ->kernel<<<each.blocks, kViterbiUnihitBlockThreads, shared_bytes(each.shape), stream>>>(arguments);
    return cuda_status(cudaGetLastError(), ordinal_, "cannot start the Viterbi kernel");
}

}  // namespace warpseq::cuda
