// Owners of CUDA streams and events, a fan of streams, and a guard for calls that enqueue work. No
// other file of the library makes or destroys streams and events.
//
// The streams are non-blocking ones: they are not ordered with the default stream. So nothing may
// be enqueued on the default stream that work on these streams depends on.
//
// An object is used by one thread at a time. Every function that returns a Status fails with
// kUnavailable and says which GPU refused what.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/gpu/cuda_status.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

/// Destroys a stream or an event of a GPU, as the deleter of a std::unique_ptr.
struct DestroyOnGpu {
    int ordinal = 0;
    void operator()(cudaStream_t stream) const {
        cudaSetDevice(ordinal);
        cudaStreamDestroy(stream);
    }
    void operator()(cudaEvent_t event) const {
        cudaSetDevice(ordinal);
        cudaEventDestroy(event);
    }
};

/// Waits until all work of `stream` is done, and returns what the work returned. The thread first
/// asks again and again for up to 0.2 ms, and only then waits as GpuWait says. To wake a sleeping
/// thread takes longer than many kernels.
inline cudaError_t wait_for_stream(cudaStream_t stream) {
    constexpr std::chrono::microseconds kAwake{200};
    const auto begun = std::chrono::steady_clock::now();
    do {
        const cudaError_t state = cudaStreamQuery(stream);
        if (state != cudaErrorNotReady) return state;
    } while (std::chrono::steady_clock::now() - begun < kAwake);
    cudaGetLastError();  // so that the next call does not report that the work was not done
    return cudaStreamSynchronize(stream);
}

/// A point in the work of a stream.
class Event {
   public:
    enum class Kind {
        kOrder,  // only orders work; costs the least
        kTime,   // also has a time, for milliseconds_between()
    };

    /// Makes the event on a GPU, which becomes the thread's current one. Does nothing if the event
    /// is open.
    Status open(int ordinal, Kind kind) {
        if (event_ != nullptr) return {};
        WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal), ordinal, "cannot be used");
        cudaEvent_t event = nullptr;
        const unsigned flags = kind == Kind::kTime ? cudaEventDefault : cudaEventDisableTiming;
        WARPSEQ_CUDA_TRY(cudaEventCreateWithFlags(&event, flags), ordinal, "cannot make an event");
        event_ = {event, {ordinal}};
        return {};
    }
    bool is_open() const { return event_ != nullptr; }

    /// Places the event behind all work that is on `stream` now. An earlier place is forgotten.
    Status record(cudaStream_t stream) {
        return cuda_status(cudaEventRecord(event_.get(), stream), ordinal(), "cannot record an event");
    }
    /// Makes work that is enqueued on `stream` later wait for the event. An event that was never
    /// recorded, here and in wait() and has_happened(), counts as having happened.
    Status delay(cudaStream_t stream) const {
        return cuda_status(cudaStreamWaitEvent(stream, event_.get(), 0), ordinal(), "cannot order its work");
    }
    /// Blocks until the event has happened, and keeps a core busy meanwhile. Fails if work before
    /// it has failed; `doing` says what that work does, such as "the kernel failed".
    Status wait(const char* doing) const { return cuda_status(cudaEventSynchronize(event_.get()), ordinal(), doing); }
    /// Returns whether the event has happened, without waiting. Fails as wait() does.
    Result<bool> has_happened(const char* doing) const {
        const cudaError_t state = cudaEventQuery(event_.get());
        if (state == cudaErrorNotReady) {
            cudaGetLastError();  // so that the next call does not report it again
            return false;
        }
        WARPSEQ_CUDA_TRY(state, ordinal(), doing);
        return true;
    }

   private:
    friend Result<float> milliseconds_between(const Event& begun, const Event& ended);

    int ordinal() const { return event_.get_deleter().ordinal; }

    std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyOnGpu> event_;
};

/// Returns the GPU time between two events of Kind::kTime on one GPU. Both must have happened.
inline Result<float> milliseconds_between(const Event& begun, const Event& ended) {
    float milliseconds = 0;
    WARPSEQ_CUDA_TRY(cudaEventElapsedTime(&milliseconds, begun.event_.get(), ended.event_.get()), ended.ordinal(),
                     "cannot tell the time");
    return milliseconds;
}

/// A stream of work on one GPU. Destroying it does not wait: enqueued work still runs, so the owner
/// of the memory that the work uses has to wait first (wait(), or EnqueuedWork).
class Stream {
   public:
    /// Makes the stream on a GPU, which becomes the thread's current one. Does nothing if the
    /// stream is open.
    Status open(int ordinal) {
        if (stream_ != nullptr) return {};
        WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal), ordinal, "cannot be used");
        cudaStream_t stream = nullptr;
        WARPSEQ_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), ordinal, "cannot make a stream");
        stream_ = {stream, {ordinal}};
        return {};
    }
    bool is_open() const { return stream_ != nullptr; }

    /// Returns the stream for launches and copies. The owner keeps it.
    cudaStream_t get() const { return stream_.get(); }
    /// Blocks until all work of the stream is done. Fails if some of it has failed; `doing` says
    /// what it does, such as "the kernel failed".
    Status wait(const char* doing) const {
        return cuda_status(wait_for_stream(stream_.get()), stream_.get_deleter().ordinal, doing);
    }

   private:
    std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyOnGpu> stream_;
};

/// Branches that fork from a stream and join it again, for kernels that run side by side.
class StreamFan {
   public:
    /// Makes the branches on a GPU, which becomes the thread's current one. Does nothing if they
    /// are open.
    Status open(int ordinal, std::size_t branches) {
        if (is_open()) return {};
        streams_.resize(branches);
        joined_.resize(branches);
        for (Stream& stream : streams_) WARPSEQ_TRY(stream.open(ordinal));
        for (Event& event : joined_) WARPSEQ_TRY(event.open(ordinal, Event::Kind::kOrder));
        return forked_.open(ordinal, Event::Kind::kOrder);
    }
    bool is_open() const { return forked_.is_open(); }  // it is made last

    std::size_t size() const { return streams_.size(); }
    /// Returns a branch. Numbers beyond the last branch begin again with the first.
    cudaStream_t branch(std::size_t index) const { return streams_[index % streams_.size()].get(); }

    /// Calls `enqueue`, a function that returns a Status, and returns its error or an error of the
    /// fan. Work that it enqueues on the first `used` branches runs after the work that is on
    /// `stream` before the call, and before work that is enqueued on `stream` after the call. The
    /// branches are joined even if `enqueue` fails. An exception in it becomes a Status. If `used`
    /// is 0, only `enqueue` is called.
    template <typename Enqueue>
    Status run(cudaStream_t stream, std::size_t used, const Enqueue& enqueue) {
        if (used == 0) return enqueue();
        used = std::min(used, size());
        WARPSEQ_TRY(fork(stream, used));
        const Status enqueued = guarded(enqueue);
        const Status joined = join(stream, used);
        return enqueued.ok() ? joined : enqueued;
    }

   private:
    Status fork(cudaStream_t stream, std::size_t used) {
        WARPSEQ_TRY(forked_.record(stream));
        for (std::size_t i = 0; i < used; ++i) WARPSEQ_TRY(forked_.delay(streams_[i].get()));
        return {};
    }
    Status join(cudaStream_t stream, std::size_t used) {
        for (std::size_t i = 0; i < used; ++i) {
            WARPSEQ_TRY(joined_[i].record(streams_[i].get()));
            WARPSEQ_TRY(joined_[i].delay(stream));
        }
        return {};
    }

    std::vector<Stream> streams_;
    std::vector<Event> joined_;
    Event forked_;
};

/// The work that a call enqueues. If the call ends before it has waited for this work, by an error
/// or an exception, the destructor waits for all work of the GPU. So nothing still reads or writes
/// memory that the call or its caller frees.
class EnqueuedWork {
   public:
    explicit EnqueuedWork(int ordinal) : ordinal_(ordinal) {}
    ~EnqueuedWork() {
        if (is_done_) return;
        cudaSetDevice(ordinal_);
        cudaDeviceSynchronize();
    }
    EnqueuedWork(const EnqueuedWork&) = delete;
    EnqueuedWork& operator=(const EnqueuedWork&) = delete;

    /// Blocks until all work of `stream` is done, and with it all of the call's work, which is on
    /// this stream or joined to it. Fails as Stream::wait() does.
    Status wait(cudaStream_t stream, const char* doing) {
        WARPSEQ_CUDA_TRY(wait_for_stream(stream), ordinal_, doing);
        done();
        return {};
    }
    /// Marks the work as waited for in another way.
    void done() { is_done_ = true; }

   private:
    int ordinal_;
    bool is_done_ = false;
};

}  // namespace warpseq::cuda
