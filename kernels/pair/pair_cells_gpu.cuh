// Arithmetic on the cells of a register: two unsigned 16-bit numbers, or one 32-bit number (kWide).
// DPX instructions do most of it ("DPX" in the CUDA C++ Programming Guide).
#pragma once

#include <cstdint>

#include "kernels/pair/pair_sweep_plan_gpu.h"

namespace warpseq::cuda {

__device__ __forceinline__ std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    std::uint32_t result;  // PRMT itself, because __byte_perm cannot spread a byte's sign (selectors of 8 and more)
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
    return result;
}

template <bool kWide>
struct PairCells {
    /// Returns a register that has a number in each cell.
    __device__ __forceinline__ static std::uint32_t both(std::uint32_t value) {
        return kWide ? value : value * 0x10001u;
    }
    /// Returns max(a + b, c).
    __device__ __forceinline__ static std::uint32_t add_max(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        if constexpr (kWide)
            return __viaddmax_s32(a, b, c);
        else
            return __viaddmax_u16x2(a, b, c);
    }
    __device__ __forceinline__ static std::uint32_t max2(std::uint32_t a, std::uint32_t b) {
        if constexpr (kWide)
            return max(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
        else
            return __vmaxu2(a, b);
    }
    __device__ __forceinline__ static std::uint32_t max3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        if constexpr (kWide)
            return __vimax3_s32(a, b, c);
        else
            return __vimax3_u16x2(a, b, c);
    }
};

/// Score bytes of shared memory, loaded as words.
template <int kBytes>
struct ScoreBytes {
    std::uint32_t word[kBytes / 4];
    __device__ __forceinline__ void load(const std::uint8_t* from) {
        if constexpr (kBytes == 16) {
            const uint4 v = *reinterpret_cast<const uint4*>(from);
            word[0] = v.x, word[1] = v.y, word[2] = v.z, word[3] = v.w;
        } else if constexpr (kBytes == 8) {
            const uint2 v = *reinterpret_cast<const uint2*>(from);
            word[0] = v.x, word[1] = v.y;
        } else {
            static_assert(kBytes == 4);
            word[0] = *reinterpret_cast<const std::uint32_t*>(from);
        }
    }
};

/// Returns the scores of row `row` of a lane, as numbers to add to the cells of a register. A byte
/// of `low` and one of `high` go to the two cells, with their signs. The wide form takes `low`
/// alone. `row` is a constant wherever this is inlined.
template <bool kWide, int kBytes>
__device__ __forceinline__ std::uint32_t row_scores(const ScoreBytes<kBytes>& low, const ScoreBytes<kBytes>& high,
                                                    int row) {
    const std::uint32_t q = row % 4;
    if constexpr (kWide) return permute_bytes(low.word[row / 4], 0, q | (8 + q) * 0x1110);
    return permute_bytes(low.word[row / 4], high.word[row / 4], q | (8 + q) << 4 | (4 + q) << 8 | (12 + q) << 12);
}

}  // namespace warpseq::cuda
