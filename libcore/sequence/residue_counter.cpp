#include "libcore/sequence/residue_counter.h"

#include "libcore/sequence/tile.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace warpseq {

namespace {

#if defined(__x86_64__)
constexpr std::size_t kVectorWords = 16;
constexpr std::size_t kGroupVectors =
    kBitsPerResidue;  // as many bits of a word belong to one bit of its residues as there are residues
constexpr std::size_t kGroupWords = kVectorWords * kGroupVectors;

// Truth tables of three inputs a, b, c. Each has a result for every combination, with a as the
// highest bit.
constexpr int kAOrBAndC = 0xf8, kAAndBOrC = 0xea;
/// The truth table that is 1 only where a, b and c are the bits of kNumber, which is below 8.
template <int kNumber>
constexpr int kWhereBitsAre = 1 << kNumber;

/// Returns a word with bits 5 r + j set.
constexpr int bits_of_place(int j) { return 0b00001'00001'00001'00001'00001'00001 << j; }

/// Gathers bit kBit of the residues of a group, in the layout of residue_counter.h.
template <int kBit>
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512i gather_bit(const __m512i* words) {
    const __m512i unused = _mm512_set1_epi32(static_cast<int>(~kPaddingWord));
    __m512i bits = _mm512_ternarylogic_epi32(_mm512_rol_epi32(words[0], (32 + 0 - kBit) % 32),
                                             _mm512_set1_epi32(bits_of_place(0)), unused, kAAndBOrC);
    bits = _mm512_ternarylogic_epi32(bits, _mm512_rol_epi32(words[1], (32 + 1 - kBit) % 32),
                                     _mm512_set1_epi32(bits_of_place(1)), kAOrBAndC);
    bits = _mm512_ternarylogic_epi32(bits, _mm512_rol_epi32(words[2], (32 + 2 - kBit) % 32),
                                     _mm512_set1_epi32(bits_of_place(2)), kAOrBAndC);
    bits = _mm512_ternarylogic_epi32(bits, _mm512_rol_epi32(words[3], (32 + 3 - kBit) % 32),
                                     _mm512_set1_epi32(bits_of_place(3)), kAOrBAndC);
    return _mm512_ternarylogic_epi32(bits, _mm512_rol_epi32(words[4], (32 + 4 - kBit) % 32),
                                     _mm512_set1_epi32(bits_of_place(4)), kAOrBAndC);
}

/// Counts the letters 4 * kHigh to 4 * kHigh + 3, as far as they exist.
template <int kHigh>
[[gnu::target("avx512f,avx512vpopcntdq"), gnu::always_inline]] inline void count_letters(const __m512i* bits,
                                                                                         const __m512i* low,
                                                                                         __m512i* counts) {
    const __m512i high = _mm512_ternarylogic_epi32(bits[4], bits[3], bits[2], kWhereBitsAre<kHigh>);
    for (int code = 4 * kHigh; code < 4 * kHigh + 4 && code < kResidueCodes; ++code) {
        const __m512i found = _mm512_popcnt_epi64(_mm512_and_si512(high, low[code % 4]));
        counts[code] = _mm512_add_epi64(counts[code], found);
    }
}

[[gnu::target("avx512f,avx512vpopcntdq"), gnu::always_inline]] inline void count_group(const __m512i* words,
                                                                                       __m512i* counts) {
    const __m512i bits[kBitsPerResidue] = {gather_bit<0>(words), gather_bit<1>(words), gather_bit<2>(words),
                                           gather_bit<3>(words), gather_bit<4>(words)};
    const __m512i ones = _mm512_set1_epi32(-1);
    const __m512i neither = _mm512_andnot_si512(_mm512_or_si512(bits[0], bits[1]), ones);
    const __m512i low[4] = {neither, _mm512_andnot_si512(bits[1], bits[0]), _mm512_andnot_si512(bits[0], bits[1]),
                            _mm512_and_si512(bits[0], bits[1])};
    count_letters<0>(bits, low, counts);
    count_letters<1>(bits, low, counts);
    count_letters<2>(bits, low, counts);
    count_letters<3>(bits, low, counts);
    count_letters<4>(bits, low, counts);
    count_letters<5>(bits, low, counts);
    count_letters<6>(bits, low, counts);
}

[[gnu::target("avx512f,avx512vpopcntdq")]] void add_bits_avx512(const std::uint32_t* words, std::size_t count,
                                                                void* parts) {
    auto* const counts = static_cast<__m512i*>(parts);
    __m512i group[kGroupVectors];
    std::size_t done = 0;
    for (; done + kGroupWords <= count; done += kGroupWords) {
        for (std::size_t v = 0; v < kGroupVectors; ++v) group[v] = _mm512_loadu_si512(words + done + v * kVectorWords);
        count_group(group, counts);
    }
    if (done == count) return;
    for (std::size_t v = 0; v < kGroupVectors; ++v, done += kVectorWords) {
        const std::size_t left = done < count ? count - done : 0;
        const auto mask = static_cast<__mmask16>(left >= kVectorWords ? 0xffff : (1u << left) - 1);
        group[v] = _mm512_mask_loadu_epi32(_mm512_set1_epi32(static_cast<int>(kPaddingWord)), mask,
                                           words + (left == 0 ? 0 : done));
    }
    count_group(group, counts);
}
#endif

}  // namespace

void ResidueCounter::add(std::span<const std::uint32_t> words) {
    if (!add_bits(words)) add_pairs(words);
}

bool ResidueCounter::add_bits([[maybe_unused]] std::span<const std::uint32_t> words) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq")) {
        add_bits_avx512(words.data(), words.size(), letters_.data());
        return true;
    }
#endif
    return false;
}

void ResidueCounter::add_pairs(std::span<const std::uint32_t> words) {
    constexpr std::uint32_t kPair = kResidueTableSize * kResidueTableSize - 1;
    for (const std::uint32_t word : words) {
        ++pairs_[word & kPair];
        ++pairs_[word >> (2 * kBitsPerResidue) & kPair];
        ++pairs_[word >> (4 * kBitsPerResidue) & kPair];
    }
}

std::array<std::uint64_t, kResidueTableSize> ResidueCounter::counts() const {
    std::array<std::uint64_t, kResidueTableSize> counts{};
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
        counts[pair % kResidueTableSize] += pairs_[pair];
        counts[pair / kResidueTableSize] += pairs_[pair];
    }
    counts[kPaddingCode] = 0;
    for (std::size_t code = 0; code < letters_.size(); ++code) {
        for (const std::uint64_t part : letters_[code]) counts[code] += part;
    }
    return counts;
}

}  // namespace warpseq
