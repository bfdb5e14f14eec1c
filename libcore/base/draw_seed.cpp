#include "libcore/base/draw_seed.h"

#include <sys/random.h>

#include <cerrno>
#include <chrono>

namespace warpseq {

std::uint32_t draw_seed() {
    std::uint32_t seed = 0;
    while (seed == 0) {
        if (getrandom(&seed, sizeof seed, 0) == static_cast<ssize_t>(sizeof seed) || errno == EINTR) continue;
        // A system without that call has a clock at least.
        seed = static_cast<std::uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    }
    return seed;
}

}  // namespace warpseq
