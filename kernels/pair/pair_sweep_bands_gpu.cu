#include "kernels/pair/pair_sweep_bands_gpu.cuh"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/memory.cuh"

namespace warpseq::cuda {
namespace {

/// The pinned memory by which bands follow each other: for each border between two bands the cells
/// of its column, and a word for each strip (PairDeviceTask). Kernels use it until they have ended.
class BandBorders {
   public:
    /// Makes the borders right of the columns `ends`, but for the last one, which is the matrix's
    /// end. Pinned memory of one GPU's context, that of `ordinal`, is that of all GPUs.
    Status make(int ordinal, const SweepTask& task, std::span<const std::uint64_t> ends, std::uint64_t strips) {
        constexpr const char* kRefused = "no pinned memory for the border of a band";
        WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal), ordinal, "cannot be used");
        borders_.resize(ends.size() - 1);
        for (std::size_t i = 0; i < borders_.size(); ++i) {
            WARPSEQ_CUDA_TRY(borders_[i].cells.reserve(task.query.size() + 1), ordinal, kRefused);
            WARPSEQ_CUDA_TRY(borders_[i].ready.reserve(strips), ordinal, kRefused);
            borders_[i].cells.data()[0] = {task.top[ends[i]].h, 0};
            std::fill_n(borders_[i].ready.data(), strips, 0u);
        }
        return {};
    }
    /// Returns what band `i` shares with its neighbours.
    PairBandLinks links_of(std::size_t i) const {
        PairBandLinks links;
        if (i > 0) {
            links.given_left = borders_[i - 1].cells.data();
            links.left_ready = borders_[i - 1].ready.data();
        }
        if (i < borders_.size()) {
            links.right = borders_[i].cells.data();
            links.right_ready = borders_[i].ready.data();
        }
        return links;
    }

   private:
    struct Border {
        PinnedArray<BorderCell> cells;
        PinnedArray<std::uint32_t> ready;
    };
    std::vector<Border> borders_;
};

/// Returns a band, which has the columns first .. first + width - 1 of a matrix.
PairBand band_of(const SweepTask& task, std::uint64_t first, std::uint64_t width, const PairShape& shape,
                 const PairBandLinks& links) {
    PairBand band{.task = task, .shape = shape, .links = links};
    band.task.target = task.target.subspan(first, width);
    band.task.top = task.top.subspan(first, width + 1);
    band.task.columns_beyond += task.target.size() - first - width;
    return band;
}

/// The tasks that one GPU gets, and what has become of them.
struct Share {
    std::uint64_t cells = 0;
    std::vector<std::size_t> which;
    std::vector<SweepTask> tasks;
    std::optional<Result<MultiGpuPairSweeper::Grids>> grids;
};

/// Deals out tasks, large ones first, each to the share that has least.
std::vector<Share> shares_of(std::span<const SweepTask> tasks, std::size_t count) {
    std::vector<std::size_t> order(tasks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto cells = [&](std::size_t i) { return cells_of(tasks.subspan(i, 1)); };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return cells(a) > cells(b); });
    std::vector<Share> shares(count);
    for (const std::size_t i : order) {
        Share& share = *std::ranges::min_element(shares, {}, &Share::cells);
        share.cells += cells(i);
        share.which.push_back(i);
        share.tasks.push_back(tasks[i]);
    }
    return shares;
}

/// Sweeps all shares, each in a thread of its own. An error of one ends the others. Returns when
/// all threads have ended.
void sweep_shares(std::span<const std::unique_ptr<GpuPairSweeper>> gpus, std::span<Share> shares,
                  const SweepControl& control) {
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
            shares[g].grids.emplace(guarded([&] { return gpus[g]->sweep(shares[g].tasks, each_control); })));
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
}

/// Returns what went wrong, rather than what was stopped because of it.
Status error_of(std::span<const Share> shares) {
    Status failed;
    for (const Share& share : shares) {
        if (share.grids->ok()) continue;
        if (failed.ok() || failed.code() == StatusCode::kInterrupted)
            static_cast<void>(failed = share.grids->status());  // avoids a warning of nvcc
    }
    return failed;
}

}  // namespace

std::uint64_t MultiGpuPairSweeper::row_granule(std::uint64_t rows, std::uint64_t columns) const {
    // All granules are powers of two. Whether there will be bands depends on the column step, too.
    std::uint64_t granule = shape_of_bands(rows, columns).strip_rows();
    for (const auto& gpu : gpus_) granule = std::max(granule, gpu->row_granule(rows, columns));
    return granule;
}

Result<MultiGpuPairSweeper::Grids> MultiGpuPairSweeper::sweep(std::span<const SweepTask> tasks,
                                                              const SweepControl& control) {
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

std::uint64_t MultiGpuPairSweeper::most_bands(std::uint64_t rows, std::uint64_t columns) const {
    if (rows < least_band_columns_) return 1;
    return std::clamp<std::uint64_t>(columns / least_band_columns_, 1, gpus_.size());
}

PairShape MultiGpuPairSweeper::shape_of_bands(std::uint64_t rows, std::uint64_t columns) const {
    const std::uint64_t bands = most_bands(rows, columns);
    return gpus_[0]->shape_alone(rows, (columns + bands - 1) / bands);
}

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

Result<MultiGpuPairSweeper::Grids> MultiGpuPairSweeper::sweep_bands(const SweepTask& task,
                                                                    std::span<const std::uint64_t> ends,
                                                                    const SweepControl& control) {
    const std::uint64_t rows = task.query.size(), columns = task.target.size();
    PairShape shape = gpus_[0]->shape_of_one(task, shape_of_bands(rows, columns));
    if (task.row_step < rows && task.row_step % shape.strip_rows() != 0) shape = kWidePairShape;
    BandBorders borders;
    WARPSEQ_TRY(borders.make(gpus_[0]->ordinal(), task, ends, (rows + shape.strip_rows() - 1) / shape.strip_rows()));
    // Bands start from left to right, so no kernel starts before the one that it waits for.
    std::vector<RunningSweep> running;
    running.reserve(ends.size());
    auto grid = std::make_unique<BandedPairGrid>(task, scoring_.local);
    Grids grids(1);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::uint64_t first = i == 0 ? 0 : ends[i - 1];
        try {
            Result<RunningSweep> started =
                gpus_[i]->start_band(band_of(task, first, ends[i] - first, shape, borders.links_of(i)));
            if (!started.ok()) return Watch::stop(running, started.status());
            running.push_back(std::move(*started));
            grid->add(first, std::move(running.back().grids[0]));
            running.back().grids.clear();
        } catch (const std::bad_alloc&) {
            return Watch::stop(running, Status::out_of_memory());
        } catch (...) {
            static_cast<void>(Watch::stop(running, {}));
            throw;
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
    grids[0] = std::move(grid);
    return std::move(grids);
}

Result<MultiGpuPairSweeper::Grids> MultiGpuPairSweeper::deal(std::span<const SweepTask> tasks,
                                                             const SweepControl& control) {
    std::vector<Share> shares = shares_of(tasks, gpus_.size());
    sweep_shares(gpus_, shares, control);
    WARPSEQ_TRY(error_of(shares));
    Grids grids(tasks.size());
    kernel_milliseconds_ = 0;
    for (std::size_t g = 0; g < shares.size(); ++g) {
        for (std::size_t i = 0; i < shares[g].which.size(); ++i)
            grids[shares[g].which[i]] = std::move((**shares[g].grids)[i]);
        if (!shares[g].which.empty())
            kernel_milliseconds_ = std::max(kernel_milliseconds_, gpus_[g]->kernel_milliseconds());
    }
    return std::move(grids);
}

}  // namespace warpseq::cuda
