// The vector operations of the kernels on SSE4.1. The comment of portable.h defines each operation.
#pragma once

#include "kernels/simd/target.h"

#if WARPSEQ_X86
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

WARPSEQ_TARGET_BEGIN("sse4.1")
namespace warpseq::simd {

struct Sse41 {
    struct Common {
        using Vector = __m128i;
        template <std::size_t bytes>
        WARPSEQ_SIMD Vector shift_up_bytes(Vector v, Vector fill) {
            if constexpr (bytes == 16) {
                return fill;
            } else {
                return _mm_or_si128(_mm_slli_si128(v, bytes),
                                    _mm_srli_si128(_mm_slli_si128(fill, 16 - bytes), 16 - bytes));
            }
        }
        /// Returns the greatest byte. phminposuw finds the least of eight unsigned words;
        /// complements make it the greatest.
        WARPSEQ_SIMD std::uint8_t greatest_unsigned_byte(Vector v) {
            const __m128i rest = _mm_xor_si128(v, _mm_set1_epi8(-1));
            const __m128i words = _mm_min_epu8(rest, _mm_srli_epi16(rest, 8));
            return static_cast<std::uint8_t>(~_mm_cvtsi128_si32(_mm_minpos_epu16(words)));
        }
        WARPSEQ_SIMD std::int16_t greatest_word(Vector v) {
            const __m128i rest = _mm_xor_si128(v, _mm_set1_epi16(INT16_MAX));
            return static_cast<std::int16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(rest)) ^ INT16_MAX);
        }
        WARPSEQ_SIMD Vector select(Vector bits, Vector yes, Vector no) { return _mm_blendv_epi8(no, yes, bits); }
        template <std::size_t bytes>
        WARPSEQ_SIMD Vector rotate_down_bytes(Vector v) {
            return _mm_alignr_epi8(v, v, bytes);
        }
    };

    struct U8 : Common {
        using Lane = std::uint8_t;
        static constexpr std::size_t kLanes = 16;
        static constexpr Lane kFloor = 0, kHighest = UINT8_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm_set1_epi8(static_cast<char>(x)); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm_load_si128(reinterpret_cast<const __m128i*>(p)); }
        WARPSEQ_SIMD Vector load_unaligned(const Lane* p) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm_store_si128(reinterpret_cast<__m128i*>(p), v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm_adds_epu8(a, b); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return _mm_subs_epu8(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm_max_epu8(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) {
            return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(a, b), b)) != 0xffff;
        }
        WARPSEQ_SIMD Lane greatest(Vector v) { return greatest_unsigned_byte(v); }
        WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return _mm_add_epi8(a, b); }
        WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return _mm_sub_epi8(a, b); }
        WARPSEQ_SIMD Lane first(Vector v) { return static_cast<Lane>(_mm_cvtsi128_si32(v)); }
        WARPSEQ_SIMD Vector rotate_down(Vector v) { return rotate_down_bytes<1>(v); }
        using Excess = Vector;
        WARPSEQ_SIMD Excess no_excess() { return _mm_setzero_si128(); }
        WARPSEQ_SIMD Excess with_excess(Excess excess, Vector v, Vector limit) {
            return _mm_or_si128(excess, subtract(v, limit));
        }
        WARPSEQ_SIMD bool any_excess(Excess excess) { return !_mm_testz_si128(excess, excess); }
        WARPSEQ_SIMD Vector interleave_low(Vector a, Vector b) { return _mm_unpacklo_epi8(a, b); }
        WARPSEQ_SIMD Vector interleave_high(Vector a, Vector b) { return _mm_unpackhi_epi8(a, b); }
        static constexpr std::size_t kTableEntries = 16;
        WARPSEQ_SIMD Vector load_table(const Lane* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
        WARPSEQ_SIMD Vector lookup(Vector table, Vector indices) { return _mm_shuffle_epi8(table, indices); }
    };

    struct I8 : Common {
        using Lane = std::int8_t;
        static constexpr std::size_t kLanes = 16;
        static constexpr Lane kFloor = INT8_MIN, kHighest = INT8_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm_set1_epi8(x); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm_load_si128(reinterpret_cast<const __m128i*>(p)); }
        WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm_store_si128(reinterpret_cast<__m128i*>(p), v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm_adds_epi8(a, b); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return _mm_subs_epi8(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm_max_epi8(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) { return greater_mask(a, b) != 0; }
        WARPSEQ_SIMD std::uint32_t greater_mask(Vector a, Vector b) {
            return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(a, b)));
        }
        WARPSEQ_SIMD Lane greatest(Vector v) {
            return static_cast<Lane>(greatest_unsigned_byte(_mm_xor_si128(v, _mm_set1_epi8(INT8_MIN))) ^ 0x80);
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return shift_up_bytes<n>(v, fill);
        }
        struct Table {
            __m128i low, high;
        };
        WARPSEQ_SIMD Table load_table(const std::int8_t* p) { return {load_widened(p), load_widened(p + 16)}; }
        WARPSEQ_SIMD Vector lookup(Table table, Vector indices) {
            // pshufb reads the low four bits; bit 4 of the index, moved to the sign, selects the
            // half.
            return _mm_blendv_epi8(_mm_shuffle_epi8(table.low, indices), _mm_shuffle_epi8(table.high, indices),
                                   _mm_slli_epi16(indices, 3));
        }
    };

    struct I16 : Common {
        using Lane = std::int16_t;
        static constexpr std::size_t kLanes = 8;
        static constexpr Lane kFloor = INT16_MIN, kHighest = INT16_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm_set1_epi16(x); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm_load_si128(reinterpret_cast<const __m128i*>(p)); }
        WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
            return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
        }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm_store_si128(reinterpret_cast<__m128i*>(p), v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm_adds_epi16(a, b); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return _mm_subs_epi16(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm_max_epi16(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) { return _mm_movemask_epi8(_mm_cmpgt_epi16(a, b)) != 0; }
        WARPSEQ_SIMD std::uint32_t greater_mask(Vector a, Vector b) {
            const __m128i bytes = _mm_packs_epi16(_mm_cmpgt_epi16(a, b), _mm_setzero_si128());
            return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
        }
        WARPSEQ_SIMD Lane greatest(Vector v) { return greatest_word(v); }
        WARPSEQ_SIMD Vector load_unaligned(const Lane* p) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        }
        WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return _mm_add_epi16(a, b); }
        WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return _mm_sub_epi16(a, b); }
        WARPSEQ_SIMD Lane first(Vector v) { return static_cast<Lane>(_mm_cvtsi128_si32(v)); }
        WARPSEQ_SIMD Vector rotate_down(Vector v) { return rotate_down_bytes<2>(v); }
        WARPSEQ_SIMD Vector bit_where_equal(Vector a, Vector b, Vector bit) {
            return _mm_and_si128(_mm_cmpeq_epi16(a, b), bit);
        }
        WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return _mm_or_si128(a, b); }
        WARPSEQ_SIMD void store_bytes(std::uint8_t* p, Vector v) {
            _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(v, v));
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return shift_up_bytes<2 * n>(v, fill);
        }
    };

    struct I32 : Common {
        using Lane = std::int32_t;
        static constexpr std::size_t kLanes = 4;
        static constexpr Lane kFloor = 0, kHighest = INT32_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm_set1_epi32(x); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm_load_si128(reinterpret_cast<const __m128i*>(p)); }
        WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) { return _mm_cvtepi8_epi32(_mm_loadu_si32(p)); }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm_store_si128(reinterpret_cast<__m128i*>(p), v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return max(_mm_add_epi32(a, b), _mm_setzero_si128()); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return max(_mm_sub_epi32(a, b), _mm_setzero_si128()); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm_max_epi32(a, b); }
        WARPSEQ_SIMD Vector load_unaligned(const Lane* p) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        }
        WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return _mm_add_epi32(a, b); }
        WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return _mm_sub_epi32(a, b); }
        WARPSEQ_SIMD Lane first(Vector v) { return _mm_cvtsi128_si32(v); }
        WARPSEQ_SIMD Vector rotate_down(Vector v) { return rotate_down_bytes<4>(v); }
        WARPSEQ_SIMD Vector bit_where_equal(Vector a, Vector b, Vector bit) {
            return _mm_and_si128(_mm_cmpeq_epi32(a, b), bit);
        }
        WARPSEQ_SIMD Vector where_greater(Vector a, Vector b, Vector yes, Vector no) {
            return _mm_blendv_epi8(no, yes, _mm_cmpgt_epi32(a, b));
        }
        WARPSEQ_SIMD Vector look_up(const Lane* table, const std::uint8_t* codes) {
            return _mm_set_epi32(table[codes[3]], table[codes[2]], table[codes[1]], table[codes[0]]);
        }
        WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return _mm_or_si128(a, b); }
        WARPSEQ_SIMD void store_bytes(std::uint8_t* p, Vector v) {
            const __m128i words = _mm_packus_epi32(v, v);
            _mm_storeu_si32(p, _mm_packus_epi16(words, words));
        }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) { return greater_mask(a, b) != 0; }
        WARPSEQ_SIMD std::uint32_t greater_mask(Vector a, Vector b) {
            return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(a, b))));
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return shift_up_bytes<4 * n>(v, fill);
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_in(Vector v, Vector below) {
            return _mm_alignr_epi8(v, below, 16 - 4 * n);
        }
        WARPSEQ_SIMD Vector last_in_all(Vector v) { return _mm_shuffle_epi32(v, 0xFF); }
    };

    struct F32 {
        using Vector = __m128;
        static constexpr std::size_t kLanes = 4, kQuads = 1;
        WARPSEQ_SIMD Vector set(float x) { return _mm_set1_ps(x); }
        WARPSEQ_SIMD Vector load(const float* p) { return _mm_load_ps(p); }
        WARPSEQ_SIMD void store(float* p, Vector v) { _mm_store_ps(p, v); }
        WARPSEQ_SIMD Vector load_quad(const float* p) { return _mm_load_ps(p); }
        WARPSEQ_SIMD Vector load_quads(const float* const* p, std::size_t at) { return _mm_load_ps(p[0] + at); }
        WARPSEQ_SIMD Vector load_each(const float* p) { return _mm_set1_ps(*p); }
        WARPSEQ_SIMD void store_firsts(float* p, Vector v) { _mm_store_ss(p, v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm_add_ps(a, b); }
        WARPSEQ_SIMD Vector multiply(Vector a, Vector b) { return _mm_mul_ps(a, b); }
        WARPSEQ_SIMD Vector divide(Vector a, Vector b) { return _mm_div_ps(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm_max_ps(a, b); }
        WARPSEQ_SIMD Vector greater(Vector a, Vector b) { return _mm_cmpgt_ps(a, b); }
        WARPSEQ_SIMD std::uint32_t not_less_mask(Vector a, Vector b) {
            return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmpge_ps(a, b)));
        }
        WARPSEQ_SIMD Vector bit_and(Vector a, Vector b) { return _mm_and_ps(a, b); }
        WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return _mm_or_ps(a, b); }
        WARPSEQ_SIMD Vector select(Vector bits, Vector yes, Vector no) { return _mm_blendv_ps(no, yes, bits); }
        WARPSEQ_SIMD Vector differing(Vector bits, Vector a, Vector b) { return _mm_or_ps(bits, _mm_xor_ps(a, b)); }
        WARPSEQ_SIMD bool any_bit(Vector v) {
            const __m128i bits = _mm_castps_si128(v);
            return !_mm_test_all_zeros(bits, bits);
        }
        WARPSEQ_SIMD Vector where_any_bit(Vector v) {
            v = _mm_or_ps(v, _mm_shuffle_ps(v, v, 0xB1));
            v = _mm_or_ps(v, _mm_shuffle_ps(v, v, 0x4E));
            const __m128i zero = _mm_cmpeq_epi32(_mm_castps_si128(v), _mm_setzero_si128());
            return _mm_castsi128_ps(_mm_xor_si128(zero, _mm_set1_epi32(-1)));
        }
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return _mm_blend_ps(_mm_shuffle_ps(v, v, 0x90), fill, 1);
        }
        WARPSEQ_SIMD Vector shift_down(Vector v) { return _mm_castsi128_ps(_mm_srli_si128(_mm_castps_si128(v), 4)); }
        WARPSEQ_SIMD Vector sum_across(Vector v) {
            v = _mm_add_ps(v, _mm_shuffle_ps(v, v, 0xB1));
            return _mm_add_ps(v, _mm_shuffle_ps(v, v, 0x4E));
        }
        WARPSEQ_SIMD Vector max_across(Vector v) {
            v = _mm_max_ps(v, _mm_shuffle_ps(v, v, 0xB1));
            return _mm_max_ps(v, _mm_shuffle_ps(v, v, 0x4E));
        }
    };
};

}  // namespace warpseq::simd
WARPSEQ_TARGET_END
#endif
