// The vector operations of the kernels in plain C++, for any processor. This comment also defines
// what each operation does.
//
// A vector set (Portable, Sse41, Avx2, Avx512) has three signed lane types, I8, I16 and I32. Each
// has these operations.
//
//     set(x)                  every lane x
//     load(p), store(p, v)    p aligned to the vector's size
//     load_widened(p)         signed bytes, unaligned, one per lane
//     add(a, b)               a + b, held within [kFloor, kHighest]
//     subtract(a, b)          a - b, held within [kFloor, kHighest]; b >= 0
//     max(a, b)               the higher of each lane
//     any_greater(a, b)       true if a > b in any lane
//     greater_mask(a, b)      bit i set if a > b in lane i
//     shift_up<n>(v, fill)    lane i becomes lane i - n; the lowest n lanes come from fill
//
// I8 and I16 also have greatest(v), which returns the highest lane. All three types and U8 also
// have the following operations.
//
//     load_unaligned(p)             (not I8)
//     wrapping_add(a, b),
//     wrapping_subtract(a, b)       modulo 2^bits (not I8)
//     select(bits, yes, no)         yes in lanes with all bits set, no in lanes with none set
//     first(v)                      lane 0 (not I8)
//     rotate_down(v)                lane i becomes lane i + 1, the last one lane 0 (not I8)
//
// U8 holds unsigned bytes. It has set, load, store, add, subtract, max, any_greater and greatest,
// and the following.
//
//     interleave_low(a, b),
//     interleave_high(a, b)         the lower, the upper eight bytes of a and b by turns,
//                                   in groups of 16 bytes
//     load_table(p)                 a table of kTableEntries entries, unaligned
//     lookup(table, indices)        lane i becomes table[indices[i]]
//     no_excess(),
//     with_excess(excess, v, limit),
//     any_excess(excess)            an Excess remembers whether any lane of any vector was above
//                                   its limit
//
// If kTableEntries is 0, U8 has neither load_table nor lookup. I16 and I32 also have the following.
//
//     bit_where_equal(a, b, bit)    bit in lanes where a = b, 0 elsewhere
//     bit_or(a, b)
//     store_bytes(p, v)             lanes of 0..255 as bytes, unaligned
//
// The following operations belong to one type each.
//
//     I32  where_greater(a, b, yes, no)
//                                   yes in lanes where a > b, no elsewhere
//     I32  look_up(table, codes)    lane i becomes table[codes[i]] of 32 entries, both unaligned
//     I32  shift_in<n>(v, below)    lane i becomes lane i - n; the lowest n lanes are the highest n
//                                   of below
//     I32  last_in_all(v)           the last lane in every lane
//     I8   load_table(p)            32 signed bytes, unaligned
//     I8   lookup(table, indices)   lane i becomes table[indices[i]] for indices 0..31
//
// I16 of AVX2 and AVX-512 also has the following.
//
//     broadcast_pair(p)             two lanes' worth of one value in 32 bits, into every lane
//     fill_table(entries, table)    32 entries into the 64-byte aligned form that lookup takes
//     lookup(table, indices(codes)) a look-up in that form for codes 0..31
//     where_greater, shift_in<n>, last_in_all
//                                   as in I32
//
// A raw score of 0 is kept as kFloor. In 8 and 16 bits kFloor is the lowest value of the type, so
// saturating arithmetic clamps at raw 0 without an extra operation. No processor saturates in 32
// bits. So in I32 kFloor is 0, add and subtract clamp by a maximum, and sums have to stay below
// 2^31.
//
// F32 holds floats in quads. A quad is a group of four lanes, and a vector has kQuads of them. No
// operation moves a value from one quad to another.
//
//     set(x), load(p), store(p, v), add, multiply, divide
//     load_quad(p)            the four floats at p (16-byte aligned) in every quad
//     load_quads(p, at)       quad g takes the four floats at p[g] + at (16-byte aligned)
//     load_each(p)            quad g takes p[g] in all four lanes; unaligned
//     store_firsts(p, v)      p[g] = the first lane of quad g; unaligned
//     max(a, b)               a > b ? a : b
//     greater(a, b)           all bits where a > b, else none
//     not_less_mask(a, b)     bit i set if a >= b in lane i
//     bit_and, bit_or
//     select(bits, yes, no)   yes where all bits are set, no where none is
//     differing(bits, a, b)   bits, and besides those in which a and b differ
//     any_bit(v)              true if any bit is set in any lane
//     where_any_bit(v)        all bits in quads in which any bit is set
//     shift_up(v, fill)       lane i of each quad becomes lane i - 1; the first is fill's first
//     shift_down(v)           lane i of each quad becomes lane i + 1; the last becomes 0
//     sum_across(v)           (v0 + v1) + (v2 + v3) of each quad in all its lanes
//     max_across(v)           likewise the maximum
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/simd/target.h"

namespace warpseq::simd {

/// Signed lanes in a vector of sixteen bytes. They use the vector extension of GCC and Clang, which
/// the compilers translate to the instructions of the processor.
template <typename LaneType>
struct PortableLanes {
    using Lane = LaneType;
    using Unsigned = std::make_unsigned_t<Lane>;
    static constexpr std::size_t kVectorBytes = 16;
    static constexpr std::size_t kLanes = kVectorBytes / sizeof(Lane);
    static constexpr Lane kFloor = sizeof(Lane) == 4 ? Lane{0} : std::numeric_limits<Lane>::min();
    static constexpr Lane kHighest = std::numeric_limits<Lane>::max();
    typedef Lane Vector __attribute__((vector_size(kVectorBytes)));
    typedef Lane VectorInMemory __attribute__((vector_size(kVectorBytes), may_alias));
    typedef Unsigned UnsignedVector __attribute__((vector_size(kVectorBytes)));

    WARPSEQ_SIMD Vector set(Lane x) { return x - Vector{}; }
    WARPSEQ_SIMD Vector load(const Lane* p) { return *reinterpret_cast<const VectorInMemory*>(p); }
    WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
        Vector v;
        for (std::size_t i = 0; i < kLanes; ++i) v[i] = p[i];
        return v;
    }
    WARPSEQ_SIMD void store(Lane* p, Vector v) { *reinterpret_cast<VectorInMemory*>(p) = v; }
    WARPSEQ_SIMD Vector add(Vector a, Vector b) {
        const Vector sum = std::bit_cast<Vector>(std::bit_cast<UnsignedVector>(a) + std::bit_cast<UnsignedVector>(b));
        if constexpr (sizeof(Lane) == 4) {
            return max(sum, Vector{});
        } else {
            // The sum left the lane where its sign differs from that of both terms.
            const Vector limit = a < 0 ? set(kFloor) : set(kHighest);
            return ((a ^ sum) & (b ^ sum)) < 0 ? limit : sum;
        }
    }
    WARPSEQ_SIMD Vector subtract(Vector a, Vector b) {
        const Vector rest = std::bit_cast<Vector>(std::bit_cast<UnsignedVector>(a) - std::bit_cast<UnsignedVector>(b));
        if constexpr (sizeof(Lane) == 4) {
            return max(rest, Vector{});
        } else {
            return rest > a ? set(kFloor) : rest;
        }
    }
    WARPSEQ_SIMD Vector max(Vector a, Vector b) { return a > b ? a : b; }
    WARPSEQ_SIMD bool any_greater(Vector a, Vector b) {
        struct Halves {
            std::uint64_t low, high;
        };
        const auto halves = std::bit_cast<Halves>(a > b);
        return (halves.low | halves.high) != 0;
    }
    WARPSEQ_SIMD std::uint32_t greater_mask(Vector a, Vector b) {
        std::uint32_t mask = 0;
        for (std::size_t i = 0; i < kLanes; ++i) mask |= static_cast<std::uint32_t>(a[i] > b[i]) << i;
        return mask;
    }
    WARPSEQ_SIMD Lane greatest(Vector v) {
        Lane lane = v[0];
        for (std::size_t i = 1; i < kLanes; ++i) lane = lane > v[i] ? lane : v[i];
        return lane;
    }
    template <std::size_t n>
    WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
        return shift_up_by<n>(v, fill, std::make_index_sequence<kLanes>());
    }

    struct Table {
        const std::int8_t* entries;
    };
    WARPSEQ_SIMD Table load_table(const std::int8_t* p) { return {p}; }
    WARPSEQ_SIMD Vector lookup(Table table, Vector indices) {
        alignas(kVectorBytes) Lane at[kLanes], found[kLanes];
        store(at, indices);
        for (std::size_t i = 0; i < kLanes; ++i) found[i] = table.entries[static_cast<std::size_t>(at[i])];
        return load(found);
    }

    WARPSEQ_SIMD Vector load_unaligned(const Lane* p) { return *reinterpret_cast<const UnalignedVector*>(p); }
    WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) {
        return std::bit_cast<Vector>(std::bit_cast<UnsignedVector>(a) + std::bit_cast<UnsignedVector>(b));
    }
    WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) {
        return std::bit_cast<Vector>(std::bit_cast<UnsignedVector>(a) - std::bit_cast<UnsignedVector>(b));
    }
    WARPSEQ_SIMD Vector select(Vector bits, Vector yes, Vector no) { return (yes & bits) | (no & ~bits); }
    WARPSEQ_SIMD Lane first(Vector v) { return v[0]; }
    WARPSEQ_SIMD Vector rotate_down(Vector v) { return rotate_by_one(v, std::make_index_sequence<kLanes>()); }
    WARPSEQ_SIMD Vector bit_where_equal(Vector a, Vector b, Vector bit) { return (a == b) & bit; }
    WARPSEQ_SIMD Vector look_up(const Lane* table, const std::uint8_t* codes) {
        alignas(kVectorBytes) Lane found[kLanes];
        for (std::size_t i = 0; i < kLanes; ++i) found[i] = table[codes[i]];
        return load(found);
    }
    WARPSEQ_SIMD Vector where_greater(Vector a, Vector b, Vector yes, Vector no) { return select(a > b, yes, no); }
    template <std::size_t n>
    WARPSEQ_SIMD Vector shift_in(Vector v, Vector below) {
        return shift_in_by<n>(v, below, std::make_index_sequence<kLanes>());
    }
    WARPSEQ_SIMD Vector last_in_all(Vector v) { return set(v[kLanes - 1]); }
    WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return a | b; }
    WARPSEQ_SIMD void store_bytes(std::uint8_t* p, Vector v) {
        for (std::size_t i = 0; i < kLanes; ++i) p[i] = static_cast<std::uint8_t>(v[i]);
    }

   private:
    typedef Lane UnalignedVector __attribute__((vector_size(kVectorBytes), may_alias, aligned(1)));
    template <std::size_t... i>
    WARPSEQ_SIMD Vector rotate_by_one(Vector v, std::index_sequence<i...>) {
        return __builtin_shufflevector(v, v, (i + 1)...);
    }
    template <std::size_t n, std::size_t... i>
    WARPSEQ_SIMD Vector shift_in_by(Vector v, Vector below, std::index_sequence<i...>) {
        return __builtin_shufflevector(below, v, (kLanes + i - n)...);
    }
    template <std::size_t n, std::size_t... i>
    WARPSEQ_SIMD Vector shift_up_by(Vector v, Vector fill, std::index_sequence<i...>) {
        return __builtin_shufflevector(fill, v, (i < n ? i : kLanes + i - n)...);
    }
};

/// Sixteen unsigned bytes.
struct PortableUnsignedBytes {
    using Lane = std::uint8_t;
    static constexpr std::size_t kLanes = 16;
    static constexpr Lane kFloor = 0, kHighest = UINT8_MAX;
    typedef Lane Vector __attribute__((vector_size(16)));
    typedef Lane VectorInMemory __attribute__((vector_size(16), may_alias));
    typedef Lane UnalignedVector __attribute__((vector_size(16), may_alias, aligned(1)));

    WARPSEQ_SIMD Vector set(Lane x) { return x - Vector{}; }
    WARPSEQ_SIMD Vector load(const Lane* p) { return *reinterpret_cast<const VectorInMemory*>(p); }
    WARPSEQ_SIMD Vector load_unaligned(const Lane* p) { return *reinterpret_cast<const UnalignedVector*>(p); }
    WARPSEQ_SIMD void store(Lane* p, Vector v) { *reinterpret_cast<VectorInMemory*>(p) = v; }
    WARPSEQ_SIMD Vector add(Vector a, Vector b) {
        const Vector sum = a + b;
        return sum < a ? set(kHighest) : sum;
    }
    WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return a > b ? a - b : Vector{}; }
    WARPSEQ_SIMD Vector max(Vector a, Vector b) { return a > b ? a : b; }
    WARPSEQ_SIMD bool any_greater(Vector a, Vector b) {
        struct Halves {
            std::uint64_t low, high;
        };
        const auto halves = std::bit_cast<Halves>(a > b);
        return (halves.low | halves.high) != 0;
    }
    WARPSEQ_SIMD Lane greatest(Vector v) {
        Lane lane = v[0];
        for (std::size_t i = 1; i < kLanes; ++i) lane = lane > v[i] ? lane : v[i];
        return lane;
    }
    WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return a + b; }
    WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return a - b; }
    WARPSEQ_SIMD Vector select(Vector bits, Vector yes, Vector no) { return (yes & bits) | (no & ~bits); }
    WARPSEQ_SIMD Lane first(Vector v) { return v[0]; }
    WARPSEQ_SIMD Vector rotate_down(Vector v) {
        return __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    }
    using Excess = Vector;
    WARPSEQ_SIMD Excess no_excess() { return Vector{}; }
    WARPSEQ_SIMD Excess with_excess(Excess excess, Vector v, Vector limit) { return excess | subtract(v, limit); }
    WARPSEQ_SIMD bool any_excess(Excess excess) { return any_greater(excess, Vector{}); }
    WARPSEQ_SIMD Vector interleave_low(Vector a, Vector b) {
        return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    }
    WARPSEQ_SIMD Vector interleave_high(Vector a, Vector b) {
        return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    static constexpr std::size_t kTableEntries = 0;
};

/// Four floats.
struct PortableQuad {
    static constexpr std::size_t kLanes = 4, kQuads = 1;
    typedef float Vector __attribute__((vector_size(16)));
    typedef std::int32_t Bits __attribute__((vector_size(16)));
    typedef float VectorInMemory __attribute__((vector_size(16), may_alias));

    WARPSEQ_SIMD Vector set(float x) { return Vector{x, x, x, x}; }
    WARPSEQ_SIMD Vector load(const float* p) { return *reinterpret_cast<const VectorInMemory*>(p); }
    WARPSEQ_SIMD void store(float* p, Vector v) { *reinterpret_cast<VectorInMemory*>(p) = v; }
    WARPSEQ_SIMD Vector load_quad(const float* p) { return load(p); }
    WARPSEQ_SIMD Vector load_quads(const float* const* p, std::size_t at) { return load(p[0] + at); }
    WARPSEQ_SIMD Vector load_each(const float* p) { return set(*p); }
    WARPSEQ_SIMD void store_firsts(float* p, Vector v) { *p = v[0]; }
    WARPSEQ_SIMD Vector add(Vector a, Vector b) { return a + b; }
    WARPSEQ_SIMD Vector multiply(Vector a, Vector b) { return a * b; }
    WARPSEQ_SIMD Vector divide(Vector a, Vector b) { return a / b; }
    WARPSEQ_SIMD Vector max(Vector a, Vector b) { return a > b ? a : b; }
    WARPSEQ_SIMD Vector greater(Vector a, Vector b) { return std::bit_cast<Vector>(a > b); }
    WARPSEQ_SIMD std::uint32_t not_less_mask(Vector a, Vector b) {
        std::uint32_t mask = 0;
        for (std::size_t i = 0; i < kLanes; ++i) mask |= static_cast<std::uint32_t>(a[i] >= b[i]) << i;
        return mask;
    }
    WARPSEQ_SIMD Vector bit_and(Vector a, Vector b) { return std::bit_cast<Vector>(bits_of(a) & bits_of(b)); }
    WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return std::bit_cast<Vector>(bits_of(a) | bits_of(b)); }
    WARPSEQ_SIMD Vector select(Vector bits, Vector yes, Vector no) { return bits_of(bits) ? yes : no; }
    WARPSEQ_SIMD Vector differing(Vector bits, Vector a, Vector b) {
        return std::bit_cast<Vector>(bits_of(bits) | (bits_of(a) ^ bits_of(b)));
    }
    WARPSEQ_SIMD bool any_bit(Vector v) {
        const Bits bits = bits_of(v);
        return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
    }
    WARPSEQ_SIMD Vector where_any_bit(Vector v) {
        const std::int32_t bits = any_bit(v) ? -1 : 0;
        return std::bit_cast<Vector>(Bits{bits, bits, bits, bits});
    }
    WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) { return __builtin_shufflevector(v, fill, 4, 0, 1, 2); }
    WARPSEQ_SIMD Vector shift_down(Vector v) { return __builtin_shufflevector(v, Vector{}, 1, 2, 3, 4); }
    WARPSEQ_SIMD Vector sum_across(Vector v) { return set((v[0] + v[1]) + (v[2] + v[3])); }
    WARPSEQ_SIMD Vector max_across(Vector v) {
        v = max(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));
        return max(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    }

   private:
    WARPSEQ_SIMD Bits bits_of(Vector v) { return std::bit_cast<Bits>(v); }
};

struct Portable {
    using U8 = PortableUnsignedBytes;
    using I8 = PortableLanes<std::int8_t>;
    using I16 = PortableLanes<std::int16_t>;
    using I32 = PortableLanes<std::int32_t>;
    using F32 = PortableQuad;
};

}  // namespace warpseq::simd
