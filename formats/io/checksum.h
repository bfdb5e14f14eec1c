// XXH3-64 computed with the widest vector instructions of this machine. libxxhash itself uses only
// those that every machine of its kind has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace warpseq {

/// Returns a digest of 16 bytes as 32 hexadecimal digits. The first byte gives the first two
/// digits.
std::string digest_text(const std::array<std::uint8_t, 16>& digest);

/// Returns the XXH3-64 of the bytes with seed 0.
std::uint64_t checksum_of(const void* bytes, std::size_t size_bytes);

#if defined(__x86_64__)
// checksum_of() for one instruction set, which the processor must have.
std::uint64_t checksum_avx2(const void* bytes, std::size_t size_bytes);
std::uint64_t checksum_avx512(const void* bytes, std::size_t size_bytes);
#endif

}  // namespace warpseq
