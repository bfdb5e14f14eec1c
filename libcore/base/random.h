// Random numbers that are the same on every machine and with every library: SplitMix64 (Steele, Lea
// and Flood 2014). They are meant for tests, benchmarks and synthetic data, not for cryptography.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace warpseq {

class Random {
   public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    /// Returns 64 random bits.
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    /// Returns a number in 0 .. bound - 1. `bound` must be above 0 and below 2^32. The
    /// probabilities of two numbers differ by at most 2^-32, because the multiplication does not
    /// divide 2^32 evenly.
    std::uint64_t below(std::uint64_t bound) { return (next() >> 32) * bound >> 32; }
    /// Returns a number in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    /// Returns a normally distributed number with mean 0 and variance 1 (Box and Muller 1958).
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

   private:
    std::uint64_t state_;
};

}  // namespace warpseq
