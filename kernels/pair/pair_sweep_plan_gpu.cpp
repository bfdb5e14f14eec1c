#include "kernels/pair/pair_sweep_plan_gpu.h"

#include <algorithm>
#include <cmath>

namespace warpseq::cuda {

std::optional<PairRange> pair_range(const PairShape& shape, const ScoringScheme& scheme) {
    // The window has a chunk's columns, those between the first and the last lane, and the
    // border's.
    const std::int64_t window_columns = kChunkColumns + 2 * kWarpLanes + 1;
    const std::int64_t highest = std::max(0, scheme.matrix.highest_raw());
    const std::int64_t open = scheme.gaps.open, extend = scheme.gaps.extend, first = scheme.gaps.first();
    const std::int64_t drop = (shape.strip_rows() + 1 + window_columns) * (highest + extend) + 4 * open;
    const std::int64_t lowest_gap = first + extend + 128;  // so that no score or cost taken off leads below 0
    const std::int64_t lowest_h = lowest_gap + first;
    const std::int64_t least_top = lowest_h + drop;
    const std::int64_t most_top = 65535 - (kChunkColumns + 2) * highest;
    constexpr std::int64_t kLeastSlack = 1024;  // or bases would move all the time
    if (least_top + kLeastSlack > most_top) return std::nullopt;
    return PairRange{static_cast<std::uint32_t>(lowest_gap), static_cast<std::uint32_t>(lowest_h),
                     static_cast<std::uint32_t>(least_top), static_cast<std::uint32_t>(most_top)};
}

namespace {

// The functions below estimate clocks. They were fitted to sweeps of one strip and of many on an
// H200 (docs/lab-notes.md).

/// Returns what each further warp of a scheduler adds to a step. With 16 rows it is more than in
/// proportion.
double work_clocks(const PairShape& shape) {
    return shape.rows_per_half <= 4 ? 68 : shape.rows_per_half <= 8 ? 97 : 182;
}
/// Returns the clocks of a step of a warp alone.
double step_clocks(const PairShape& shape) { return 100 + 12.5 * shape.rows_per_half; }

double estimated_clocks(const PairShape& shape, double rows, double columns, int multiprocessors) {
    constexpr double kLagColumns = 4 * kChunkColumns;  // between a strip and the next
    const double strips = std::ceil(rows / shape.strip_rows());
    const double schedulers = 4.0 * multiprocessors, resident = 4 * schedulers;
    const double alongside = std::min(strips, resident);
    const double step = step_clocks(shape) + work_clocks(shape) * (std::ceil(alongside / schedulers) - 1);
    return step * columns * std::max(1.0, strips / resident) + step_clocks(shape) * alongside * kLagColumns;
}

}  // namespace

PairShape choose_pair_shape(std::uint64_t rows, std::uint64_t columns, const ScoringScheme& scheme,
                            int multiprocessors) {
    PairShape best = kWidePairShape;
    double best_clocks = 0;
    for (const PairShape& shape : kPairShapes) {
        if (shape.wide || !pair_range(shape, scheme)) continue;
        const double clocks =
            estimated_clocks(shape, static_cast<double>(rows), static_cast<double>(columns), multiprocessors);
        if (best.wide || clocks < best_clocks) {
            best = shape;
            best_clocks = clocks;
        }
    }
    return best;
}

PairShape choose_batch_shape(std::uint64_t rows, std::uint64_t columns, const ScoringScheme& scheme,
                             int multiprocessors, std::uint64_t tasks) {
    // Each matrix has its share of the multiprocessors. A share of less than one is all throughput,
    // where only padding and the work a step count.
    if (tasks < static_cast<std::uint64_t>(multiprocessors)) {
        return choose_pair_shape(rows, columns, scheme, multiprocessors / static_cast<int>(tasks));
    }
    PairShape best = kWidePairShape;
    double best_clocks = 0;
    for (const PairShape& shape : kPairShapes) {
        if (shape.wide || !pair_range(shape, scheme)) continue;
        // A last strip that is not full takes as long as its rows.
        const std::uint64_t halves = shape.strip_rows() / static_cast<std::uint64_t>(shape.rows_per_half),
                            rest = (rows % shape.strip_rows() + halves - 1) / halves;
        const double work =
            static_cast<double>(rows / shape.strip_rows()) * (work_clocks(shape) + 20) +
            (rest == 0 ? 0.0 : work_clocks(shape) * static_cast<double>(rest) / shape.rows_per_half + 20);
        const double clocks = work * (static_cast<double>(columns) + 2 * kWarpLanes);
        // Among shapes with about the same clocks, the one that leaves more shared memory to other
        // warps is taken.
        if (best.wide || clocks < 1.1 * best_clocks) {
            best = shape;
            best_clocks = clocks;
        }
    }
    return best;
}

std::uint64_t pair_work_bytes(std::uint64_t rows, std::uint64_t columns) {
    constexpr std::uint64_t kLeastStripRows = 256;
    return rows + columns + (rows + 2 * columns) * sizeof(BorderCell) + rows / kLeastStripRows * 16 + (1 << 20);
}

void PairLetterNumbers::add(std::span<const ResidueCode> residues) {
    for (const ResidueCode code : residues) occurs_[code] = true;
}

void PairLetterNumbers::add(const PairLetterNumbers& others) {
    for (int code = 0; code < kResidueTableSize; ++code) occurs_[code] |= others.occurs_[code];
}

void PairLetterNumbers::finish() {
    count = 0;
    for (int code = 0; code < kResidueTableSize; ++code) {
        if (occurs_[code]) index[code] = static_cast<std::uint8_t>(count++);
    }
}

}  // namespace warpseq::cuda
