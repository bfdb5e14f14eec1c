// The system's part of large scratch memory.
#include "kernels/simd/aligned_bytes.h"

#include <cstdint>

#include <sys/mman.h>

namespace warpseq {

void AlignedBytes::use_huge_pages(std::byte* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    // From a page's begin on; less than a huge page of the ends stays as it is.
    constexpr std::size_t kPageBytes = std::size_t{1} << 16;
    const std::size_t before = (kPageBytes - reinterpret_cast<std::uintptr_t>(memory) % kPageBytes) % kPageBytes;
    madvise(memory + before, (bytes - before) / kPageBytes * kPageBytes, MADV_HUGEPAGE);
#else
    static_cast<void>(memory);
    static_cast<void>(bytes);
#endif
}

}  // namespace warpseq
