#include "kernels/pair/pair_watch_gpu.cuh"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <thread>

namespace warpseq::cuda {

using Clock = std::chrono::steady_clock;

Status Watch::tell(std::span<RunningSweep> running, bool ended) {
    std::uint64_t cells = 0, rows = std::numeric_limits<std::uint64_t>::max();
    for (const RunningSweep& each : running) {
        const PairWorker::HostWords& host = each.worker->host_words();
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

Status Watch::stop(std::span<RunningSweep> running, const Status& why) {
    Status failed;
    const auto note = [&](const Status& status) {
        if (failed.ok()) static_cast<void>(failed = status);  // avoids a warning of nvcc
    };
    for (const RunningSweep& each : running) note(each.worker->ask_to_stop());
    for (const RunningSweep& each : running) note(each.worker->wait_until_stopped());
    return failed.ok() ? why : failed;
}

Status Watch::wait(std::span<RunningSweep> running) {
    const Clock::time_point begun = Clock::now();
    Clock::time_point last_told = begun;
    for (;;) {
        bool ended = true;
        for (const RunningSweep& each : running) {
            const Result<bool> has_ended = each.worker->ended().has_happened("a kernel failed");
            if (!has_ended.ok()) return stop(running, has_ended.status());
            ended = ended && *has_ended;
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

}  // namespace warpseq::cuda
