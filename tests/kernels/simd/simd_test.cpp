// Each vector operation on each instruction set that this processor runs, against one line of plain
// arithmetic.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/simd/target.h"
#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/base/random.h"
#include "tests/kernels/simd/simd_operations.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr std::size_t kMostLanes = 64;

template <typename Lane>
struct alignas(64) Lanes {
    Lane lane[kMostLanes] = {};
};

// Half of the values are at or next to the ends of the range, where saturation happens.
template <typename Lane>
Lane random_lane(Random& random, Lane lowest, Lane highest) {
    switch (random.below(8)) {
        case 0: return lowest;
        case 1: return highest;
        case 2: return static_cast<Lane>(lowest + 1);
        case 3: return static_cast<Lane>(highest - 1);
        default: {
            const auto range = static_cast<std::uint64_t>(std::int64_t{highest} - lowest) + 1;
            return static_cast<Lane>(lowest + static_cast<std::int64_t>(random.below(range)));
        }
    }
}

template <typename Lane>
Lanes<Lane> random_lanes(Random& random, Lane lowest, Lane highest) {
    Lanes<Lane> lanes;
    for (Lane& lane : lanes.lane) lane = random_lane(random, lowest, highest);
    return lanes;
}

template <typename Lane>
void check_lanes(const LaneOperations<Lane>& operations, std::uint64_t seed) {
    Random random(seed);
    const std::int64_t floor = operations.floor, highest = operations.highest;
    const std::size_t n = operations.lanes;
    // In 32 bits sums must stay within the lane, because nothing saturates there.
    const bool wide = sizeof(Lane) == 4;
    const Lane top = wide ? std::numeric_limits<Lane>::max() / 2 : operations.highest;
    const Lane bottom = wide ? static_cast<Lane>(-(top / 2)) : std::numeric_limits<Lane>::min();
    for (int round = 0; round < 500; ++round) {
        const Lanes<Lane> a = random_lanes(random, operations.floor, top);
        const Lanes<Lane> b = random_lanes(random, bottom, top);
        const Lanes<Lane> cost = random_lanes(random, Lane{0}, operations.highest);
        Lanes<Lane> sum, rest, greatest, same;
        operations.add(a.lane, b.lane, sum.lane);
        operations.subtract(a.lane, cost.lane, rest.lane);
        operations.max(a.lane, b.lane, greatest.lane);
        operations.set(b.lane[0], same.lane);
        for (std::size_t i = 0; i < n; ++i) {
            REQUIRE(sum.lane[i] == std::clamp(std::int64_t{a.lane[i]} + b.lane[i], floor, highest));
            REQUIRE(rest.lane[i] == std::clamp(std::int64_t{a.lane[i]} - cost.lane[i], floor, highest));
            REQUIRE(greatest.lane[i] == std::max(a.lane[i], b.lane[i]));
            REQUIRE(same.lane[i] == b.lane[0]);
        }

        // All lanes but one are equal, so that each lane alone can change the answer.
        Lanes<Lane> one_more = a;
        const std::size_t at = random.below(n);
        if (one_more.lane[at] < top) ++one_more.lane[at];
        REQUIRE(operations.any_greater(one_more.lane, a.lane) == (one_more.lane[at] > a.lane[at]));
        REQUIRE(!operations.any_greater(a.lane, one_more.lane));

        alignas(64) std::int8_t bytes[kMostLanes + 1];
        for (std::int8_t& byte : bytes) byte = static_cast<std::int8_t>(random.below(256));
        Lanes<Lane> widened;
        operations.load_widened(bytes + 1, widened.lane);
        for (std::size_t i = 0; i < n; ++i) REQUIRE(widened.lane[i] == bytes[i + 1]);

        if (operations.greatest) {
            REQUIRE(operations.greatest(a.lane) == *std::max_element(a.lane, a.lane + n));
            // One lane is above all others, so that each lane must be found.
            Lanes<Lane> low = random_lanes(random, bottom, Lane{-5});
            low.lane[at] = static_cast<Lane>(random.below(100));
            REQUIRE(operations.greatest(low.lane) == low.lane[at]);
        }

        const Lanes<Lane> few = random_lanes(random, Lane{-3}, Lane{3}),
                          others = random_lanes(random, Lane{-3}, Lane{3});
        const std::uint64_t mask = operations.greater_mask(few.lane, others.lane);
        for (std::size_t i = 0; i < 64; ++i)
            REQUIRE((mask >> i & 1) == (i < n && few.lane[i] > others.lane[i] ? 1u : 0u));

        std::size_t shifts_checked = 0;
        for (std::size_t k = 0; k < 6; ++k) {
            const std::size_t by = std::size_t{1} << k;
            REQUIRE((operations.shift_up[k] != nullptr) == (by < n));
            if (by >= n) continue;
            Lanes<Lane> shifted;
            operations.shift_up[k](a.lane, b.lane, shifted.lane);
            for (std::size_t i = 0; i < n; ++i) REQUIRE(shifted.lane[i] == (i < by ? b.lane[i] : a.lane[i - by]));
            ++shifts_checked;
        }
        REQUIRE((std::size_t{1} << shifts_checked) == n);
    }
}

void check_unsigned_bytes(const UnsignedByteOperations& operations) {
    Random random(5);
    const std::size_t n = operations.lanes;
    for (int round = 0; round < 500; ++round) {
        const auto a = random_lanes<std::uint8_t>(random, 0, 255), b = random_lanes<std::uint8_t>(random, 0, 255);
        Lanes<std::uint8_t> sum, rest, greatest, same;
        operations.add(a.lane, b.lane, sum.lane);
        operations.subtract(a.lane, b.lane, rest.lane);
        operations.max(a.lane, b.lane, greatest.lane);
        operations.set(b.lane[0], same.lane);
        for (std::size_t i = 0; i < n; ++i) {
            REQUIRE(sum.lane[i] == std::min(a.lane[i] + b.lane[i], 255));
            REQUIRE(rest.lane[i] == std::max(a.lane[i] - b.lane[i], 0));
            REQUIRE(greatest.lane[i] == std::max(a.lane[i], b.lane[i]));
            REQUIRE(same.lane[i] == b.lane[0]);
        }
        Lanes<std::uint8_t> one_more = a;
        const std::size_t at = random.below(n);
        if (one_more.lane[at] < 255) ++one_more.lane[at];
        REQUIRE(operations.any_greater(one_more.lane, a.lane) == (one_more.lane[at] > a.lane[at]));
        REQUIRE(!operations.any_greater(a.lane, one_more.lane));
        REQUIRE(operations.greatest(a.lane) == *std::max_element(a.lane, a.lane + n));
        Lanes<std::uint8_t> low = random_lanes<std::uint8_t>(random, 0, 100);
        low.lane[at] = static_cast<std::uint8_t>(101 + random.below(155));
        REQUIRE(operations.greatest(low.lane) == low.lane[at]);
        alignas(64) std::uint8_t bytes[kMostLanes + 1];
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
        Lanes<std::uint8_t> loaded;
        operations.load_unaligned(bytes + 1, loaded.lane);
        for (std::size_t i = 0; i < n; ++i) REQUIRE(loaded.lane[i] == bytes[i + 1]);
    }
}

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

// Lanes have all bits or none.
float all_bits_if(bool condition) { return std::bit_cast<float>(condition ? ~std::uint32_t{0} : 0u); }

// There are few values, so that equal ones meet, and now and then an infinity.
float random_float(Random& random) {
    if (random.below(12) == 0) return -std::numeric_limits<float>::infinity();
    return static_cast<float>(random.below(5)) * (random.below(2) == 0 ? 1.0f : 0.1f);
}

Lanes<float> random_floats(Random& random) {
    Lanes<float> lanes;
    for (float& lane : lanes.lane) lane = random_float(random);
    return lanes;
}

void check_quads(const QuadOperations& operations, std::uint64_t seed) {
    Random random(seed);
    const std::size_t n = operations.lanes;
    REQUIRE(n == 4 * operations.quads);
    for (int round = 0; round < 500; ++round) {
        const Lanes<float> a = random_floats(random), b = random_floats(random);
        Lanes<float> positive = random_floats(random);
        for (float& lane : positive.lane) lane = 1 + std::abs(std::max(lane, 0.0f)) / 3;
        Lanes<float> set, sum, product, quotient, greatest, greater, both, either, selected, differing, any, up, down,
            across, most;
        operations.set(a.lane[0], set.lane);
        operations.add(a.lane, positive.lane, sum.lane);
        operations.multiply(positive.lane, positive.lane, product.lane);
        operations.divide(a.lane, positive.lane, quotient.lane);
        operations.max(a.lane, b.lane, greatest.lane);
        operations.greater(a.lane, b.lane, greater.lane);
        operations.bit_and(a.lane, greater.lane, both.lane);
        operations.bit_or(a.lane, b.lane, either.lane);
        operations.select(greater.lane, a.lane, b.lane, selected.lane);
        operations.differing(positive.lane, a.lane, b.lane, differing.lane);
        operations.shift_up(a.lane, b.lane, up.lane);
        operations.shift_down(a.lane, down.lane);
        operations.sum_across(positive.lane, across.lane);
        operations.max_across(a.lane, most.lane);
        const std::uint32_t not_less = operations.not_less_mask(a.lane, b.lane);
        REQUIRE((n == 32 || not_less >> n == 0));
        // There is one bit in one lane, or none at all.
        Lanes<float> one_bit;
        const std::size_t at = random.below(n);
        if (round % 3 != 0) one_bit.lane[at] = std::bit_cast<float>(std::uint32_t{1} << random.below(32));
        operations.where_any_bit(one_bit.lane, any.lane);
        REQUIRE(operations.any_bit(one_bit.lane) == (round % 3 != 0));
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t first = i / 4 * 4;
            const float* p = positive.lane + first;
            REQUIRE(bits_of(set.lane[i]) == bits_of(a.lane[0]));
            REQUIRE(bits_of(sum.lane[i]) == bits_of(a.lane[i] + positive.lane[i]));
            REQUIRE(bits_of(product.lane[i]) == bits_of(positive.lane[i] * positive.lane[i]));
            REQUIRE(bits_of(quotient.lane[i]) == bits_of(a.lane[i] / positive.lane[i]));
            REQUIRE(bits_of(greatest.lane[i]) == bits_of(std::max(a.lane[i], b.lane[i])));
            REQUIRE(bits_of(greater.lane[i]) == bits_of(all_bits_if(a.lane[i] > b.lane[i])));
            REQUIRE((not_less >> i & 1) == (a.lane[i] >= b.lane[i] ? 1u : 0u));
            REQUIRE(bits_of(both.lane[i]) == (a.lane[i] > b.lane[i] ? bits_of(a.lane[i]) : 0u));
            REQUIRE(bits_of(either.lane[i]) == (bits_of(a.lane[i]) | bits_of(b.lane[i])));
            REQUIRE(bits_of(selected.lane[i]) == bits_of(greatest.lane[i]));
            REQUIRE(bits_of(differing.lane[i]) ==
                    (bits_of(positive.lane[i]) | (bits_of(a.lane[i]) ^ bits_of(b.lane[i]))));
            REQUIRE(bits_of(any.lane[i]) == bits_of(all_bits_if(round % 3 != 0 && at / 4 == i / 4)));
            REQUIRE(bits_of(up.lane[i]) == bits_of(i == first ? b.lane[i] : a.lane[i - 1]));
            REQUIRE(bits_of(down.lane[i]) == bits_of(i == first + 3 ? 0.0f : a.lane[i + 1]));
            REQUIRE(bits_of(across.lane[i]) == bits_of((p[0] + p[1]) + (p[2] + p[3])));
            REQUIRE(bits_of(most.lane[i]) == bits_of(*std::max_element(a.lane + first, a.lane + first + 4)));
        }

        Lanes<float> quad, quads, each;
        const float* const pointers[] = {a.lane, a.lane + 8, b.lane, b.lane + 4};
        float firsts[5] = {-1, -1, -1, -1, -1};
        operations.load_quad(a.lane + 4, quad.lane);
        operations.load_quads(pointers, 12, quads.lane);
        operations.load_each(a.lane + 1, each.lane);
        operations.store_firsts(a.lane, firsts);
        for (std::size_t i = 0; i < n; ++i) {
            REQUIRE(bits_of(quad.lane[i]) == bits_of(a.lane[4 + i % 4]));
            REQUIRE(bits_of(quads.lane[i]) == bits_of(pointers[i / 4][12 + i % 4]));
            REQUIRE(bits_of(each.lane[i]) == bits_of(a.lane[1 + i / 4]));
        }
        for (std::size_t g = 0; g < 5; ++g)
            REQUIRE(bits_of(firsts[g]) == bits_of(g < operations.quads ? a.lane[4 * g] : -1.0f));
    }
}

template <typename Lane>
void check_pair_lanes(const PairOperations<Lane>& operations, std::uint64_t seed) {
    Random random(seed);
    constexpr Lane kLowest = std::numeric_limits<Lane>::min(), kHighest = std::numeric_limits<Lane>::max();
    using Unsigned = std::make_unsigned_t<Lane>;
    const std::size_t n = operations.lanes;
    for (int round = 0; round < 300; ++round) {
        const auto a = random_lanes<Lane>(random, kLowest, kHighest), b = random_lanes<Lane>(random, kLowest, kHighest);
        Lanes<Lane> sum, rest, mask, chosen, turned;
        for (Lane& bits : mask.lane) bits = random.below(2) ? static_cast<Lane>(-1) : Lane{0};
        operations.wrapping_add(a.lane, b.lane, sum.lane);
        operations.wrapping_subtract(a.lane, b.lane, rest.lane);
        operations.select(mask.lane, a.lane, b.lane, chosen.lane);
        operations.rotate_down(a.lane, turned.lane);
        REQUIRE(operations.first(a.lane) == a.lane[0]);
        for (std::size_t i = 0; i < n; ++i) {
            const auto x = static_cast<Unsigned>(a.lane[i]), y = static_cast<Unsigned>(b.lane[i]);
            REQUIRE(sum.lane[i] == static_cast<Lane>(static_cast<Unsigned>(x + y)));
            REQUIRE(rest.lane[i] == static_cast<Lane>(static_cast<Unsigned>(x - y)));
            REQUIRE(chosen.lane[i] == (mask.lane[i] ? a.lane[i] : b.lane[i]));
            REQUIRE(turned.lane[i] == a.lane[(i + 1) % n]);
        }
        alignas(64) Lane moved[kMostLanes + 1];
        std::copy_n(a.lane, n, moved + 1);
        Lanes<Lane> loaded;
        operations.load_unaligned(moved + 1, loaded.lane);
        REQUIRE(std::equal(a.lane, a.lane + n, loaded.lane));
        REQUIRE((operations.bit_where_equal == nullptr) == (sizeof(Lane) == 1));
        if (!operations.bit_where_equal) continue;
        const auto few = random_lanes<Lane>(random, 0, 2), others = random_lanes<Lane>(random, 0, 2);
        const auto low = random_lanes<Lane>(random, 0, 255);
        Lanes<Lane> bits, either;
        operations.bit_where_equal(few.lane, others.lane, low.lane, bits.lane);
        operations.bit_or(a.lane, b.lane, either.lane);
        std::uint8_t bytes[kMostLanes + 2] = {};
        operations.store_bytes(low.lane, bytes + 1);
        for (std::size_t i = 0; i < n; ++i) {
            REQUIRE(bits.lane[i] == (few.lane[i] == others.lane[i] ? low.lane[i] : 0));
            REQUIRE(either.lane[i] == static_cast<Lane>(a.lane[i] | b.lane[i]));
            REQUIRE(bytes[1 + i] == low.lane[i]);
        }
        REQUIRE(bytes[0] == 0);
        REQUIRE(bytes[n + 1] == 0);
        REQUIRE((operations.look_up != nullptr) == (sizeof(Lane) == 4));
        if (operations.look_up) {
            Lane table[33];
            std::uint8_t codes[kMostLanes + 1];
            for (Lane& entry : table)
                entry = static_cast<Lane>(static_cast<std::int64_t>(random.below(1u << 30)) - (1 << 29));
            for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(random.below(32));
            Lanes<Lane> found;
            operations.look_up(table + 1, codes + 1, found.lane);
            for (std::size_t i = 0; i < n; ++i) REQUIRE(found.lane[i] == table[1 + codes[1 + i]]);
        }
        REQUIRE((operations.where_greater || (sizeof(Lane) == 2 && n == 8)));
        if (!operations.where_greater) continue;
        Lanes<Lane> picked, last;
        operations.where_greater(few.lane, others.lane, a.lane, b.lane, picked.lane);
        operations.last_in_all(a.lane, last.lane);
        for (std::size_t i = 0; i < n; ++i) {
            REQUIRE(picked.lane[i] == (few.lane[i] > others.lane[i] ? a.lane[i] : b.lane[i]));
            REQUIRE(last.lane[i] == a.lane[n - 1]);
        }
        for (std::size_t k = 0; k < std::size(operations.shift_in); ++k) {
            const std::size_t by = std::size_t{1} << k;
            REQUIRE((operations.shift_in[k] != nullptr) == (by < n));
            if (by >= n) continue;
            Lanes<Lane> shifted;
            operations.shift_in[k](a.lane, b.lane, shifted.lane);
            for (std::size_t i = 0; i < n; ++i)
                REQUIRE(shifted.lane[i] == (i < by ? b.lane[n - by + i] : a.lane[i - by]));
        }
    }
}

void check_byte_groups(const SetOperations& operations) {
    Random random(6);
    const std::size_t n = operations.u8.lanes;
    REQUIRE((operations.lookup_bytes != nullptr) == (operations.table_entries > 0));
    for (int round = 0; round < 100; ++round) {
        const auto a = random_lanes<std::uint8_t>(random, 0, 255), b = random_lanes<std::uint8_t>(random, 0, 255);
        Lanes<std::uint8_t> low, high;
        operations.interleave_low(a.lane, b.lane, low.lane);
        operations.interleave_high(a.lane, b.lane, high.lane);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t from = i / 16 * 16 + i % 16 / 2;
            REQUIRE(low.lane[i] == (i % 2 ? b : a).lane[from]);
            REQUIRE(high.lane[i] == (i % 2 ? b : a).lane[from + 8]);
        }
        // All lanes but one of one of them are equal.
        REQUIRE(!operations.any_excess(a.lane, a.lane, b.lane, b.lane));
        const std::size_t at = random.below(n);
        Lanes<std::uint8_t> a_limit = a, b_limit = b;
        (round % 2 ? a_limit : b_limit).lane[at] = 127;
        REQUIRE(operations.any_excess(a.lane, a_limit.lane, b.lane, b_limit.lane) ==
                ((round % 2 ? a : b).lane[at] > 127));
        if (!operations.lookup_bytes) continue;
        std::uint8_t table[kMostLanes + 1];
        for (std::uint8_t& entry : table) entry = static_cast<std::uint8_t>(random.below(256));
        Lanes<std::uint8_t> indices, found;
        for (std::uint8_t& index : indices.lane)
            index = static_cast<std::uint8_t>(random.below(operations.table_entries));
        operations.lookup_bytes(table + 1, indices.lane, found.lane);
        for (std::size_t i = 0; i < n; ++i) REQUIRE(found.lane[i] == table[1 + indices.lane[i]]);
    }
}

void check_set(const SetOperations& operations) {
    check_pair_lanes(operations.pair_u8, 7);
    check_pair_lanes(operations.pair_i16, 8);
    check_pair_lanes(operations.pair_i32, 9);
    check_byte_groups(operations);
    check_unsigned_bytes(operations.u8);
    CHECK(operations.u8.lanes == operations.i8.lanes);
    check_lanes(operations.i8, 1);
    check_lanes(operations.i16, 2);
    check_lanes(operations.i32, 3);
    check_quads(operations.f32, 5);
    CHECK(operations.i8.lanes == 2 * operations.i16.lanes);
    CHECK(operations.i8.lanes == 4 * operations.i32.lanes);

    Random random(4);
    for (int round = 0; round < 200; ++round) {
        alignas(64) std::int8_t table[33];
        for (std::int8_t& entry : table) entry = static_cast<std::int8_t>(random.below(256));
        Lanes<std::int8_t> indices, found;
        for (std::int8_t& index : indices.lane) index = static_cast<std::int8_t>(random.below(32));
        operations.lookup(table + 1, indices.lane, found.lane);
        for (std::size_t i = 0; i < operations.i8.lanes; ++i) {
            REQUIRE(found.lane[i] == table[1 + static_cast<std::size_t>(indices.lane[i])]);
        }

        if (!operations.lookup_16_bit) continue;
        const auto entries = random_lanes<std::int16_t>(random, INT16_MIN, INT16_MAX);
        Lanes<std::int16_t> codes, found_16_bit, same;
        for (std::int16_t& code : codes.lane) code = static_cast<std::int16_t>(random.below(32));
        operations.lookup_16_bit(entries.lane, codes.lane, found_16_bit.lane);
        const auto pair = static_cast<std::int32_t>(static_cast<std::uint16_t>(entries.lane[0]) * 0x10001u);
        operations.broadcast_pair(&pair, same.lane);
        for (std::size_t i = 0; i < operations.i16.lanes; ++i) {
            REQUIRE(found_16_bit.lane[i] == entries.lane[static_cast<std::size_t>(codes.lane[i])]);
            REQUIRE(same.lane[i] == entries.lane[0]);
        }
    }
}

[[maybe_unused]] bool runs(CpuBackend backend) {
    const std::vector<CpuBackend> runnable = runnable_cpu_backends();
    if (std::find(runnable.begin(), runnable.end(), backend) != runnable.end()) return true;
    MESSAGE("skipped: this processor does not run ", std::string(cpu_backend_name(backend)));
    return false;
}

}  // namespace

TEST_CASE("vector operations: portable") { check_set(kPortableOperations); }

#if WARPSEQ_X86
TEST_CASE("vector operations: SSE4.1") {
    if (runs(CpuBackend::kSse41)) check_set(kSse41Operations);
}

TEST_CASE("vector operations: AVX2") {
    if (runs(CpuBackend::kAvx2)) check_set(kAvx2Operations);
}

TEST_CASE("vector operations: AVX-512") {
    if (runs(CpuBackend::kAvx512)) check_set(kAvx512Operations);
}
#endif
