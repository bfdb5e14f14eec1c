// Unpacks tiles with vectors, which turn eight rows and eight lanes of words at a time into bytes.
// The rest is unpacked word by word.
#include "libcore/sequence/tile_unpack.h"

#include <algorithm>
#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace warpseq {

namespace {

/// Unpacks `words` words of a lane, which are full of letters. Stores six residues per word.
[[gnu::always_inline]] inline void unpack_words(const std::uint32_t* in, std::size_t stride, std::uint64_t words,
                                                ResidueCode* out) {
    for (std::uint64_t w = 0; w < words; ++w, in += stride, out += kResiduesPerWord) {
        const std::uint32_t word = *in;
        for (std::uint32_t r = 0; r < kResiduesPerWord; ++r) out[r] = residue_of_word(word, r);
    }
}

#if defined(__x86_64__)
constexpr std::uint64_t kBlockRows = 8;  // rows that are transposed at once: 48 residues of each lane

/// Turns eight words of a lane, lowest first, into 48 bytes. Each pair of residues gets 16 bits of
/// its own. The bytes that hold the pair are picked, a product moves its 10 bits to the top, and
/// two shifts bring its halves to their bytes.
[[gnu::target("avx2"), gnu::always_inline]] inline void expand_words_avx2(__m256i words, ResidueCode* out) {
    // Bytes of pairs 0 to 7 and 8 to 11 of the four words in each half.
    const __m256i first = _mm256_setr_epi8(0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7, 8, 9, 9, 10,  //
                                           0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7, 8, 9, 9, 10);
    const __m256i second = _mm256_setr_epi8(10, 11, 12, 13, 13, 14, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1,  //
                                            10, 11, 12, 13, 13, 14, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i first_factors = _mm256_setr_epi16(64, 16, 4, 64, 16, 4, 64, 16, 64, 16, 4, 64, 16, 4, 64, 16);
    const __m256i second_factors = _mm256_setr_epi16(4, 64, 16, 4, 0, 0, 0, 0, 4, 64, 16, 4, 0, 0, 0, 0);
    const __m256i low = _mm256_set1_epi16(0x001f), high = _mm256_set1_epi16(0x1f00);
    __m256i a = _mm256_mullo_epi16(_mm256_shuffle_epi8(words, first), first_factors);
    __m256i b = _mm256_mullo_epi16(_mm256_shuffle_epi8(words, second), second_factors);
    a = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(a, 6), low),
                        _mm256_and_si256(_mm256_srli_epi16(a, 3), high));
    b = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(b, 6), low),
                        _mm256_and_si256(_mm256_srli_epi16(b, 3), high));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(a));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 16), _mm256_castsi256_si128(b));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 24), _mm256_extracti128_si256(a, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 40), _mm256_extracti128_si256(b, 1));
}

/// Unpacks eight rows of eight lanes.
[[gnu::target("avx2")]] void unpack_block_avx2(const std::uint32_t* words, ResidueCode* const* lanes) {
    __m256i rows[kBlockRows], pairs[kBlockRows], fours[kBlockRows];
    for (std::size_t r = 0; r < kBlockRows; ++r)
        rows[r] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + r * kTileLanes));
    for (std::size_t r = 0; r < kBlockRows; r += 2) {
        pairs[r] = _mm256_unpacklo_epi32(rows[r], rows[r + 1]);
        pairs[r + 1] = _mm256_unpackhi_epi32(rows[r], rows[r + 1]);
    }
    for (std::size_t r = 0; r < kBlockRows; r += 4) {
        fours[r] = _mm256_unpacklo_epi64(pairs[r], pairs[r + 2]);
        fours[r + 1] = _mm256_unpackhi_epi64(pairs[r], pairs[r + 2]);
        fours[r + 2] = _mm256_unpacklo_epi64(pairs[r + 1], pairs[r + 3]);
        fours[r + 3] = _mm256_unpackhi_epi64(pairs[r + 1], pairs[r + 3]);
    }
    for (std::size_t lane = 0; lane < 4; ++lane) {
        expand_words_avx2(_mm256_permute2x128_si256(fours[lane], fours[lane + 4], 0x20), lanes[lane]);
        expand_words_avx2(_mm256_permute2x128_si256(fours[lane], fours[lane + 4], 0x31), lanes[lane + 4]);
    }
}

/// Unpacks rows of 32 lanes, at least one block. The last block may begin within the one before. It
/// then writes the residues of the common rows again.
[[gnu::target("avx2")]] void unpack_rows_avx2(const std::uint32_t* words, std::uint64_t rows,
                                              ResidueCode* const* lanes) {
    for (std::uint64_t next = 0; next < rows; next += kBlockRows) {
        const std::uint64_t row = std::min(next, rows - kBlockRows);
        std::array<ResidueCode*, kTileLanes> places;
        for (std::size_t lane = 0; lane < kTileLanes; ++lane) places[lane] = lanes[lane] + row * kResiduesPerWord;
        for (std::size_t lane = 0; lane < kTileLanes; lane += 8)
            unpack_block_avx2(words + row * kTileLanes + lane, places.data() + lane);
    }
}

/// Unpacks words of one lane that follow each other, at least one block.
[[gnu::target("avx2")]] void unpack_linear_avx2(const std::uint32_t* words, std::uint64_t count, ResidueCode* out) {
    for (std::uint64_t next = 0; next < count; next += kBlockRows) {
        const std::uint64_t w = std::min(next, count - kBlockRows);
        expand_words_avx2(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + w)), out + w * kResiduesPerWord);
    }
}
#endif

}  // namespace

void unpack_tile(const TileView& tile, ResidueCode* residues) {
    const std::size_t stride = tile.word_stride();
    std::array<ResidueCode*, kTileLanes> lanes{};
    ResidueCode* next = residues;
    for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
        lanes[lane] = next;
        next += tile.lengths_residues[lane];
    }
    std::uint64_t done = 0;  // words of each lane that are unpacked
#if defined(__x86_64__)
    if (tile.lanes() == stride && __builtin_cpu_supports("avx2")) {
        done = tile.lengths_residues.back() / kResiduesPerWord;
        if (done < kBlockRows) {
            done = 0;
        } else if (tile.layout == TileLayout::kLinear) {
            unpack_linear_avx2(tile.words.data(), done, residues);
        } else {
            unpack_rows_avx2(tile.words.data(), done, lanes.data());
        }
    }
#endif
    for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
        const std::uint64_t length = tile.lengths_residues[lane], whole = length / kResiduesPerWord;
        if (length == 0) continue;  // a tile without residues has no words to point at
        const std::uint32_t* const words = tile.words.data() + lane;
        ResidueCode* const out = lanes[lane];
        unpack_words(words + done * stride, stride, whole - done, out + done * kResiduesPerWord);
        for (std::uint64_t i = whole * kResiduesPerWord; i < length; ++i)
            out[i] = residue_of_word(words[whole * stride], static_cast<std::uint32_t>(i % kResiduesPerWord));
    }
}

}  // namespace warpseq
