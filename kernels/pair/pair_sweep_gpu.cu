#include "kernels/pair/pair_sweep_gpu.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/gpu/device.h"
#include "kernels/pair/pair_memory_plan_gpu.h"
#include "kernels/pair/pair_sweep_bands_gpu.cuh"
#include "kernels/pair/pair_sweeper_gpu.cuh"
#include "kernels/pair/pair_worker_gpu.cuh"

namespace warpseq::cuda {
namespace {

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
        auto worker = std::make_shared<PairWorker>(ordinal, sharers_of(settings, ordinal));
        WARPSEQ_TRY(worker->open(*limit_bytes));
        const PairShape* const shape =
            settings.shapes.empty() ? nullptr : &settings.shapes[gpus.size() % settings.shapes.size()];
        gpus.push_back(std::make_unique<GpuPairSweeper>(scoring, std::move(worker), shape));
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
