// The request to the system for huge pages, for large scratch memory.
#include "kernels/simd/aligned_bytes.h"

#include <cstdint>

#include <sys/mman.h>

namespace warpseq {

void AlignedBytes::use_huge_pages(std::byte* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    // The request covers whole pages only. Less than a huge page at each end stays as it is.
    constexpr std::size_t kPageBytes = std::size_t{1} << 16;
    const std::size_t before = (kPageBytes - reinterpret_cast<std::uintptr_t>(memory) % kPageBytes) % kPageBytes;
    madvise(memory + before, (bytes - before) / kPageBytes * kPageBytes, MADV_HUGEPAGE);
#else
    static_cast<void>(memory);
    static_cast<void>(bytes);
#endif
}

}  // namespace warpseq
