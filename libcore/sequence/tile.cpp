#include "libcore/sequence/tile.h"

#include <algorithm>

namespace warpseq {

namespace {

/// The lowest bit of each residue of a word.
constexpr std::uint32_t kLowestBits = 0b00001'00001'00001'00001'00001'00001;

/// Sets the lowest bit of each residue of a word whose code is no letter: 27 to 31, which is 11011
/// and above. Other bits are undefined.
constexpr std::uint32_t codes_of_no_letter(std::uint32_t word) {
    const std::uint32_t pairs = word & word >> 1;
    return pairs >> 3 & (word >> 2 | pairs);
}
static_assert(kResidueCodes == 0b11011);

[[gnu::always_inline]] inline bool are_letters_alone(std::span<const std::uint32_t> words) {
    std::uint32_t codes = 0, bits = 0;
    for (const std::uint32_t word : words) {
        codes |= codes_of_no_letter(word);
        bits |= word;
    }
    return (codes & kLowestBits) == 0 && (bits & ~kPaddingWord) == 0;
}

// Every word of a database passes here each time it is read, so wider registers are worth using.
#if defined(__x86_64__)
[[gnu::target("avx2")]] bool are_letters_alone_avx2(std::span<const std::uint32_t> words) {
    return are_letters_alone(words);
}
#endif

bool letters_alone(std::span<const std::uint32_t> words) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return are_letters_alone_avx2(words);
#endif
    return are_letters_alone(words);
}

/// Whether a word holds `residues` letters, 6 at most, and padding behind them.
constexpr bool is_sound_word(std::uint32_t word, std::uint64_t residues) {
    const std::uint32_t padding =
        residues >= kResiduesPerWord ? 0 : kPaddingWord << (kBitsPerResidue * residues) & kPaddingWord;
    return (word & padding) == padding && (codes_of_no_letter(word & ~padding) & kLowestBits) == 0 &&
           (word & ~kPaddingWord) == 0;
}

}  // namespace

void pack_lane(std::span<const ResidueCode> residues, std::uint32_t* words, std::uint64_t word_rows, std::size_t lane,
               std::size_t stride) {
    if (word_rows == 0) return;  // a tile of empty sequences has no words to point into
    std::uint32_t* out = words + lane;
    const ResidueCode* in = residues.data();
    const std::size_t whole = residues.size() / kResiduesPerWord;
    for (std::size_t w = 0; w < whole; ++w, in += kResiduesPerWord, out += stride) {
        *out = static_cast<std::uint32_t>(in[0]) | static_cast<std::uint32_t>(in[1]) << 5 |
               static_cast<std::uint32_t>(in[2]) << 10 | static_cast<std::uint32_t>(in[3]) << 15 |
               static_cast<std::uint32_t>(in[4]) << 20 | static_cast<std::uint32_t>(in[5]) << 25;
    }
    std::uint64_t filled = whole;
    if (const std::size_t rest = residues.size() % kResiduesPerWord; rest != 0) {
        std::uint32_t word = kPaddingWord << (kBitsPerResidue * rest) & kPaddingWord;
        for (std::size_t r = 0; r < rest; ++r) word |= static_cast<std::uint32_t>(in[r]) << (kBitsPerResidue * r);
        *out = word;
        out += stride;
        ++filled;
    }
    for (; filled < word_rows; ++filled, out += stride) *out = kPaddingWord;
}

void unpack_lane(const TileView& tile, std::uint32_t lane, ResidueCode* residues) {
    std::uint64_t left = tile.lengths_residues[lane];
    if (left == 0) return;  // an empty sequence has no words to point at
    const std::size_t stride = tile.word_stride();
    const std::uint32_t* in = tile.words.data() + lane;
    while (left > 0) {
        const std::uint32_t word = *in;
        in += stride;
        const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, kResiduesPerWord));
        for (std::uint32_t r = 0; r < count; ++r) {
            const ResidueCode code = residue_of_word(word, r);
            *residues++ = code < kResidueCodes ? code : kCodeX;
        }
        left -= count;
    }
}

bool is_sound(const TileView& tile) {
    const std::size_t stride = tile.word_stride();
    // Rows that are full of letters in every lane are checked together. These are nearly all rows.
    const bool all_lanes = tile.lanes() == stride;
    const std::uint64_t full_rows = all_lanes ? tile.lengths_residues.back() / kResiduesPerWord : 0;
    const std::uint64_t full_words = full_rows * stride;
    if (!letters_alone(tile.words.first(full_words))) return false;
    for (std::uint64_t word = full_words; word < tile.words.size(); ++word) {
        const std::uint64_t lane = word % stride, before = word / stride * kResiduesPerWord;
        const std::uint64_t length = lane < tile.lanes() ? tile.lengths_residues[lane] : 0;
        if (!is_sound_word(tile.words[word], length > before ? length - before : 0)) return false;
    }
    return true;
}

}  // namespace warpseq
