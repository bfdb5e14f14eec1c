// A random sample of whole numbers in rising order, without a list of all numbers to draw from.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace warpseq {

/// `count` of the numbers 0..population - 1, each set as likely as any other, in rising order. 0 <
/// count <= population. By Vitter's methods D and A (ACM TOMS 13:58, 1987) with 1/alpha = 13, so
/// that a seed of the generator draws what Easel draws.
std::vector<std::uint64_t> ordered_sample(std::mt19937_64& generator, std::uint64_t count, std::uint64_t population);

}  // namespace warpseq
