// Seeds of random numbers that differ from run to run.
#pragma once

#include <cstdint>

namespace warpseq {

/// Returns a new random number in each call, but never 0. It comes from the system.
std::uint32_t draw_seed();

}  // namespace warpseq
