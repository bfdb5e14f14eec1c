// A GPU as the pair sweeper uses it: streams, events, memory, and the words by which the host and a
// running kernel talk.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/gpu/memory.cuh"
#include "kernels/gpu/streams.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

/// The device memory of a worker. It goes back to the driver only at the pool's end, or where the
/// limit needs it. So hundreds of sweeps after one another do not wait for the driver. Thread-safe.
class PairMemoryPool {
   public:
    PairMemoryPool() = default;
    ~PairMemoryPool();
    PairMemoryPool(const PairMemoryPool&) = delete;
    PairMemoryPool& operator=(const PairMemoryPool&) = delete;

    /// Makes the pool on a GPU. Blocks are allocated and freed in the order of `stream`, which has
    /// to be open as long as blocks are.
    Status open(int ordinal, std::uint64_t limit_bytes, cudaStream_t stream);
    /// Allocates memory for what `what` names. Waits for nothing unless memory is short. Fails with
    /// kUnavailable if the limit or the GPU has too little.
    Result<void*> allocate(std::uint64_t bytes, const char* what);
    /// Frees memory once the work is done that is on the stream now.
    void release(void* memory, std::uint64_t bytes);

   private:
    /// Gives freed memory back to the driver.
    void give_back();

    int ordinal_ = 0;
    cudaStream_t stream_ = nullptr;
    cudaMemPool_t pool_ = nullptr;
    std::mutex mutex_;
    std::uint64_t limit_bytes_ = 0, used_bytes_ = 0;
};

/// A worker on one GPU. It runs one sweep at a time. Blocks of its memory may be freed and
/// checkpoints may be read by other threads meanwhile.
class PairWorker {
   public:
    /// The words through which the kernel tells the host of its progress while it runs.
    struct HostWords {
        volatile unsigned long long cells;
        volatile std::uint32_t strips;
    };

    /// Makes a worker on a GPU that `sharers` workers use at the same time, each with its part of
    /// the memory.
    PairWorker(int ordinal, int sharers) : ordinal_(ordinal), sharers_(sharers) {}
    /// Waits for the kernels' stream.
    ~PairWorker();
    PairWorker(const PairWorker&) = delete;
    PairWorker& operator=(const PairWorker&) = delete;

    Status open(std::uint64_t limit_bytes);

    int ordinal() const { return ordinal_; }
    int sharers() const { return sharers_; }
    int multiprocessors() const { return multiprocessors_; }
    int shared_bytes() const { return shared_bytes_; }  // the most that a block may have
    PairMemoryPool& pool() { return pool_; }
    /// Returns the stream of copies to the GPU and of kernels.
    const Stream& stream() const { return stream_; }
    /// Returns the stream by which checkpoints are read, also while kernels run.
    const Stream& read_stream() const { return read_stream_; }
    Event& begun() { return begun_; }                          // before the first kernel of a sweep
    Event& ended() { return ended_; }                          // after the last one
    std::uint32_t* stop_word() const { return stop_.data(); }  // on the device; not 0: kernels leave
    HostWords& host_words() const { return *host_.data(); }
    /// Returns pinned memory from which inputs are copied. It is free when no sweep is running.
    PinnedArray<std::byte>& staging() { return staging_; }

    /// Makes the kernels of the sweep that was started last leave as soon as they can. Does not
    /// wait for them. If several workers run one sweep, all have to be asked before one is waited
    /// for, because their kernels may wait for each other.
    Status ask_to_stop();
    /// Waits until nothing that the worker has started is running. Called after ask_to_stop().
    Status wait_until_stopped();

    /// take_pinned() returns pinned memory that give_pinned() has got, or an empty array.
    PinnedArray<std::byte> take_pinned();
    void give_pinned(PinnedArray<std::byte> array);

   private:
    int ordinal_, sharers_, multiprocessors_ = 0, shared_bytes_ = 0;
    PairMemoryPool pool_;  // destroyed after the streams
    Stream stream_, side_stream_, read_stream_;
    Event begun_, ended_;
    DeviceArray<std::uint32_t> stop_;
    PinnedArray<HostWords> host_;
    PinnedArray<std::byte> staging_;
    std::mutex pinned_mutex_;
    std::vector<PinnedArray<std::byte>> pinned_;
};

/// A block of a worker's memory that is given back with its owner. It keeps the worker alive.
class DeviceBlock {
   public:
    DeviceBlock(DeviceBlock&& other) noexcept
        : worker_(std::move(other.worker_)), memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    ~DeviceBlock() {
        if (memory_ != nullptr) worker_->pool().release(memory_, bytes_);
    }
    DeviceBlock& operator=(DeviceBlock&&) = delete;
    static Result<DeviceBlock> make(const std::shared_ptr<PairWorker>& worker, std::uint64_t bytes, const char* what) {
        const Result<void*> memory = worker->pool().allocate(bytes, what);
        if (!memory.ok()) return memory.status();
        return DeviceBlock(worker, *memory, bytes);
    }

    std::byte* data() const { return memory_; }
    std::uint64_t size_bytes() const { return bytes_; }
    const std::shared_ptr<PairWorker>& worker() const { return worker_; }

   private:
    DeviceBlock(std::shared_ptr<PairWorker> worker, void* memory, std::uint64_t bytes)
        : worker_(std::move(worker)), memory_(static_cast<std::byte*>(memory)), bytes_(bytes) {}

    std::shared_ptr<PairWorker> worker_;
    std::byte* memory_ = nullptr;
    std::uint64_t bytes_ = 0;
};

}  // namespace warpseq::cuda
