// checksum_avx2(). The whole file is compiled for AVX2, so it must not include anything with inline
// functions of C++. The linker might use this file's copies of them in the whole program.
#define XXH_INLINE_ALL
#include "formats/io/checksum.h"

#include <xxhash.h>

namespace warpseq {

std::uint64_t checksum_avx2(const void* bytes, std::size_t size_bytes) { return XXH3_64bits(bytes, size_bytes); }

}  // namespace warpseq
