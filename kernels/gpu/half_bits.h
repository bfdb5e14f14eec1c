// Small integers as bit patterns of half-precision numbers. Tables that kernels read with
// kernels/gpu/half_pairs.cuh are filled with them on the host.
#pragma once

#include <cstdint>

namespace warpseq::cuda {

/// Returns n as the 16 bits of the half-precision number n * 2^-24, in sign and magnitude. Below
/// 1,024 the number is subnormal (IEEE 754, section 3.4). Up to 2,048 its bits are those of |n| and
/// the sign. Expects |n| <= 2,048.
constexpr std::uint32_t half_bits(int n) { return static_cast<std::uint32_t>(n < 0 ? 0x8000 | -n : n); }

}  // namespace warpseq::cuda
