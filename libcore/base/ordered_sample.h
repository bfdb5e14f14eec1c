// Draws a random sample of whole numbers in rising order, without a list of all numbers to draw
// from.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace warpseq {

/// Returns `count` of the numbers 0..population - 1 in rising order, each set as likely as any
/// other. 0 < count <= population. Uses Vitter's methods D and A (ACM TOMS 13:58, 1987) with
/// 1/alpha = 13, so that a generator's seed gives the sample that Easel draws.
std::vector<std::uint64_t> ordered_sample(std::mt19937_64& generator, std::uint64_t count, std::uint64_t population);

}  // namespace warpseq
