// The vector operations of the kernels on AVX-512 with BW, VL and VBMI. The comment of portable.h
// defines each operation.
#pragma once

#include "kernels/simd/target.h"

#if WARPSEQ_X86
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

WARPSEQ_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi")
namespace warpseq::simd {

struct Avx512 {
    struct Common {
        using Vector = __m512i;
        template <std::size_t bytes>
        WARPSEQ_SIMD Vector shift_up_bytes(Vector v, Vector fill) {
            // Byte i of the result is byte i - bytes of v, or byte i of fill (bit 6 of an index
            // selects the source).
            alignas(64) static constexpr ByteIndices<bytes> kIndices;
            return _mm512_permutex2var_epi8(v, _mm512_load_si512(kIndices.index), fill);
        }

        /// Returns the greatest byte. phminposuw finds the least of eight unsigned words;
        /// complements make it the greatest.
        WARPSEQ_SIMD std::uint8_t greatest_unsigned_byte(Vector v) {
            const __m256i half = _mm256_max_epu8(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
            const __m128i quarter = _mm_max_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
            const __m128i rest = _mm_xor_si128(quarter, _mm_set1_epi8(-1));
            const __m128i words = _mm_min_epu8(rest, _mm_srli_epi16(rest, 8));
            return static_cast<std::uint8_t>(~_mm_cvtsi128_si32(_mm_minpos_epu16(words)));
        }
        WARPSEQ_SIMD std::int16_t greatest_word(Vector v) {
            const __m256i half = _mm256_max_epi16(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
            const __m128i quarter = _mm_max_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
            const __m128i rest = _mm_xor_si128(quarter, _mm_set1_epi16(INT16_MAX));
            return static_cast<std::int16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(rest)) ^ INT16_MAX);
        }

        WARPSEQ_SIMD Vector select(Vector bits, Vector yes, Vector no) {
            constexpr int kSecondOrThird = 0xCA;
            return _mm512_ternarylogic_epi32(bits, yes, no, kSecondOrThird);
        }

       protected:
        template <std::size_t bytes>
        struct ByteIndices {
            alignas(64) std::uint8_t index[64];
            constexpr ByteIndices() : index() {
                for (std::size_t i = 0; i < 64; ++i)
                    index[i] = static_cast<std::uint8_t>(i < bytes ? 64 + i : i - bytes);
            }
        };
        template <std::size_t bytes>
        struct RotatedIndices {
            alignas(64) std::uint8_t index[64];
            constexpr RotatedIndices() : index() {
                for (std::size_t i = 0; i < 64; ++i) index[i] = static_cast<std::uint8_t>((i + bytes) % 64);
            }
        };
    };

    struct U8 : Common {
        using Lane = std::uint8_t;
        static constexpr std::size_t kLanes = 64;
        static constexpr Lane kFloor = 0, kHighest = UINT8_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm512_set1_epi8(static_cast<char>(x)); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm512_load_si512(p); }
        WARPSEQ_SIMD Vector load_unaligned(const Lane* p) { return _mm512_loadu_si512(p); }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm512_store_si512(p, v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm512_adds_epu8(a, b); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return _mm512_subs_epu8(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm512_max_epu8(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) { return _mm512_cmpgt_epu8_mask(a, b) != 0; }
        WARPSEQ_SIMD Lane greatest(Vector v) { return greatest_unsigned_byte(v); }
        WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return _mm512_add_epi8(a, b); }
        WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return _mm512_sub_epi8(a, b); }
        WARPSEQ_SIMD Lane first(Vector v) { return static_cast<Lane>(_mm_cvtsi128_si32(_mm512_castsi512_si128(v))); }
        WARPSEQ_SIMD Vector rotate_down(Vector v) {
            alignas(64) static constexpr RotatedIndices<1> kIndices;
            return _mm512_permutexvar_epi8(_mm512_load_si512(kIndices.index), v);
        }
        using Excess = __mmask64;
        WARPSEQ_SIMD Excess no_excess() { return ~Excess{0}; }
        WARPSEQ_SIMD Excess with_excess(Excess excess, Vector v, Vector limit) {
            return _mm512_mask_cmple_epu8_mask(excess, v, limit);
        }
        WARPSEQ_SIMD bool any_excess(Excess excess) { return excess != ~Excess{0}; }
        WARPSEQ_SIMD Vector interleave_low(Vector a, Vector b) { return _mm512_unpacklo_epi8(a, b); }
        WARPSEQ_SIMD Vector interleave_high(Vector a, Vector b) { return _mm512_unpackhi_epi8(a, b); }
        static constexpr std::size_t kTableEntries = 64;
        WARPSEQ_SIMD Vector load_table(const Lane* p) { return _mm512_loadu_si512(p); }
        WARPSEQ_SIMD Vector lookup(Vector table, Vector indices) { return _mm512_permutexvar_epi8(indices, table); }
    };

    struct I8 : Common {
        using Lane = std::int8_t;
        static constexpr std::size_t kLanes = 64;
        static constexpr Lane kFloor = INT8_MIN, kHighest = INT8_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm512_set1_epi8(x); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm512_load_si512(p); }
        WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) { return _mm512_loadu_si512(p); }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm512_store_si512(p, v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm512_adds_epi8(a, b); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return _mm512_subs_epi8(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm512_max_epi8(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) { return greater_mask(a, b) != 0; }
        WARPSEQ_SIMD std::uint64_t greater_mask(Vector a, Vector b) { return _mm512_cmpgt_epi8_mask(a, b); }
        WARPSEQ_SIMD Lane greatest(Vector v) {
            return static_cast<Lane>(greatest_unsigned_byte(_mm512_xor_si512(v, _mm512_set1_epi8(INT8_MIN))) ^ 0x80);
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return shift_up_bytes<n>(v, fill);
        }
        struct Table {
            __m512i entries;
        };
        WARPSEQ_SIMD Table load_table(const std::int8_t* p) {
            return {_mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
        }
        WARPSEQ_SIMD Vector lookup(Table table, Vector indices) {
            return _mm512_permutexvar_epi8(indices, table.entries);
        }
    };

    struct I16 : Common {
        using Lane = std::int16_t;
        static constexpr std::size_t kLanes = 32;
        static constexpr Lane kFloor = INT16_MIN, kHighest = INT16_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm512_set1_epi16(x); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm512_load_si512(p); }
        WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
            return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
        }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm512_store_si512(p, v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm512_adds_epi16(a, b); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return _mm512_subs_epi16(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm512_max_epi16(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) { return greater_mask(a, b) != 0; }
        WARPSEQ_SIMD std::uint32_t greater_mask(Vector a, Vector b) { return _mm512_cmpgt_epi16_mask(a, b); }
        WARPSEQ_SIMD Vector broadcast_pair(const std::int32_t* p) { return _mm512_set1_epi32(*p); }
        using Indices = Vector;
        static void fill_table(const Lane* entries, Lane* table) {
            for (std::size_t i = 0; i < 32; ++i) table[i] = entries[i];
        }
        WARPSEQ_SIMD Indices indices(Vector codes) { return codes; }
        WARPSEQ_SIMD Vector lookup(const Lane* table, Indices indices) {
            return _mm512_permutexvar_epi16(indices, _mm512_load_si512(table));
        }
        WARPSEQ_SIMD Lane greatest(Vector v) { return greatest_word(v); }
        WARPSEQ_SIMD Vector load_unaligned(const Lane* p) { return _mm512_loadu_si512(p); }
        WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return _mm512_add_epi16(a, b); }
        WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return _mm512_sub_epi16(a, b); }
        WARPSEQ_SIMD Lane first(Vector v) { return static_cast<Lane>(_mm_cvtsi128_si32(_mm512_castsi512_si128(v))); }
        WARPSEQ_SIMD Vector rotate_down(Vector v) {
            alignas(64) static constexpr RotatedIndices<2> kIndices;
            return _mm512_permutexvar_epi8(_mm512_load_si512(kIndices.index), v);
        }
        WARPSEQ_SIMD Vector bit_where_equal(Vector a, Vector b, Vector bit) {
            return _mm512_maskz_mov_epi16(_mm512_cmpeq_epi16_mask(a, b), bit);
        }
        WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return _mm512_or_si512(a, b); }
        WARPSEQ_SIMD void store_bytes(std::uint8_t* p, Vector v) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi16_epi8(v));
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return shift_up_bytes<2 * n>(v, fill);
        }
        WARPSEQ_SIMD Vector where_greater(Vector a, Vector b, Vector yes, Vector no) {
            return _mm512_mask_mov_epi16(no, _mm512_cmpgt_epi16_mask(a, b), yes);
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_in(Vector v, Vector below) {
            if constexpr (n % 2 == 0) {
                return _mm512_alignr_epi32(v, below, 16 - n / 2);
            } else {
                static_assert(n < 8);
                // Byte shifts work within quarters, so each needs the quarter below it.
                return _mm512_alignr_epi8(v, _mm512_alignr_epi64(v, below, 6), 16 - 2 * n);
            }
        }
        WARPSEQ_SIMD Vector last_in_all(Vector v) { return _mm512_permutexvar_epi16(_mm512_set1_epi16(31), v); }
    };

    struct I32 : Common {
        using Lane = std::int32_t;
        static constexpr std::size_t kLanes = 16;
        static constexpr Lane kFloor = 0, kHighest = INT32_MAX;
        WARPSEQ_SIMD Vector set(Lane x) { return _mm512_set1_epi32(x); }
        WARPSEQ_SIMD Vector load(const Lane* p) { return _mm512_load_si512(p); }
        WARPSEQ_SIMD Vector load_widened(const std::int8_t* p) {
            return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        }
        WARPSEQ_SIMD void store(Lane* p, Vector v) { _mm512_store_si512(p, v); }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return max(_mm512_add_epi32(a, b), _mm512_setzero_si512()); }
        WARPSEQ_SIMD Vector subtract(Vector a, Vector b) { return max(_mm512_sub_epi32(a, b), _mm512_setzero_si512()); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm512_max_epi32(a, b); }
        WARPSEQ_SIMD bool any_greater(Vector a, Vector b) { return greater_mask(a, b) != 0; }
        WARPSEQ_SIMD std::uint32_t greater_mask(Vector a, Vector b) { return _mm512_cmpgt_epi32_mask(a, b); }
        WARPSEQ_SIMD Vector load_unaligned(const Lane* p) { return _mm512_loadu_si512(p); }
        WARPSEQ_SIMD Vector wrapping_add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
        WARPSEQ_SIMD Vector wrapping_subtract(Vector a, Vector b) { return _mm512_sub_epi32(a, b); }
        WARPSEQ_SIMD Lane first(Vector v) { return _mm_cvtsi128_si32(_mm512_castsi512_si128(v)); }
        WARPSEQ_SIMD Vector rotate_down(Vector v) { return _mm512_alignr_epi32(v, v, 1); }
        WARPSEQ_SIMD Vector bit_where_equal(Vector a, Vector b, Vector bit) {
            return _mm512_maskz_mov_epi32(_mm512_cmpeq_epi32_mask(a, b), bit);
        }
        WARPSEQ_SIMD Vector where_greater(Vector a, Vector b, Vector yes, Vector no) {
            return _mm512_mask_mov_epi32(no, _mm512_cmpgt_epi32_mask(a, b), yes);
        }
        WARPSEQ_SIMD Vector look_up(const Lane* table, const std::uint8_t* codes) {
            const __m512i indices = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
            return _mm512_permutex2var_epi32(_mm512_loadu_si512(table), indices, _mm512_loadu_si512(table + 16));
        }
        WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) { return _mm512_or_si512(a, b); }
        WARPSEQ_SIMD void store_bytes(std::uint8_t* p, Vector v) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(v));
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return shift_up_bytes<4 * n>(v, fill);
        }
        template <std::size_t n>
        WARPSEQ_SIMD Vector shift_in(Vector v, Vector below) {
            return _mm512_alignr_epi32(v, below, 16 - n);
        }
        WARPSEQ_SIMD Vector last_in_all(Vector v) { return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v); }
    };

    struct F32 {
        using Vector = __m512;
        static constexpr std::size_t kLanes = 16, kQuads = 4;
        WARPSEQ_SIMD Vector set(float x) { return _mm512_set1_ps(x); }
        WARPSEQ_SIMD Vector load(const float* p) { return _mm512_load_ps(p); }
        WARPSEQ_SIMD void store(float* p, Vector v) { _mm512_store_ps(p, v); }
        WARPSEQ_SIMD Vector load_quad(const float* p) { return _mm512_broadcast_f32x4(_mm_load_ps(p)); }
        WARPSEQ_SIMD Vector load_quads(const float* const* p, std::size_t at) {
            // The floats are loaded two by two. Inserting 256-bit halves from memory does not use
            // the port that shuffles need.
            const __m256 low =
                _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(p[0] + at)), _mm_load_ps(p[1] + at), 1);
            const __m512 three = _mm512_insertf32x4(_mm512_castps256_ps512(low), _mm_load_ps(p[2] + at), 2);
            return _mm512_insertf32x4(three, _mm_load_ps(p[3] + at), 3);
        }
        WARPSEQ_SIMD Vector load_each(const float* p) {
            const __m512i quad = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
            return _mm512_permutexvar_ps(quad, _mm512_castps128_ps512(_mm_loadu_ps(p)));
        }
        WARPSEQ_SIMD void store_firsts(float* p, Vector v) {
            const __m512i first = _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            _mm_storeu_ps(p, _mm512_castps512_ps128(_mm512_permutexvar_ps(first, v)));
        }
        WARPSEQ_SIMD Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
        WARPSEQ_SIMD Vector multiply(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
        WARPSEQ_SIMD Vector divide(Vector a, Vector b) { return _mm512_div_ps(a, b); }
        WARPSEQ_SIMD Vector max(Vector a, Vector b) { return _mm512_max_ps(a, b); }
        WARPSEQ_SIMD Vector greater(Vector a, Vector b) { return ones_where(_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)); }
        WARPSEQ_SIMD std::uint32_t not_less_mask(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
        WARPSEQ_SIMD Vector bit_and(Vector a, Vector b) {
            return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(a), _mm512_castps_si512(b)));
        }
        WARPSEQ_SIMD Vector bit_or(Vector a, Vector b) {
            return _mm512_castsi512_ps(_mm512_or_si512(_mm512_castps_si512(a), _mm512_castps_si512(b)));
        }
        WARPSEQ_SIMD Vector select(Vector bits, Vector yes, Vector no) {
            return _mm512_mask_mov_ps(no, _mm512_test_epi32_mask(_mm512_castps_si512(bits), _mm512_castps_si512(bits)),
                                      yes);
        }
        WARPSEQ_SIMD Vector differing(Vector bits, Vector a, Vector b) {
            constexpr int kFirstOrOthersDiffer = 0xF6;
            return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(bits), _mm512_castps_si512(a),
                                                                 _mm512_castps_si512(b), kFirstOrOthersDiffer));
        }
        WARPSEQ_SIMD bool any_bit(Vector v) {
            return _mm512_test_epi32_mask(_mm512_castps_si512(v), _mm512_castps_si512(v)) != 0;
        }
        WARPSEQ_SIMD Vector where_any_bit(Vector v) {
            v = bit_or(v, _mm512_permute_ps(v, 0xB1));
            v = bit_or(v, _mm512_permute_ps(v, 0x4E));
            return ones_where(_mm512_test_epi32_mask(_mm512_castps_si512(v), _mm512_castps_si512(v)));
        }
        WARPSEQ_SIMD Vector shift_up(Vector v, Vector fill) {
            return _mm512_mask_mov_ps(_mm512_permute_ps(v, 0x90), 0x1111, fill);
        }
        WARPSEQ_SIMD Vector shift_down(Vector v) {
            return _mm512_castsi512_ps(_mm512_bsrli_epi128(_mm512_castps_si512(v), 4));
        }
        WARPSEQ_SIMD Vector sum_across(Vector v) {
            v = _mm512_add_ps(v, _mm512_permute_ps(v, 0xB1));
            return _mm512_add_ps(v, _mm512_permute_ps(v, 0x4E));
        }
        WARPSEQ_SIMD Vector max_across(Vector v) {
            v = _mm512_max_ps(v, _mm512_permute_ps(v, 0xB1));
            return _mm512_max_ps(v, _mm512_permute_ps(v, 0x4E));
        }

       private:
        WARPSEQ_SIMD Vector ones_where(__mmask16 lanes) {
            return _mm512_castsi512_ps(_mm512_maskz_set1_epi32(lanes, -1));
        }
    };
};

}  // namespace warpseq::simd
WARPSEQ_TARGET_END
#endif
