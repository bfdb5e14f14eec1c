#include "libcore/sequence/tile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "libcore/base/random.h"

using namespace warpseq;

TEST_CASE("the layout, bit for bit") {
    const std::vector<ResidueCode> residues = {1, 2, 3, 4, 5, 6, 7};
    std::vector<std::uint32_t> words(2 * kTileLanes, 0xdeadbeef);
    pack_lane(residues, words.data(), 2, 3, kTileLanes);
    CHECK(words[3] == (1u | 2u << 5 | 3u << 10 | 4u << 15 | 5u << 20 | 6u << 25));
    CHECK(words[kTileLanes + 3] == (7u | 31u << 5 | 31u << 10 | 31u << 15 | 31u << 20 | 31u << 25));
    CHECK(words[2] == 0xdeadbeef);
    CHECK(words[4] == 0xdeadbeef);
}

TEST_CASE("sizes") {
    CHECK(words_for(0) == 0);
    CHECK(words_for(1) == 1);
    CHECK(words_for(6) == 1);
    CHECK(words_for(7) == 2);
    CHECK(tile_words(TileLayout::kInterleaved, 7) == 64);
    CHECK(tile_words(TileLayout::kLinear, 7) == 32);
    CHECK(tile_words(TileLayout::kLinear, 6 * 32 + 1) == 64);
    CHECK(tile_words(TileLayout::kInterleaved, 10'000'000'000) == std::uint64_t{1'666'666'667} * 32);
}

TEST_CASE("lanes come back, padding is padding") {
    Random random(3);
    for (const TileLayout layout : {TileLayout::kInterleaved, TileLayout::kLinear}) {
        for (const std::uint64_t longest : {0u, 1u, 5u, 6u, 7u, 200u}) {
            const std::uint32_t lanes = layout == TileLayout::kLinear ? 1 : 7;
            std::vector<std::uint64_t> lengths;
            std::vector<std::vector<ResidueCode>> sequences;
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                lengths.push_back(longest * (lanes - lane) / lanes);
                auto& sequence = sequences.emplace_back(lengths.back());
                for (auto& residue : sequence) residue = static_cast<ResidueCode>(random.below(kResidueCodes));
            }
            const std::uint64_t rows = words_for(longest);
            std::vector<std::uint32_t> words(tile_words(layout, longest), 0);
            const bool interleaved = layout == TileLayout::kInterleaved;
            for (std::uint32_t lane = 0; lane < (interleaved ? kTileLanes : 1); ++lane) {
                const auto residues = lane < lanes ? sequences[lane] : std::vector<ResidueCode>();
                pack_lane(residues, words.data(), interleaved ? rows : words.size(), lane,
                          interleaved ? kTileLanes : 1);
            }
            const TileView tile{words, lengths, rows, 0, layout};
            std::uint64_t residues = 0, padding = 0;
            for (const std::uint32_t word : words) {
                CHECK(word <= kPaddingWord);
                for (std::uint32_t r = 0; r < kResiduesPerWord; ++r)
                    padding += residue_of_word(word, r) == kPaddingCode;
            }
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                std::vector<ResidueCode> back(lengths[lane]);
                unpack_lane(tile, lane, back.data());
                CHECK(back == sequences[lane]);
                residues += lengths[lane];
            }
            CHECK(residues + padding == words.size() * kResiduesPerWord);
        }
    }
}

TEST_CASE("a sound tile is found sound, and every wrong code, unused bit and letter in padding is found") {
    Random random(4);
    for (const TileLayout layout : {TileLayout::kInterleaved, TileLayout::kLinear}) {
        const bool interleaved = layout == TileLayout::kInterleaved;
        const std::size_t stride = interleaved ? kTileLanes : 1;
        for (const std::uint64_t longest : {0u, 1u, 5u, 6u, 7u, 13u, 50u}) {
            for (const std::uint32_t lanes :
                 interleaved ? std::vector<std::uint32_t>{1, 7, 32} : std::vector<std::uint32_t>{1}) {
                std::vector<std::uint64_t> lengths;
                std::vector<std::uint32_t> words(tile_words(layout, longest), 0);
                for (std::uint32_t lane = 0; lane < stride; ++lane) {
                    std::vector<ResidueCode> residues;
                    if (lane < lanes) {
                        lengths.push_back(longest - std::min<std::uint64_t>(longest, lane / 3));
                        residues.resize(lengths.back());
                        for (auto& residue : residues) residue = static_cast<ResidueCode>(random.below(kResidueCodes));
                    }
                    pack_lane(residues, words.data(), interleaved ? words_for(longest) : words.size(), lane, stride);
                }
                const TileView tile{words, lengths, words_for(longest), 0, layout};
                CAPTURE(longest);
                CAPTURE(lanes);
                CHECK(is_sound(tile));
                for (std::size_t w = 0; w < words.size(); ++w) {
                    const std::uint32_t before = words[w];
                    for (std::uint32_t r = 0; r < kResiduesPerWord; ++r) {
                        const std::uint64_t place = w / stride * kResiduesPerWord + r;
                        const bool padding = w % stride >= lanes || place >= lengths[w % stride];
                        for (std::uint32_t code = 0; code <= kResidueMask; ++code) {
                            words[w] =
                                (before & ~(kResidueMask << (kBitsPerResidue * r))) | code << (kBitsPerResidue * r);
                            if (is_sound(tile) !=
                                (padding ? code == kPaddingCode : code < static_cast<std::uint32_t>(kResidueCodes)))
                                FAIL_CHECK("code " << code << " at residue " << place << " of lane " << w % stride);
                        }
                    }
                    for (const std::uint32_t unused : {1u << 30, 1u << 31}) {
                        words[w] = before | unused;
                        if (is_sound(tile)) FAIL_CHECK("an unused bit of word " << w);
                    }
                    words[w] = before;
                }
            }
        }
    }
}
