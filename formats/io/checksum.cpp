#include "formats/io/checksum.h"

#include <xxhash.h>

namespace warpseq {

std::string digest_text(const std::array<std::uint8_t, 16>& digest) {
    std::string text;
    for (const std::uint8_t byte : digest) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::uint64_t checksum_of(const void* bytes, std::size_t size_bytes) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return checksum_avx512(bytes, size_bytes);
    if (__builtin_cpu_supports("avx2")) return checksum_avx2(bytes, size_bytes);
#endif
    return XXH3_64bits(bytes, size_bytes);
}

}  // namespace warpseq
