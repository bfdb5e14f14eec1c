#include "libcore/tile.h"

#include <algorithm>

namespace warpseq {

void pack_lane(std::span<const ResidueCode> residues, std::uint32_t* words, std::uint64_t word_rows, std::size_t lane,
               std::size_t stride) {
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
    const std::size_t stride = tile.word_stride();
    const std::uint32_t* in = tile.words.data() + lane;
    std::uint64_t left = tile.lengths_residues[lane];
    while (left > 0) {
        const std::uint32_t word = *in;
        in += stride;
        const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, kResiduesPerWord));
        for (std::uint32_t r = 0; r < count; ++r) *residues++ = residue_of_word(word, r);
        left -= count;
    }
}

}  // namespace warpseq
