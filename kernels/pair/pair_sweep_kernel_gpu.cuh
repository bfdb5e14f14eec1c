// The GPU's kernel for sweeps over matrices of pairs (kernels/pair/pair_sweep.h). A warp fills a
// strip of rows, and strips follow each other like the rows of one long wavefront.
//
// Recurrence. A cell of row i and column j computes
//
//     G = max(D + s, E)                    E = max(E - extend, H - first)   for column j + 1
//     H = max(G, F), and 0 if local        F = max(F - extend, G - first)   for row i + 1
//
// D is H(i-1, j-1), s the score of the two residues, and first = open + extend. F is opened from G
// instead of from H. This changes no H, because opening a new gap behind F costs no less than
// extending F. It leaves one operation per row in the dependent chain that runs down the rows.
// Before column 1 and row 1 are the cells of `left` and `top` that the caller gives.
//
// Range of numbers. The narrow form has two cells in a register, as unsigned 16-bit numbers. They
// are relative to a base of the warp, which is a raw 32-bit score. All cells that a warp has in
// registers are close to each other, at any length of the sequences
// (kernels/pair/pair_sweep_plan_gpu.h has the bound). Before each chunk of 32 columns the warp
// moves its base, if needed, so that its highest H lies between least_top and most_top
// (PairRange):
//   - From most_top, 32 columns do not lead above 65,535, even if each adds the highest score.
//   - From least_top, no H of the warp lies below lowest_h, and no E or F below lowest_gap, which
//     is first + extend + 128. So nothing that is subtracted leads below 0, and no half of a
//     register borrows from the other one. This is why the two subtractions of `first` can be
//     32-bit multiply-adds for both halves at once.
//   - Where values may be lower, behind pruned cells, they are raised to the lowest number, which
//     is not above the true score.
// Scoring schemes whose range is too large for 16 bits take the wide form, with one 32-bit cell in
// a register. check_pair_bounds() has made sure that 32 bits suffice.
//
// Layout of a strip. Lane t is `kSkew` columns behind lane t - 1. A lane holds consecutive rows in
// consecutive registers. The low halves of its registers hold its upper R rows. The high halves
// hold its lower R rows, one column behind. So the values below the low halves' last row go to the
// same lane's high halves in the next step. The values below the high halves' last row go by
// shuffle to the low halves of lane t + 1.
//
//                  columns ->
//     lane 0 low    . . . . . . . .        where the cells of one step lie
//            high  . . . . . . . .
//     lane 1 low  . . . . . . . .
//            high ...
//
// If the last strip is not full, its rows are spread evenly over the halves of all lanes. The last
// halves may have one row less. So the strip's last row is at the bottom of lane 31, as in every
// strip. All strips run at the pace of the slowest one. So the short step of the last strip is
// compiled for each number of rows.
//
// Chunks of 32 columns in which every lane is inside the matrix and meets no column checkpoint use
// the short step. Other chunks use a careful step, which masks the cells outside.
//
// Memory. kernels/pair/pair_sweep_layout_gpu.h has drawings of the shared memory and of the border
// words. Shared memory holds a profile of the strip, with a row for each letter of the target. The
// bytes of different lanes lie in different banks, for any letters. A PRMT takes the score bytes
// of two cells, with signs, from two words of the profile.
//
// Strips share a border row in global memory, with a word of 64 bits for each column. A word has
// H, the difference H - F, and a tag that tells which strip wrote the word. A strip overwrites the
// words that it has read. This needs no fence and no counter: 64-bit stores do not tear, so data
// and tag arrive together. The words of the next chunk are fetched while a chunk is filled. Warps
// take strips in order, by tickets. So the strip that a warp waits for is running or done, and
// blocks need not be resident together. Apart from this row and counters, warps share nothing, not
// even within a block.
//
// Bands. A matrix may be a band of columns of a wider matrix, whose other bands are on other GPUs.
// When a strip of the band ends, its cells of the last column are copied to host memory. The same
// strip of the band on the right begins after that. A band waits only for the band on its left, so
// the leftmost band that is not done never waits.
//
// Reports. The host may read checkpoints and maxima while the kernel runs, so it needs to know
// which of them are written. A strip reports that it is done after the strip above has reported,
// which it learns by a load with acquire semantics. So everything that earlier strips wrote is
// visible before its report.
//
// Ceiling. Two cells of a local alignment take 4.5 DPX operations, half a maximum and a PRMT, of
// which a multiprocessor does 64 a clock. The two multiply-adds run beside them, on the FMA pipe.
// With what a step costs besides, an H200 could make 5.6 TCUPS at R = 16 and 5.1 at R = 8.
// Measured, 4,000,000 x 4,000,000 (docs/lab-notes.md, "Pairs on GPUs"): 3.72 TCUPS for local DNA,
// 66 % of the ceiling, and 3.62 for local protein, 65 %. A global alignment takes no maximum and
// makes 4.35. The rest is latency of the step and what a chunk costs. Small matrices are bound by
// the lag of 100 columns from strip to strip.
//
// Source: Gotoh, J Mol Biol 162:705 (1982), for the recurrence; de Oliveira Sandes and de Melo,
// CUDAlign 2.1, for pruning (kernels/pair/pair_sweep.h); "DPX" in the CUDA C++ Programming Guide.
#pragma once

#include <cstdint>

#include "kernels/pair/pair_strip_ends_gpu.cuh"
#include "kernels/pair/pair_strip_flow_gpu.cuh"
#include "kernels/pair/pair_strip_gpu.cuh"
#include "kernels/pair/pair_sweep_access_gpu.cuh"
#include "kernels/pair/pair_sweep_layout_gpu.h"

namespace warpseq::cuda {

/// Copies the task of a unit to the warp's memory.
__device__ __forceinline__ void load_task(PairDeviceTask& to, const PairDeviceTask* tasks, const PairUnit& unit,
                                          int lane) {
    __syncwarp();  // all lanes are done with the last unit's task and profile
    if (lane < static_cast<int>(sizeof(PairDeviceTask) / 8)) {
        reinterpret_cast<uint2*>(&to)[lane] = reinterpret_cast<const uint2*>(tasks + unit.task)[lane];
    }
    __syncwarp();
    if (lane == 0) to.strip = unit.strip;
    __syncwarp();
}

/// Number of warps per multiprocessor for which the compiler has to leave registers.
template <int R, bool kWide>
inline constexpr int kPairWarps = R == 4 ? 20 : 16;

template <int R, bool kWide, bool kLocal>
__global__ void __launch_bounds__(kWarpLanes* kPairBlockWarps, kPairWarps<R, kWide> / kPairBlockWarps)
    pair_sweep_kernel(const __grid_constant__ PairKernelArguments arguments) {
    using Strip = PairStrip<R, kWide, kLocal>;
    extern __shared__ uint4 shared[];
    const PairSharedLayout layout = PairSharedLayout::of(Strip::kRows, arguments.letters);
    std::uint8_t* const profile =
        reinterpret_cast<std::uint8_t*>(shared) + threadIdx.x / kWarpLanes * layout.warp_bytes();
    PairWarpMemory& memory = *reinterpret_cast<PairWarpMemory*>(profile + layout.profile_bytes);
    PairDeviceTask& task = memory.task;
    // These two are formed outside the loop. Inside it, two steps with R = 4 take 2 instructions
    // more than 94.
    uint2* const exchange = reinterpret_cast<uint2*>(memory.exchange);
    std::uint16_t* const letters = memory.letters;
    const int lane = static_cast<int>(threadIdx.x % kWarpLanes);
    constexpr std::uint32_t kReportChunks = 1024, kStopChunks = 8;

    // The first pass is a warm-up of the instruction cache. Each warp runs 97 columns and drops the
    // results. Without the warm-up each strip would begin late, because it would wait for the first
    // columns of the strip above while that strip waits for instructions.
    for (bool warm_up = arguments.warms_up != 0;; warm_up = false) {
        std::uint32_t ticket = 0;
        if (lane == 0 && !warm_up) ticket = atomicAdd(arguments.ticket, 1);
        ticket = __shfl_sync(~0u, ticket, 0);
        if (ticket >= arguments.unit_count) return;
        const PairUnit unit = warm_up ? PairUnit{arguments.units[0].task, 0} : arguments.units[ticket];
        load_task(task, arguments.tasks, unit, lane);
        const std::uint32_t first_row = unit.strip * Strip::kRows;
        const std::uint32_t rows_here = min(Strip::kRows, task.rows - first_row);
        if (task.given_left != nullptr && !warm_up &&
            !take_left(task, unit.strip, first_row, rows_here, arguments.stop, lane))
            return;

        constexpr std::uint32_t kHalfCount = kWarpLanes * Strip::kHalves, kWarmUpColumns = 3 * kChunkColumns + 1;
        const bool full = rows_here == Strip::kRows, last = warm_up || unit.strip + 1 == task.strips;
        const std::uint32_t half_rows = (rows_here + kHalfCount - 1) / kHalfCount;
        const std::uint32_t columns = warm_up ? min(task.columns, kWarmUpColumns) : task.columns;
        const std::uint32_t chunks = (columns + kChunkColumns - 1) / kChunkColumns;
        // This is read before the strip begins, and `next_checkpoint` below is a variable of its
        // own. With a struct for both, the compiler orders the short steps in another way. That
        // takes 7 % longer with R = 16 and 4 % with R = 8, both global (docs/lab-notes.md, "Pairs
        // on GPUs").
        const std::uint32_t column_step = task.column_step;
        BorderCell* const below = warm_up ? nullptr : row_checkpoint_below(task, unit.strip, Strip::kRows);
        const std::uint32_t tag_bits = arguments.tag_bits;
        Strip strip{.arguments = arguments,
                    .task = task,
                    .profile = profile + lane * R,
                    .exchange = exchange,
                    .letters = letters,
                    .lane = lane,
                    .first_row = first_row,
                    .half_rows = half_rows,
                    .long_halves = rows_here - kHalfCount * (half_rows - 1),
                    .columns = columns};
        strip.make_profile();
        strip.begin();
        write_corners(task, below, first_row + rows_here, unit.strip == 0 && !warm_up, columns, lane);
        PairStripInput<Strip> input{.arguments = arguments,
                                    .task = task,
                                    .letters = letters,
                                    .lane = lane,
                                    .strip_index = unit.strip,
                                    .columns = columns,
                                    .tag_bits = tag_bits,
                                    .tag_above = PairBorderWord::tag_of(unit.strip - 1, tag_bits),
                                    .target = task.target,
                                    .between = task.between};
        const PairStripOutput<Strip> output{.between = task.between,
                                            .below = below,
                                            .last = last,
                                            .columns = columns,
                                            .tag_bits = tag_bits,
                                            .tag = PairBorderWord::tag_of(unit.strip, tag_bits),
                                            .first = arguments.first};
        PairStripPruning<Strip> pruning{
            .task = task, .enabled = kLocal && task.prune != 0 && !warm_up, .reached = task.known_raw};
        PairProgress progress{.arguments = arguments, .rows = rows_here, .lane = lane};
        input.begin();

        std::uint32_t stop = 0, polls = 0, next_checkpoint = 0;
        for (std::uint32_t chunk = 0; chunk < chunks + Strip::kSkew; ++chunk) {
            const std::uint32_t begin = chunk * kChunkColumns, column = begin + static_cast<std::uint32_t>(lane);
            // Waits for the words from above.
            while (!__all_sync(~0u, input.has_word(column))) {
                if (chunk == 0) __nanosleep(400);  // the wait for the first chunk is long
                input.fetch(column);
                if (++polls % 256 == 0 && __shfl_sync(~0u, load_relaxed(arguments.stop), 0) != 0) return;
            }
            if (chunk % kStopChunks == 1 && __shfl_sync(~0u, stop, 0) != 0) return;
            const std::int32_t fed_h = input.word.h(), fed_gap = input.gap();
            const bool feeds = column < columns;
            std::int32_t highest = strip.highest_in_registers();  // of the window
            if (feeds) highest = max(highest, fed_h);
            if constexpr (!kWide || kLocal) highest = __reduce_max_sync(~0u, highest);
            if constexpr (!kWide) {
                // With the test inside move_base(), two steps with R = 4 take 97 instructions
                // instead of 94.
                if (strip.is_out_of_range(highest)) strip.move_base(highest);
            }
            strip.feed(feeds, fed_h, fed_gap);
            input.keep_letters(chunk + 1, input.next_letter);
            __syncwarp();

            next_checkpoint = next_checkpoint_from<Strip>(begin, column_step, next_checkpoint);
            const bool has_checkpoint = next_checkpoint <= begin + kChunkColumns && next_checkpoint < columns;
            const bool inside = begin >= Strip::kSpan && begin + kChunkColumns <= columns && !has_checkpoint;
            strip.aim_letters(chunk);
            bool skip = false;
            if constexpr (kLocal) {
                if (inside && pruning.enabled) skip = pruning.is_hopeless(strip, begin, highest, arguments.highest);
            }
            if (skip)
                strip.skip_chunk();
            else if (inside)
                strip.fill_inside(chunk, full);
            else if (!has_checkpoint && !(warm_up && chunk + 1 == chunks))
                strip.fill_careful(chunk, full);
            else
                strip.fill_with_checkpoints(chunk, full, warm_up);
            __syncwarp();

            // Reads ahead. These loads are in flight while this chunk's border is written.
            input.fetch(column + kChunkColumns);
            input.next_letter = input.letter_at(column + 2 * kChunkColumns);
            if (chunk % kStopChunks == 0) stop = load_relaxed(arguments.stop);

            output.write(strip, chunk, column);
            if constexpr (kLocal) {
                strip.keep_best();
                if (pruning.enabled) pruning.share(strip);
            }
            if (chunk % kReportChunks == kReportChunks - 1) progress.report(min(begin + kChunkColumns, columns));
        }
        if (warm_up) continue;
        strip.finish();
        progress.report(columns);
        if (task.right != nullptr) give_right(task, Strip::kRows);
        if (arguments.host_strips == nullptr) continue;
        if (!tell_done(task, arguments, lane)) return;
    }
}

}  // namespace warpseq::cuda
