// Loads and stores of the pair sweep's kernel in memory that other warps, another GPU or the host
// read and write at the same time. The names say the memory order (PTX ISA, "Memory Consistency
// Model"). Relaxed means that the access is whole, but orders nothing else. Acquire and release
// order what stands before and after them. `system` extends the order to other GPUs and the host.
#pragma once

#include <cstdint>

#include "kernels/pair/pair_sweep_layout_gpu.h"
#include "libcore/scoring/border_cell.h"

namespace warpseq::cuda {

template <typename T>
__device__ __forceinline__ T load_relaxed(const T* address) {
    static_assert(sizeof(T) == 4);
    std::uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return static_cast<T>(value);
}
__device__ __forceinline__ std::uint32_t load_acquire(const std::uint32_t* address) {
    std::uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}
__device__ __forceinline__ void store_release(std::uint32_t* address, std::uint32_t value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}
__device__ __forceinline__ std::uint32_t load_acquire_system(const std::uint32_t* address) {
    std::uint32_t value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}
__device__ __forceinline__ void store_release_system(std::uint32_t* address, std::uint32_t value) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/// Loads a border word, which another warp may be writing. The word is whole in any case.
__device__ __forceinline__ PairBorderWord load_border_word(const unsigned long long* address) {
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(address) : "memory");
    return PairBorderWord::unpacked(word);
}
__device__ __forceinline__ void store_border_word(unsigned long long* address, unsigned long long word) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(address), "l"(word) : "memory");
}

__device__ __forceinline__ void store_cell(BorderCell* address, std::int32_t h, std::int32_t gap) {
    asm volatile("st.global.v2.s32 [%0], {%1, %2};" ::"l"(address), "r"(h), "r"(gap) : "memory");
}
/// Loads a cell that another GPU may have written.
__device__ __forceinline__ BorderCell load_cell_system(const BorderCell* address) {
    BorderCell cell;
    asm volatile("ld.relaxed.sys.global.v2.s32 {%0, %1}, [%2];"
                 : "=r"(cell.h), "=r"(cell.gap)
                 : "l"(address)
                 : "memory");
    return cell;
}
/// Copies cells. Called by all lanes of a warp.
__device__ __forceinline__ void copy_cells(BorderCell* to, const BorderCell* from, std::uint32_t count, int lane) {
    for (auto i = static_cast<std::uint32_t>(lane); i < count; i += kWarpLanes) {
        const BorderCell cell = load_cell_system(from + i);
        store_cell(to + i, cell.h, cell.gap);
    }
}

}  // namespace warpseq::cuda
