// The vector operations of the kernels on AVX2. The comment of portable.h defines each operation.
#pragma once

#include "kernels/simd/target.h"

#if WARPSEQ_X86
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

WARPSEQ_TARGET_BEGIN("avx2")
namespace warpseq::simd {

struct Avx2 {
    struct Common {
        using Vector = __m256i;
        template <std::size_t bytes>
        WARPSEQ_SIMD Vector shift_up_bytes(Vector v, Vector fill) {
            // The lower half shifts in bytes of fill, the upper half the lower half's highest
            // bytes.
            if constexpr (bytes < 16) {
                const __m256i fill_low_to_top = _mm256_permute2x128_si256(fill, fill, 0x00);
                const __m256i top = _mm256_alignr_epi8(fill_low_to_top, fill_low_to_top, bytes % 16);
                const __m256i below = _mm256_permute2x128_si256(top, v, 0x20);
                return _mm256_alignr_epi8(v, below, 16 - bytes);
            } else {
                return _mm256_permute2x128_si256(fill, v, 0x20);
            }
        }
        template <std::size_t bytes>
        WARPSEQ_SIMD Vector shift_in_bytes(Vector v, Vector below) {
            const __m256i middle = _mm256_permute2x128_si256(below, v, 0x21);
            if constexpr (bytes < 16) {
                return _mm256_alignr_epi8(v, middle, 16 - bytes);
            } else {
                return _mm256_alignr_epi8(middle, below, 32 - bytes);
            }
        }

        /// Returns the greatest byte. phminposuw finds the least of eight unsigned words;
        /// complements make it the greatest.
        WARPSEQ_SIMD std::uint8_t greatest_unsigned_byte(Vector v) {
            const __m128i half = _mm_max_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
            const __m128i rest = _mm_xor_si128(half, _mm_set1_epi8(-1));
            const __m128i words = _mm_min_epu8(rest, _mm_srli_epi16(rest, 8));
            return static_cast<std::uint8_t>(~_mm_cvtsi128_si32(_mm_minpos_epu16(words)));
        }
        WARPSEQ_SIMD std::int16_t greatest_word(Vector v) {
            const __m128i half = _mm_max_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
            const __m128i rest = _mm_xor_si128(half, _mm_set1_epi16(INT16_MAX));
            return static_cast<std::int16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(rest)) ^ INT16_MAX);
        }
        WARPSEQ_SIMD Vector select(Vector bits, Vector yes, Vector no) { return _mm256_blendv_epi8(no, yes, bits); }
        template <std::size_t bytes>
        WARPSEQ_SIMD Vector rotate_down_bytes(Vector v) {
            return _mm256_alignr_epi8(_mm256_permute2x128_si256(v, v, 0x01), v, bytes);
        }
    };

    struct U8 : Common {
        using Lane = std::uint8_t;
        static constexpr std::size_t kLanes = 32;
        static constexpr Lane kFloor = 0, kHighest = UINT8_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm256_set1_epi8(static_cast<char>(x)); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
        WARPSEQ_SIMD Vector load_unaligned(const Lane* p) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm256_store_si256(reinterpret_cast<__m256i*>(p), v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm256_adds_epu8(a, b); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return _mm256_subs_epu8(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm256_max_epu8(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) {
            return _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a, b), b)) != -1;
        }
        WARPSEQ_SIMD Lane greatest(Vector v) { return greatest_unsigned_byte(v); }
        WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return _mm256_add_epi8(a, b); }
        WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return _mm256_sub_epi8(a, b); }
        WARPSEQ_SIMD Lane first(Vector v) { return static_cast<Lane>(_mm_cvtsi128_si32(_mm256_castsi256_si128(v))); }
        WARPSEQ_SIMD Vector rotate_down(Vector v) { return rotate_down_bytes<1>(v); }
        using Excess = Vector;
        WARPSEQ_SIMD Excess no_excess() { return _mm256_setzero_si256(); }
        WARPSEQ_SIMD Excess with_excess(Excess excess, Vector v, Vector limit) {
            return _mm256_or_si256(excess, subtract(v, limit));
        }
        WARPSEQ_SIMD bool any_excess(Excess excess) { return !_mm256_testz_si256(excess, excess); }
        WARPSEQ_SIMD Vector interleave_low(Vector a, Vector b) { return _mm256_unpacklo_epi8(a, b); }
        WARPSEQ_SIMD Vector interleave_high(Vector a, Vector b) { return _mm256_unpackhi_epi8(a, b); }
        static constexpr std::size_t kTableEntries = 16;
        WARPSEQ_SIMD Vector load_table(const Lane* p) {
            return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        }
        WARPSEQ_SIMD Vector lookup(Vector table, Vector indices) { return _mm256_shuffle_epi8(table, indices); }
    };

    struct I8 : Common {
        using Lane = std::int8_t;
        static constexpr std::size_t kLanes = 32;
        static constexpr Lane kFloor = INT8_MIN, kHighest = INT8_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm256_set1_epi8(x); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
        WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm256_store_si256(reinterpret_cast<__m256i*>(p), v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm256_adds_epi8(a, b); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return _mm256_subs_epi8(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm256_max_epi8(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) { return greater_mask(a, b) != 0; }
        WARPSEQ_SIMD std::uint32_t greater_mask(Vector a, Vector b) {
            return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpgt_epi8(a, b)));
        }
        WARPSEQ_SIMD Lane greatest(Vector v) {
            return static_cast<Lane>(greatest_unsigned_byte(_mm256_xor_si256(v, _mm256_set1_epi8(INT8_MIN))) ^ 0x80);
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return shift_up_bytes<n>(v, fill);
        }
        struct Table {
            __m256i low, high;
        };
        WARPSEQ_SIMD Table load_table(const std::int8_t* p) {
            return {_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))),
                    _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16)))};
        }
        WARPSEQ_SIMD Vector lookup(Table table, Vector indices) {
            // pshufb reads the low four bits; bit 4 of the index, moved to the sign, selects the
            // half.
            return _mm256_blendv_epi8(_mm256_shuffle_epi8(table.low, indices), _mm256_shuffle_epi8(table.high, indices),
                                      _mm256_slli_epi16(indices, 3));
        }
    };

    struct I16 : Common {
        using Lane = std::int16_t;
        static constexpr std::size_t kLanes = 16;
        static constexpr Lane kFloor = INT16_MIN, kHighest = INT16_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm256_set1_epi16(x); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
        WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
            return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm256_store_si256(reinterpret_cast<__m256i*>(p), v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm256_adds_epi16(a, b); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return _mm256_subs_epi16(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm256_max_epi16(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) {
            return _mm256_movemask_epi8(_mm256_cmpgt_epi16(a, b)) != 0;
        }
        WARPSEQ_SIMD std::uint32_t greater_mask(Vector a, Vector b) {
            // Packing works within halves: the lower eight lanes arrive in bits 0..7, the upper
            // ones in bits 16..23.
            const __m256i bytes = _mm256_packs_epi16(_mm256_cmpgt_epi16(a, b), _mm256_setzero_si256());
            const auto mask = static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
            return (mask & 0xff) | (mask >> 8 & 0xff00);
        }
        WARPSEQ_SIMD Vector broadcast_pair(const std::int32_t* p) { return _mm256_set1_epi32(*p); }
        // pshufb looks up bytes among sixteen, and gives 0 where an index byte has its highest bit
        // set. So four look-ups are put together, for the low and the high bytes of entries 0..15
        // and 16..31.
        struct Indices {
            __m256i low_bytes[2], high_bytes[2];
        };
        static void fill_table(const Lane* entries, Lane* table) {
            auto* const bytes = reinterpret_cast<std::uint8_t*>(table);
            for (std::size_t i = 0; i < 32; ++i) {
                bytes[i] = static_cast<std::uint8_t>(entries[i] & 0xff);
                bytes[32 + i] = static_cast<std::uint8_t>(entries[i] >> 8 & 0xff);
            }
        }
        WARPSEQ_SIMD Indices indices(Vector codes) {
            const __m256i upper = _mm256_and_si256(_mm256_slli_epi16(codes, 3), _mm256_set1_epi16(0x80));
            const __m256i index = _mm256_or_si256(codes, upper);
            const __m256i low = _mm256_or_si256(index, _mm256_set1_epi16(INT16_MIN));
            const __m256i high = _mm256_or_si256(_mm256_slli_epi16(index, 8), _mm256_set1_epi16(0x80));
            return {{low, _mm256_xor_si256(low, _mm256_set1_epi16(0x80))},
                    {high, _mm256_xor_si256(high, _mm256_set1_epi16(INT16_MIN))}};
        }
        WARPSEQ_SIMD Vector lookup(const Lane* table, const Indices& indices) {
            const auto* const part = reinterpret_cast<const __m128i*>(table);
            const __m256i low = _mm256_or_si256(
                _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(part)), indices.low_bytes[0]),
                _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(part + 1)), indices.low_bytes[1]));
            const __m256i high = _mm256_or_si256(
                _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(part + 2)), indices.high_bytes[0]),
                _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(part + 3)), indices.high_bytes[1]));
            return _mm256_or_si256(low, high);
        }
        WARPSEQ_SIMD Lane greatest(Vector v) { return greatest_word(v); }
        WARPSEQ_SIMD Vector load_unaligned(const Lane* p) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        }
        WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return _mm256_add_epi16(a, b); }
        WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return _mm256_sub_epi16(a, b); }
        WARPSEQ_SIMD Lane first(Vector v) { return static_cast<Lane>(_mm_cvtsi128_si32(_mm256_castsi256_si128(v))); }
        WARPSEQ_SIMD Vector rotate_down(Vector v) { return rotate_down_bytes<2>(v); }
        WARPSEQ_SIMD Vector bit_where_equal(Vector a, Vector b, Vector bit) {
            return _mm256_and_si256(_mm256_cmpeq_epi16(a, b), bit);
        }
        WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return _mm256_or_si256(a, b); }
        WARPSEQ_SIMD void store_bytes(std::uint8_t* p, Vector v) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                             _mm_packus_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)));
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return shift_up_bytes<2 * n>(v, fill);
        }
        WARPSEQ_SIMD Vector where_greater(Vector a, Vector b, Vector yes, Vector no) {
            return _mm256_blendv_epi8(no, yes, _mm256_cmpgt_epi16(a, b));
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_in(Vector v, Vector below) {
            return shift_in_bytes<2 * n>(v, below);
        }
        WARPSEQ_SIMD Vector last_in_all(Vector v) {
            return _mm256_shuffle_epi8(_mm256_permute4x64_epi64(v, 0xFF), _mm256_set1_epi16(0x0706));
        }
    };

    struct I32 : Common {
        using Lane = std::int32_t;
        static constexpr std::size_t kLanes = 8;
        static constexpr Lane kFloor = 0, kHighest = INT32_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm256_set1_epi32(x); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
        WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
            return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
        }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm256_store_si256(reinterpret_cast<__m256i*>(p), v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return max(_mm256_add_epi32(a, b), _mm256_setzero_si256()); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return max(_mm256_sub_epi32(a, b), _mm256_setzero_si256()); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm256_max_epi32(a, b); }
        WARPSEQ_SIMD Vector load_unaligned(const Lane* p) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        }
        WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
        WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
        WARPSEQ_SIMD Lane first(Vector v) { return _mm_cvtsi128_si32(_mm256_castsi256_si128(v)); }
        WARPSEQ_SIMD Vector rotate_down(Vector v) { return rotate_down_bytes<4>(v); }
        WARPSEQ_SIMD Vector bit_where_equal(Vector a, Vector b, Vector bit) {
            return _mm256_and_si256(_mm256_cmpeq_epi32(a, b), bit);
        }
        WARPSEQ_SIMD Vector where_greater(Vector a, Vector b, Vector yes, Vector no) {
            return _mm256_blendv_epi8(no, yes, _mm256_cmpgt_epi32(a, b));
        }
        WARPSEQ_SIMD __m256 among_eight(const Lane* entries, Vector indices) {
            return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(load_unaligned(entries), indices));
        }
        WARPSEQ_SIMD Vector look_up(const Lane* table, const std::uint8_t* codes) {
            // Each permutation looks up among eight entries by the low three bits of a code. The
            // next two bits, moved to the sign, select among the four results.
            const __m256i indices = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes)));
            const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(indices, 28));
            const __m256 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(indices, 27));
            const __m256 low = _mm256_blendv_ps(among_eight(table, indices), among_eight(table + 8, indices), bit3);
            const __m256 high =
                _mm256_blendv_ps(among_eight(table + 16, indices), among_eight(table + 24, indices), bit3);
            return _mm256_castps_si256(_mm256_blendv_ps(low, high, bit4));
        }
        WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return _mm256_or_si256(a, b); }
        WARPSEQ_SIMD void store_bytes(std::uint8_t* p, Vector v) {
            const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
            _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
        }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) { return greater_mask(a, b) != 0; }
        WARPSEQ_SIMD std::uint32_t greater_mask(Vector a, Vector b) {
            return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b))));
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return shift_up_bytes<4 * n>(v, fill);
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_in(Vector v, Vector below) {
            return shift_in_bytes<4 * n>(v, below);
        }
        WARPSEQ_SIMD Vector last_in_all(Vector v) { return _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7)); }
    };

    struct F32 {
        using Vector = __m256;
        static constexpr std::size_t kLanes = 8, kQuads = 2;
        WARPSEQ_SIMD Vector set(float x) { return _mm256_set1_ps(x); }
        WARPSEQ_SIMD Vector load(const float* p) { return _mm256_load_ps(p); }
        WARPSEQ_SIMD void store(float* p, Vector v) { _mm256_store_ps(p, v); }
        WARPSEQ_SIMD Vector load_quad(const float* p) {
            return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(p));
        }
        WARPSEQ_SIMD Vector load_quads(const float* const* p, std::size_t at) {
            return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(p[0] + at)), _mm_load_ps(p[1] + at), 1);
        }
        WARPSEQ_SIMD Vector load_each(const float* p) {
            return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_set1_ps(p[0])), _mm_set1_ps(p[1]), 1);
        }
        WARPSEQ_SIMD void store_firsts(float* p, Vector v) {
            _mm_store_ss(p, _mm256_castps256_ps128(v));
            _mm_store_ss(p + 1, _mm256_extractf128_ps(v, 1));
        }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
        WARPSEQ_SIMD Vector multiply(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
        WARPSEQ_SIMD Vector divide(Vector a, Vector b) { return _mm256_div_ps(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm256_max_ps(a, b); }
        WARPSEQ_SIMD Vector greater(Vector a, Vector b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
        WARPSEQ_SIMD std::uint32_t not_less_mask(Vector a, Vector b) {
            return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ)));
        }
        WARPSEQ_SIMD Vector bit_and(Vector a, Vector b) { return _mm256_and_ps(a, b); }
        WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return _mm256_or_ps(a, b); }
        WARPSEQ_SIMD Vector select(Vector bits, Vector yes, Vector no) { return _mm256_blendv_ps(no, yes, bits); }
        WARPSEQ_SIMD Vector differing(Vector bits, Vector a, Vector b) {
            return _mm256_or_ps(bits, _mm256_xor_ps(a, b));
        }
        WARPSEQ_SIMD bool any_bit(Vector v) {
            const __m256i bits = _mm256_castps_si256(v);
            return !_mm256_testz_si256(bits, bits);
        }
        WARPSEQ_SIMD Vector where_any_bit(Vector v) {
            v = _mm256_or_ps(v, _mm256_permute_ps(v, 0xB1));
            v = _mm256_or_ps(v, _mm256_permute_ps(v, 0x4E));
            const __m256i zero = _mm256_cmpeq_epi32(_mm256_castps_si256(v), _mm256_setzero_si256());
            return _mm256_castsi256_ps(_mm256_xor_si256(zero, _mm256_set1_epi32(-1)));
        }
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return _mm256_blend_ps(_mm256_permute_ps(v, 0x90), fill, 0x11);
        }
        WARPSEQ_SIMD Vector shift_down(Vector v) {
            return _mm256_castsi256_ps(_mm256_srli_si256(_mm256_castps_si256(v), 4));
        }
        WARPSEQ_SIMD Vector sum_across(Vector v) {
            v = _mm256_add_ps(v, _mm256_permute_ps(v, 0xB1));
            return _mm256_add_ps(v, _mm256_permute_ps(v, 0x4E));
        }
        WARPSEQ_SIMD Vector max_across(Vector v) {
            v = _mm256_max_ps(v, _mm256_permute_ps(v, 0xB1));
            return _mm256_max_ps(v, _mm256_permute_ps(v, 0x4E));
        }
    };
};

}  // namespace warpseq::simd
WARPSEQ_TARGET_END
#endif
