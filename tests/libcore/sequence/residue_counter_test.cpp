#include "libcore/sequence/residue_counter.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/sequence/tile.h"

using namespace warpseq;

namespace {

using Counts = std::array<std::uint64_t, kResidueTableSize>;

/// Words with letters and padding, whose residues are counted one by one.
std::vector<std::uint32_t> random_words(Random& random, std::size_t count, Counts& counts) {
    std::vector<std::uint32_t> words(count, 0);
    for (std::uint32_t& word : words) {
        for (std::uint32_t r = 0; r < kResiduesPerWord; ++r) {
            auto code = static_cast<std::uint32_t>(random.below(kResidueCodes + 1));
            if (code == kResidueCodes) code = kPaddingCode;
            word |= code << (kBitsPerResidue * r);
            if (code != kPaddingCode) ++counts[code];
        }
    }
    return words;
}

}  // namespace

TEST_CASE("letters are counted alike by pairs, by bits and one by one") {
    Random random(7);
    // 80 words are counted together, 16 at a time.
    for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 32u, 79u, 80u, 81u, 95u, 96u, 160u, 161u, 1920u, 5003u}) {
        CAPTURE(count);
        Counts expected{};
        const auto words = random_words(random, count, expected);
        ResidueCounter any, pairs, bits;
        any.add(words);
        CHECK(any.counts() == expected);
        pairs.add_pairs(words);
        CHECK(pairs.counts() == expected);
        if (bits.add_bits(words)) {
            CHECK(bits.counts() == expected);
        } else {
            MESSAGE("skipped: this machine cannot count bits of 512-bit vectors");
        }
    }
}

TEST_CASE("counts add up, and each letter has its own") {
    ResidueCounter counter;
    Counts expected{};
    for (std::uint32_t code = 0; code < kResidueCodes; ++code) {
        for (std::uint32_t r = 0; r < kResiduesPerWord; ++r) {
            const std::uint32_t place = kBitsPerResidue * r;
            const std::uint32_t word = (kPaddingWord & ~(kResidueMask << place)) | code << place;
            // Counts exceed eight bits.
            const std::vector<std::uint32_t> words(50 + 10 * code, word);
            counter.add(words);
            expected[code] += words.size();
        }
    }
    CHECK(counter.counts() == expected);
}
