// The maximum over neighbouring threads of a warp.
#pragma once

namespace warpseq::cuda {

/// Returns the greatest value of a group of G threads of a warp, G a power of two. All threads of
/// the warp have to call it.
template <int G>
__device__ __forceinline__ int group_max_by_shuffles(int a) {
#pragma unroll
    for (int step = G / 2; step > 0; step /= 2) a = max(a, __shfl_xor_sync(~0u, a, step));
    return a;
}

/// Does the same. A whole warp's maximum takes one instruction.
template <int G>
__device__ __forceinline__ int group_max(int a) {
    if constexpr (G == 32)
        return __reduce_max_sync(~0u, a);
    else
        return group_max_by_shuffles<G>(a);
}

}  // namespace warpseq::cuda
