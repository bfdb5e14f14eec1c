// XXH3-64 by the widest vectors of this machine; libxxhash takes those that every machine of its kind has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpseq {

std::uint64_t checksum_of(const void* bytes, std::size_t size_bytes);

#if defined(__x86_64__)
// Of files that are compiled for these vectors.
std::uint64_t checksum_avx2(const void* bytes, std::size_t size_bytes);
std::uint64_t checksum_avx512(const void* bytes, std::size_t size_bytes);
#endif

}  // namespace warpseq
