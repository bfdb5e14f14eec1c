// XXH3-64 by the widest vectors of this machine; libxxhash takes those that every machine of its
// kind has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace warpseq {

/// Returns 32 hexadecimal digits, most significant first.
std::string digest_text(const std::array<std::uint8_t, 16>& digest);

/// Returns XXH3-64 of the bytes, seed 0.
std::uint64_t checksum_of(const void* bytes, std::size_t size_bytes);

#if defined(__x86_64__)
// checksum_of() by one instruction set; the processor must have it.
std::uint64_t checksum_avx2(const void* bytes, std::size_t size_bytes);
std::uint64_t checksum_avx512(const void* bytes, std::size_t size_bytes);
#endif

}  // namespace warpseq
