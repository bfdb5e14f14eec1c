// The linear congruential generator that profile searches sample with (Knuth's multiplier 69069,
// increment 1, modulus 2^32). HMMER has the same generator, so equal seeds give equal sampled
// tracebacks. New code uses libcore/base/random.h.
#pragma once

#include <cstdint>

namespace warpseq {

class LinearCongruential {
   public:
    /// Makes a generator whose state is the seed after Bob Jenkins' mix of three words. The other
    /// two words are 87654321 and 12345678. The seed must not be 0.
    explicit LinearCongruential(std::uint32_t seed) : state_(mix(seed, 87654321u, 12345678u)) {
        if (state_ == 0) state_ = 42;
    }

    /// Returns a number in [0, 1) that is a multiple of 2^-32.
    double uniform() {
        state_ = state_ * 69069u + 1u;
        return static_cast<double>(state_) / 4294967296.0;
    }

   private:
    static constexpr std::uint32_t mix(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        // Each row holds the shifts of the three words in one round.
        constexpr int kShifts[3][3] = {{13, 8, 13}, {12, 16, 5}, {3, 10, 15}};
        for (const auto& shift : kShifts) {
            a = (a - b - c) ^ (c >> shift[0]);
            b = (b - c - a) ^ (a << shift[1]);
            c = (c - a - b) ^ (b >> shift[2]);
        }
        return c;
    }

    std::uint32_t state_;
};

}  // namespace warpseq
