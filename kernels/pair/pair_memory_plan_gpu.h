// The plan of a sweep's memory on a GPU, and the input that the host writes there before the kernel
// begins. Both are host code, which needs no GPU.
//
// A sweep has three blocks of memory:
//
//     input        sequences and given lines | tasks | units | scores
//     scratch      counters | reached | done | left_seen | borders of strips || left | beginnings
//     checkpoints  maxima || row and column checkpoints of each task
//
// The parts that have to be zero at the start stand before the double stroke. Sequences and lines
// that several tasks share are placed once. Lines that whole matrices begin with are not copied: a
// kernel makes the two kinds that there are, with and without gap costs, each as long as the
// longest one that a task needs (`beginnings`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "kernels/pair/pair_sweep.h"
#include "kernels/pair/pair_sweep_layout_gpu.h"
#include "kernels/pair/pair_sweep_plan_gpu.h"
#include "libcore/base/status.h"
#include "libcore/scoring/border_cell.h"

namespace warpseq::cuda {

/// Return the numbers of row checkpoints and of column checkpoints of a task's grid.
std::uint64_t row_blocks_of(const SweepTask& task);
std::uint64_t column_blocks_of(const SweepTask& task);

/// The place of the cells of a task's top or left. They are among the inputs, or `offset` residues
/// into the row 0 that matrices begin with.
struct PairLinePlace {
    bool given = false;
    std::uint64_t offset = 0;
};

/// The places of what belongs to one task, as offsets in bytes.
struct PairTaskPlaces {
    std::size_t shape = 0;                                                  // index in kPairShapes
    std::uint64_t row_checkpoints = 0, column_checkpoints = 0, maxima = 0;  // in `checkpoints`
    std::uint64_t query = 0, target = 0;                                    // in `input`
    PairLinePlace top, left;
    std::uint64_t between = 0;  // in `scratch`
    std::uint32_t strips = 0;
};

/// A sequence or a line in the caller's memory, and its place in `input`.
struct PairInputPlace {
    const void* source;
    std::uint64_t bytes, offset;
    bool target;  // whether some task has it as its target
};

/// A launch of the kernel: the units of all tasks with one shape.
struct PairLaunch {
    std::size_t shape;  // index in kPairShapes
    std::uint64_t first_unit, units;
};

struct PairMemoryPlan {
    std::uint64_t input_bytes = 0, scratch_bytes = 0, checkpoints_bytes = 0;
    std::uint64_t zeroed_scratch_bytes = 0, zeroed_checkpoints_bytes = 0;
    std::uint64_t maxima = 0;  // of all tasks; 0 unless the sweep is local

    std::vector<PairTaskPlaces> tasks;   // in the order of the tasks
    std::vector<PairInputPlace> inputs;  // each source once
    std::vector<std::uint32_t> order;    // of tasks: by shape, large matrices first
    std::vector<PairLaunch> launches;    // one for each shape that occurs

    // Offsets in `input`.
    std::uint64_t tasks_offset = 0, units_offset = 0, scores_offset = 0;
    // Offsets in `scratch`. The first counter is for cells, the others are the launches' tickets.
    std::uint64_t counters_offset = 0, reached_offset = 0, done_offset = 0, left_seen_offset = 0, left_offset = 0;
    std::uint64_t beginning_offsets[2] = {}, beginning_cells[2] = {};  // with a gap's costs, and free
    bool has_left = false;  // whether column 0 comes from the band on the left

    /// Returns the offset in `input` from which on it is staged in pinned memory and copied at
    /// once. Large sequences before it are copied from where they are.
    std::uint64_t staged_from() const {
        constexpr std::uint64_t kMostStagedBytes = std::uint64_t{64} << 20;
        return input_bytes <= kMostStagedBytes ? 0 : tasks_offset;
    }
};

/// Lays out a sweep. `shapes` has the shape of each task, one of kPairShapes. With `has_left` there
/// is one task, a band whose column 0 comes from another GPU. Fails with kUnavailable if a matrix
/// or a sweep is too large for the kernel.
Result<PairMemoryPlan> plan_pair_memory(std::span<const SweepTask> tasks, std::span<const PairShape> shapes, bool local,
                                        bool has_left);

/// The addresses of a sweep's blocks on the GPU.
struct PairAddresses {
    std::byte *input = nullptr, *scratch = nullptr, *checkpoints = nullptr;
};

/// The cells and words that a band shares with its neighbours (PairDeviceTask), in pinned memory.
/// A side without a neighbour has null pointers.
struct PairBandLinks {
    const BorderCell* given_left = nullptr;
    const std::uint32_t* left_ready = nullptr;
    BorderCell* right = nullptr;
    std::uint32_t* right_ready = nullptr;
};

/// Writes the part of `input` from plan.staged_from() on to `staged`, which has plan.input_bytes -
/// plan.staged_from() bytes: sequences and lines if they are staged, tasks, units and scores. Finds
/// the letters of the targets and returns their numbers. Uses several threads if there is much to
/// copy. Fails with kOutOfMemory.
Result<PairLetterNumbers> stage_pair_input(const PairMemoryPlan& plan, std::span<const SweepTask> tasks,
                                           const PairScoring& scoring, const PairAddresses& addresses,
                                           const PairBandLinks& links, std::span<std::byte> staged);

}  // namespace warpseq::cuda
