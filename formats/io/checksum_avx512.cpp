// Compiled for its vectors as a whole, so it includes nothing with inline functions of C++: the
// linker might keep this file's copies for everybody.
#define XXH_INLINE_ALL
#include "formats/io/checksum.h"

#include <xxhash.h>

namespace warpseq {

std::uint64_t checksum_avx512(const void* bytes, std::size_t size_bytes) { return XXH3_64bits(bytes, size_bytes); }

}  // namespace warpseq
