// CUDA's error codes as Status values, and owners of device and pinned memory.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "libcore/base/status.h"

namespace warpseq::cuda {

/// Returns ok, or a Status that says what failed on which GPU and why.
inline Status cuda_status(cudaError_t error, int ordinal, const char* doing) {
    if (error == cudaSuccess) return {};
    return Status::unavailable("GPU " + std::to_string(ordinal) + ": " + doing + ": " + cudaGetErrorString(error));
}

/// An array in GPU memory or in pinned host memory. It is freed with its owner.
template <typename T, bool kPinned>
class CudaArray {
   public:
    CudaArray() = default;
    ~CudaArray() { release(); }
    CudaArray(CudaArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    CudaArray& operator=(CudaArray&& other) noexcept {
        release();
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /// Makes room for at least `size` elements. The content is lost if the array has to grow.
    cudaError_t reserve(std::size_t size) {
        if (size <= size_) return cudaSuccess;
        release();
        void* memory = nullptr;
        const cudaError_t error =
            kPinned ? cudaMallocHost(&memory, size * sizeof(T)) : cudaMalloc(&memory, size * sizeof(T));
        if (error != cudaSuccess) {
            cudaGetLastError();  // so that the next call does not report it again
            return error;
        }
        data_ = static_cast<T*>(memory);
        size_ = size;
        return cudaSuccess;
    }

    /// Makes room for at least `size` elements, and for `preferred` elements if there is memory for
    /// them. Spare room makes later calls to free memory unnecessary. Such a call would wait for
    /// all work of the GPU.
    cudaError_t reserve(std::size_t size, std::size_t preferred) {
        if (size <= size_) return cudaSuccess;
        return preferred > size && reserve(preferred) == cudaSuccess ? cudaSuccess : reserve(size);
    }
    /// Makes room for an array that grows from call to call. It prefers 1.5 times the present size,
    /// and a megabyte at first.
    cudaError_t reserve_ahead(std::size_t size) {
        constexpr std::size_t kFirstBytes = std::size_t{1} << 20;
        return reserve(size, std::max(size_ + size_ / 2, kFirstBytes / sizeof(T)));
    }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t size_bytes() const { return size_ * sizeof(T); }

   private:
    void release() {
        if (data_ != nullptr) {
            if (kPinned)
                cudaFreeHost(data_);
            else
                cudaFree(data_);
        }
        data_ = nullptr;
        size_ = 0;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

template <typename T>
using DeviceArray = CudaArray<T, false>;
template <typename T>
using PinnedArray = CudaArray<T, true>;

#define WARPSEQ_CUDA_TRY(expression, ordinal, doing) \
    WARPSEQ_TRY(::warpseq::cuda::cuda_status((expression), (ordinal), (doing)))

}  // namespace warpseq::cuda
