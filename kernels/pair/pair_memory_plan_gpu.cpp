#include "kernels/pair/pair_memory_plan_gpu.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace warpseq::cuda {

std::uint64_t row_blocks_of(const SweepTask& task) { return (task.query.size() + task.row_step - 1) / task.row_step; }
std::uint64_t column_blocks_of(const SweepTask& task) {
    return (task.target.size() + task.column_step - 1) / task.column_step;
}

namespace {

/// Hands out offsets into a block of memory.
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

/// The places of inputs that several tasks may share. Each input is placed once.
class InputPlaces {
   public:
    explicit InputPlaces(std::size_t most) : slots_(std::bit_ceil(2 * most + 2)) { entries_.reserve(most); }

    std::uint64_t place(const void* source, std::uint64_t bytes, std::uint64_t alignment, Layout& layout,
                        bool target = false) {
        const std::uint64_t mask = slots_.size() - 1;
        std::uint64_t at = (reinterpret_cast<std::uintptr_t>(source) ^ bytes << 40) * 0x9e3779b97f4a7c15 >> 20 & mask;
        for (; slots_[at] != 0; at = (at + 1) & mask) {
            PairInputPlace& entry = entries_[slots_[at] - 1];
            if (entry.source != source || entry.bytes != bytes) continue;
            entry.target |= target;
            return entry.offset;
        }
        entries_.push_back({source, bytes, layout.add(bytes, alignment), target});
        slots_[at] = static_cast<std::uint32_t>(entries_.size());
        return entries_.back().offset;
    }
    std::vector<PairInputPlace> take() { return std::move(entries_); }

   private:
    std::vector<std::uint32_t> slots_;  // 1 + the entry; 0: none
    std::vector<PairInputPlace> entries_;
};

std::size_t index_of(const PairShape& shape) {
    const PairShape* const found = std::ranges::find(kPairShapes, shape);
    assert(found != std::end(kPairShapes));
    return static_cast<std::size_t>(found - kPairShapes);
}

/// Orders the tasks, so that units of one shape stand together and those of large matrices come
/// first, and makes a launch for each shape.
void order_tasks(PairMemoryPlan& plan, std::span<const SweepTask> tasks) {
    plan.order.resize(tasks.size());
    std::iota(plan.order.begin(), plan.order.end(), 0u);
    const auto stands_before = [&](std::uint32_t a, std::uint32_t b) {
        if (plan.tasks[a].shape != plan.tasks[b].shape) return plan.tasks[a].shape < plan.tasks[b].shape;
        return tasks[a].query.size() * tasks[a].target.size() > tasks[b].query.size() * tasks[b].target.size();
    };
    if (!std::ranges::is_sorted(plan.order, stands_before)) std::ranges::stable_sort(plan.order, stands_before);
    std::uint64_t unit = 0;
    for (const std::uint32_t i : plan.order) {
        const PairTaskPlaces& each = plan.tasks[i];
        if (plan.launches.empty() || plan.launches.back().shape != each.shape)
            plan.launches.push_back({each.shape, unit, 0});
        plan.launches.back().units += each.strips;
        unit += each.strips;
    }
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

/// Makes the kernel's descriptions of tasks.
class DeviceTasks {
   public:
    DeviceTasks(const PairMemoryPlan& plan, bool local, const PairAddresses& addresses, const PairBandLinks& links)
        : plan_(plan), local_(local), addresses_(addresses), links_(links) {}

    PairDeviceTask make(std::size_t i, const SweepTask& task) const {
        const PairTaskPlaces& each = plan_.tasks[i];
        return PairDeviceTask{
            .query = at<std::uint8_t>(addresses_.input, each.query),
            .target = at<std::uint8_t>(addresses_.input, each.target),
            .top = line_at(each.top, task.top.is_free()),
            .left = plan_.has_left ? at<BorderCell>(addresses_.scratch, plan_.left_offset)
                                   : line_at(each.left, task.left.is_free()),
            .between = at<unsigned long long>(addresses_.scratch, each.between),
            .row_checkpoints = at<BorderCell>(addresses_.checkpoints, each.row_checkpoints),
            .column_checkpoints = at<BorderCell>(addresses_.checkpoints, each.column_checkpoints),
            .maxima = at<std::int32_t>(addresses_.checkpoints, each.maxima),
            .reached = at<std::int32_t>(addresses_.scratch, plan_.reached_offset) + i,
            .done = at<std::uint32_t>(addresses_.scratch, plan_.done_offset) + i,
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
            .prune = local_ && task.reached_raw != SweepTask::kNoPruning,
            .strip = 0,
            .given_left = links_.given_left,
            .left_ready = links_.left_ready,
            .left_seen = plan_.has_left ? at<std::uint32_t>(addresses_.scratch, plan_.left_seen_offset) : nullptr,
            .right = links_.right,
            .right_ready = links_.right_ready,
        };
    }

   private:
    template <typename T>
    static T* at(std::byte* block, std::uint64_t offset) {
        return reinterpret_cast<T*>(block + offset);
    }
    static std::uint32_t clipped(std::uint64_t number) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 1u << 31));
    }
    BorderCell* line_at(const PairLinePlace& place, bool free) const {
        if (place.given) return at<BorderCell>(addresses_.input, place.offset);
        return at<BorderCell>(addresses_.scratch, plan_.beginning_offsets[free]) + place.offset;
    }

    const PairMemoryPlan& plan_;
    const bool local_;
    const PairAddresses& addresses_;
    const PairBandLinks& links_;
};

}  // namespace

Result<PairMemoryPlan> plan_pair_memory(std::span<const SweepTask> tasks, std::span<const PairShape> shapes, bool local,
                                        bool has_left) {
    constexpr std::uint64_t kMostResidues = (std::uint64_t{1} << 31) - 1024;
    const std::size_t count = tasks.size();
    PairMemoryPlan plan;
    plan.has_left = has_left;
    plan.tasks.reserve(count);
    Layout input, scratch, checkpoints;
    plan.counters_offset = scratch.add(sizeof(unsigned long long) * (1 + std::size(kPairShapes)));
    plan.reached_offset = scratch.add(count * sizeof(std::int32_t));
    plan.done_offset = scratch.add(count * sizeof(std::uint32_t));
    if (has_left) plan.left_seen_offset = scratch.add(sizeof(std::uint32_t));

    InputPlaces places(4 * count);
    const auto place_line = [&](const PairLine& line) -> PairLinePlace {
        if (line.is_given()) {
            const auto cells = line.cells();
            return {true, places.place(cells.data(), cells.size_bytes(), sizeof(BorderCell), input)};
        }
        std::uint64_t& most = plan.beginning_cells[line.is_free()];
        most = std::max(most, line.offset() + line.size());
        return {false, line.offset()};
    };
    std::uint64_t units = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const SweepTask& task = tasks[i];
        const std::uint64_t rows = task.query.size(), columns = task.target.size();
        if (std::max(rows, columns) > kMostResidues) {
            return Status::unavailable("a GPU aligns sequences of up to " + std::to_string(kMostResidues) +
                                       " residues");
        }
        PairTaskPlaces& each = plan.tasks.emplace_back();
        each.shape = index_of(shapes[i]);
        each.strips = static_cast<std::uint32_t>((rows + shapes[i].strip_rows() - 1) / shapes[i].strip_rows());
        units += each.strips;
        each.maxima = plan.maxima * sizeof(std::int32_t);
        if (local) plan.maxima += row_blocks_of(task) * column_blocks_of(task);
        each.query = places.place(task.query.data(), task.query.size_bytes(), 1, input);
        each.target = places.place(task.target.data(), task.target.size_bytes(), 1, input, true);
        each.top = place_line(task.top);
        if (!has_left) each.left = place_line(task.left);
        if (each.strips > 1)
            each.between = scratch.add(columns * sizeof(unsigned long long), sizeof(unsigned long long));
    }
    if (units > std::numeric_limits<std::uint32_t>::max() / 2)
        return Status::unavailable("too many pairs for one sweep of a GPU");
    plan.zeroed_scratch_bytes = scratch.bytes();
    if (has_left) plan.left_offset = scratch.add((tasks[0].query.size() + 1) * sizeof(BorderCell));
    for (const bool free : {false, true})
        plan.beginning_offsets[free] = scratch.add(plan.beginning_cells[free] * sizeof(BorderCell));

    plan.zeroed_checkpoints_bytes = plan.maxima * sizeof(std::int32_t);
    checkpoints.add(plan.zeroed_checkpoints_bytes);
    for (std::size_t i = 0; i < count; ++i) {
        const SweepTask& task = tasks[i];
        plan.tasks[i].row_checkpoints =
            checkpoints.add(row_blocks_of(task) * (task.target.size() + 1) * sizeof(BorderCell), sizeof(BorderCell));
        plan.tasks[i].column_checkpoints =
            checkpoints.add(column_blocks_of(task) * (task.query.size() + 1) * sizeof(BorderCell), sizeof(BorderCell));
    }
    plan.tasks_offset = input.add(count * sizeof(PairDeviceTask));
    plan.units_offset = input.add(units * sizeof(PairUnit));
    plan.scores_offset = input.add(kResidueTableSize * kResidueTableSize);
    plan.inputs = places.take();
    plan.input_bytes = input.bytes();
    plan.scratch_bytes = scratch.bytes();
    plan.checkpoints_bytes = checkpoints.bytes();
    order_tasks(plan, tasks);
    return plan;
}

Result<PairLetterNumbers> stage_pair_input(const PairMemoryPlan& plan, std::span<const SweepTask> tasks,
                                           const PairScoring& scoring, const PairAddresses& addresses,
                                           const PairBandLinks& links, std::span<std::byte> staged) {
    assert(staged.size() >= plan.input_bytes - plan.staged_from());
    const auto place = [&](std::uint64_t offset) { return staged.data() + (offset - plan.staged_from()); };
    PairLetterNumbers letters;
    std::mutex letters_mutex;
    const bool looked_at = in_slices(plan.inputs.size(), plan.tasks_offset, [&](std::size_t i, std::size_t end) {
        PairLetterNumbers mine;
        for (; i < end; ++i) {
            const PairInputPlace& input = plan.inputs[i];
            if (plan.staged_from() == 0) std::memcpy(place(input.offset), input.source, input.bytes);
            if (input.target) mine.add({static_cast<const ResidueCode*>(input.source), input.bytes});
        }
        const std::lock_guard lock(letters_mutex);
        letters.add(mine);
    });
    if (!looked_at) return Status::out_of_memory();
    letters.finish();

    const DeviceTasks device_tasks(plan, scoring.local, addresses, links);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const PairDeviceTask device = device_tasks.make(i, tasks[i]);
        std::memcpy(place(plan.tasks_offset + i * sizeof device), &device, sizeof device);
    }
    auto* unit = reinterpret_cast<PairUnit*>(place(plan.units_offset));
    for (const std::uint32_t i : plan.order) {
        for (std::uint32_t strip = 0; strip < plan.tasks[i].strips; ++strip) *unit++ = {i, strip};
    }
    auto* const scores = reinterpret_cast<std::int8_t*>(place(plan.scores_offset));
    for (int code = 0; code < kResidueTableSize; ++code) {
        for (int query = 0; query < kResidueTableSize && letters.occurs(code); ++query) {
            scores[letters.index[code] * kResidueTableSize + query] = static_cast<std::int8_t>(
                scoring.scheme.matrix.score_raw(static_cast<ResidueCode>(query), static_cast<ResidueCode>(code)));
        }
    }
    return letters;
}

}  // namespace warpseq::cuda
