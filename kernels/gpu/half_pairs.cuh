// Arithmetic on two 16-bit integers in a register. The integers are kept as bit patterns of
// half-precision numbers n * 2^-24 in sign and magnitude. Results are exact for magnitudes below
// 2,048. The operations run on the FMA pipe.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace warpseq::cuda {

__device__ __forceinline__ std::uint32_t half_add(std::uint32_t a, std::uint32_t b) {
    const __half2 sum = __hadd2(*reinterpret_cast<__half2*>(&a), *reinterpret_cast<__half2*>(&b));
    return *reinterpret_cast<const std::uint32_t*>(&sum);
}

/// Returns the sum, clamped at 0.
__device__ __forceinline__ std::uint32_t half_add_relu(std::uint32_t a, std::uint32_t b) {
    const __half2 sum =
        __hfma2_relu(*reinterpret_cast<__half2*>(&a), __float2half2_rn(1.f), *reinterpret_cast<__half2*>(&b));
    return *reinterpret_cast<const std::uint32_t*>(&sum);
}

}  // namespace warpseq::cuda
