#include "libcore/base/ordered_sample.h"

#include <cmath>

namespace warpseq {
namespace {

/// Returns a number in [0, 1) with 53 bits.
double uniform(std::mt19937_64& generator) { return static_cast<double>(generator() >> 11) * 0x1.0p-53; }

/// Returns a number in (0, 1) with 52 bits and a half.
double open_uniform(std::mt19937_64& generator) { return (static_cast<double>(generator() >> 12) + 0.5) * 0x1.0p-52; }

/// Draws a sample by Vitter's method A, which walks over the numbers that are skipped.
void sample_by_walking(std::mt19937_64& generator, std::int64_t count, std::int64_t population, std::int64_t last,
                       std::vector<std::uint64_t>& sample) {
    auto unwanted = static_cast<double>(population - count);
    auto left = static_cast<double>(population);
    for (; count >= 2; --count) {
        const double drawn = open_uniform(generator);
        std::int64_t skipped = 0;
        double quotient = unwanted / left;
        while (quotient > drawn) {
            ++skipped;
            unwanted -= 1;
            left -= 1;
            quotient = quotient * unwanted / left;
        }
        last += skipped + 1;
        sample.push_back(static_cast<std::uint64_t>(last));
        left -= 1;
    }
    const auto skipped = static_cast<std::int64_t>(std::floor(std::round(left) * uniform(generator)));
    sample.push_back(static_cast<std::uint64_t>(last + skipped + 1));
}

}  // namespace

std::vector<std::uint64_t> ordered_sample(std::mt19937_64& generator, std::uint64_t count_u,
                                          std::uint64_t population_u) {
    constexpr std::int64_t kInverseAlpha = 13;
    std::vector<std::uint64_t> sample;
    sample.reserve(count_u);

    // The names follow Vitter: n numbers are wanted of N that are left, S are skipped next, and V'
    // = U^(1/n).
    auto wanted = static_cast<std::int64_t>(count_u), left = static_cast<std::int64_t>(population_u);
    std::int64_t last = -1;
    std::int64_t starts = left - wanted + 1;  // qu1: the range in which the next number may lie
    std::int64_t threshold = kInverseAlpha * wanted;
    auto wanted_real = static_cast<double>(wanted), left_real = static_cast<double>(left);
    double wanted_inverse = 1.0 / static_cast<double>(wanted);
    double v_prime = std::exp(wanted_inverse * std::log(uniform(generator)));
    double starts_real = left_real - wanted_real + 1.0;
    const auto draw_v = [&](double inverse) { return std::exp(inverse * std::log(open_uniform(generator))); };

    while (wanted > 1 && left > threshold) {
        const double next_inverse = 1.0 / (-1.0 + wanted_real);
        std::int64_t skipped = 0;
        double minus_skipped = 0;
        while (true) {
            double x = 0;
            while (true) {
                x = left_real * (-v_prime + 1.0);
                skipped = static_cast<std::int64_t>(std::floor(x));
                if (skipped < starts) break;
                v_prime = draw_v(wanted_inverse);
            }
            const double drawn = open_uniform(generator);
            minus_skipped = static_cast<double>(-skipped);
            const double y1 = std::exp(next_inverse * std::log(drawn * left_real / starts_real));
            v_prime = y1 * (-x / left_real + 1.0) * (starts_real / (minus_skipped + starts_real));
            if (v_prime <= 1.0) break;

            double y2 = 1, top = left_real - 1.0, bottom = 0;
            std::int64_t limit = 0;
            if (left - 1 > skipped) {
                bottom = left_real - wanted_real;
                limit = left - skipped;
            } else {
                bottom = left_real + minus_skipped - 1.0;
                limit = starts;
            }
            for (std::int64_t t = left - 1; t >= limit; --t) {
                y2 = y2 * top / bottom;
                top -= 1;
                bottom -= 1;
            }
            if (left_real / (left_real - x) >= y1 * std::exp(next_inverse * std::log(y2))) {
                v_prime = draw_v(next_inverse);
                break;
            }
            v_prime = draw_v(wanted_inverse);
        }
        last += skipped + 1;
        sample.push_back(static_cast<std::uint64_t>(last));
        left -= skipped + 1;
        left_real = left_real + minus_skipped - 1.0;
        --wanted;
        wanted_real -= 1.0;
        wanted_inverse = next_inverse;
        starts -= skipped;
        starts_real += minus_skipped;
        threshold -= kInverseAlpha;
    }
    if (wanted > 1) {
        sample_by_walking(generator, wanted, left, last, sample);
    } else {
        const auto skipped = static_cast<std::int64_t>(std::floor(static_cast<double>(left) * v_prime));
        sample.push_back(static_cast<std::uint64_t>(last + skipped + 1));
    }
    return sample;
}

}  // namespace warpseq
