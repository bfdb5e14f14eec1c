// Owners of device memory and of pinned host memory, and the copy of a table to the device.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/gpu/cuda_status.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

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

/// Makes room in `to` for the elements of `from`, and for at least one, and enqueues the copy on
/// `stream`. `from` has to live until the stream has done it: a copy from pageable memory may still
/// be read after the call. `what` names the elements in errors, such as "profiles".
template <typename T>
Status copy_to_device(DeviceArray<T>& to, std::span<const std::type_identity_t<T>> from, int ordinal,
                      cudaStream_t stream, const char* what) {
    if (const cudaError_t error = to.reserve(std::max<std::size_t>(from.size(), 1)); error != cudaSuccess)
        return cuda_status(error, ordinal, (std::string("no memory for ") + what).c_str());
    if (from.empty()) return {};
    if (const cudaError_t error =
            cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream);
        error != cudaSuccess)
        return cuda_status(error, ordinal, (std::string("cannot copy ") + what).c_str());
    return {};
}

}  // namespace warpseq::cuda
