#include "kernels/pair/pair_worker_gpu.cuh"

#include <limits>
#include <new>
#include <string>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/launch.cuh"

namespace warpseq::cuda {
namespace {

std::string shown_bytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

PairMemoryPool::~PairMemoryPool() {
    if (pool_ == nullptr) return;
    cudaSetDevice(ordinal_);
    cudaMemPoolDestroy(pool_);
}

Status PairMemoryPool::open(int ordinal, std::uint64_t limit_bytes, cudaStream_t stream) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, ordinal};
    WARPSEQ_CUDA_TRY(cudaMemPoolCreate(&pool_, &properties), ordinal, "cannot manage its memory");
    ordinal_ = ordinal;
    stream_ = stream;
    limit_bytes_ = limit_bytes;
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
    return cuda_status(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), ordinal,
                       "cannot manage its memory");
}

Result<void*> PairMemoryPool::allocate(std::uint64_t bytes, const char* what) {
    const std::lock_guard lock(mutex_);
    const auto refused = [&](const std::string& why) {
        return Status::unavailable("GPU " + std::to_string(ordinal_) + ": no memory for " + what + " (" +
                                   shown_bytes(bytes) + " more than the " + shown_bytes(used_bytes_) +
                                   " in use): " + why);
    };
    if (used_bytes_ + bytes > limit_bytes_) return refused("the limit is " + shown_bytes(limit_bytes_));
    // The pool keeps what was freed, in pieces that may be too small, so those count, too.
    std::uint64_t reserved_bytes = 0;
    cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved_bytes);
    if (reserved_bytes + bytes > limit_bytes_) give_back();
    void* memory = nullptr;
    cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_);
    if (error != cudaSuccess) {
        cudaGetLastError();
        give_back();
        error = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_);
    }
    if (error != cudaSuccess) {
        cudaGetLastError();
        return refused(cudaGetErrorString(error));
    }
    used_bytes_ += bytes;
    return memory;
}

void PairMemoryPool::release(void* memory, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    cudaSetDevice(ordinal_);
    cudaFreeAsync(memory, stream_);
    used_bytes_ -= bytes;
}

void PairMemoryPool::give_back() {
    cudaStreamSynchronize(stream_);
    cudaMemPoolTrimTo(pool_, 0);
}

PairWorker::~PairWorker() {
    cudaSetDevice(ordinal_);
    if (stream_.is_open()) cudaStreamSynchronize(stream_.get());
}

Status PairWorker::open(std::uint64_t limit_bytes) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    const Result<int> multiprocessors = count_multiprocessors(ordinal_), shared_bytes = find_shared_bytes(ordinal_);
    if (!multiprocessors.ok()) return multiprocessors.status();
    if (!shared_bytes.ok()) return shared_bytes.status();
    multiprocessors_ = *multiprocessors;
    shared_bytes_ = *shared_bytes;
    for (Stream* const stream : {&stream_, &side_stream_, &read_stream_}) WARPSEQ_TRY(stream->open(ordinal_));
    for (Event* const event : {&begun_, &ended_}) WARPSEQ_TRY(event->open(ordinal_, Event::Kind::kTime));
    WARPSEQ_TRY(pool_.open(ordinal_, limit_bytes, stream_.get()));
    WARPSEQ_CUDA_TRY(stop_.reserve(1), ordinal_, "no memory");
    return cuda_status(host_.reserve(1), ordinal_, "no pinned memory");
}

Status PairWorker::ask_to_stop() {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    // The kernels' stream is busy, so another stream sets the word. It waits for the event before
    // the kernels, because the start of the sweep has yet to clear the word before that.
    WARPSEQ_TRY(begun_.delay(side_stream_.get()));
    return cuda_status(cudaMemsetAsync(stop_.data(), 1, sizeof(std::uint32_t), side_stream_.get()), ordinal_,
                       "cannot stop a kernel");
}

Status PairWorker::wait_until_stopped() {
    const Status kernels = stream_.wait("a kernel failed");
    // Else the word might be set when the next sweep has cleared it.
    const Status side = side_stream_.wait("cannot stop a kernel");
    return kernels.ok() ? side : kernels;
}

PinnedArray<std::byte> PairWorker::take_pinned() {
    const std::lock_guard lock(pinned_mutex_);
    if (pinned_.empty()) return {};
    PinnedArray<std::byte> array = std::move(pinned_.back());
    pinned_.pop_back();
    return array;
}

void PairWorker::give_pinned(PinnedArray<std::byte> array) {
    const std::lock_guard lock(pinned_mutex_);
    try {
        pinned_.push_back(std::move(array));
    } catch (const std::bad_alloc&) {  // destructors call this; the array is freed instead
    }
}

}  // namespace warpseq::cuda
