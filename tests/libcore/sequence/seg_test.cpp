// SEG, compared with the output of NCBI's segmasker for the same sequences (window 12, 2.2 and 2.5
// bits).
#include "libcore/sequence/seg.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/random.h"

using namespace warpseq;

TEST_CASE("nothing to mask") {
    CHECK(seg_stretches({}, {}).empty());
    CHECK(seg_stretches(encode_residues("AAAAAAAAAAA"), {}).empty());  // shorter than the window
    CHECK(seg_stretches(encode_residues("MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ"), {}).empty());
}

TEST_CASE("a repeat of one letter is masked whole") {
    const auto stretches = seg_stretches(
        encode_residues("MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAAAAAAAAAAAAAAAAAAAAMKTAYIAKQRQISFVKSHFSRQ"), {});
    REQUIRE(stretches.size() == 1);
    CHECK(stretches[0].begin <= 33);
    CHECK(stretches[0].end >= 53);
}

TEST_CASE("letters that are no amino acids: more than two in a window and it does not count") {
    CHECK(seg_stretches(encode_residues("XXXXXXXXXXXXXXXXXXXXXXXX"), {}).empty());
    CHECK(seg_stretches(encode_residues("AXAXAXAXAXAXAXAXAXAXAXAX"), {}).empty());
    CHECK(seg_stretches(encode_residues("AAAAAXAAAAAAAAAAAXAAAAAA"), {}).size() == 1);
}

TEST_CASE("there is a stretch where a window's entropy is low, and only there") {
    const auto entropy_bits = [](std::span<const ResidueCode> window) {
        std::array<int, kResidueTableSize> counts{};
        for (const ResidueCode code : window) ++counts[code];
        const int total = std::accumulate(counts.begin(), counts.begin() + kAminoAcids, 0);
        double bits = 0;
        for (std::size_t a = 0; a < kAminoAcids; ++a) {
            const double share = static_cast<double>(counts[a]) / std::max(total, 1);
            if (counts[a] > 0) bits -= share * std::log2(share);
        }
        const bool is_counted = static_cast<int>(window.size()) - total <= 2;
        return is_counted ? bits : std::numeric_limits<double>::infinity();
    };
    Random random(61);
    int with = 0, without = 0;
    for (std::size_t length = 1; length <= 16; ++length) {
        CAPTURE(length);
        for (int k = 0; k < 2000; ++k) {
            // Few letters, a few of them no amino acids, and up to 20 windows.
            const std::uint64_t letters = 1 + random.below(kAminoAcids);
            std::vector<ResidueCode> residues(length + random.below(20));
            for (ResidueCode& code : residues)
                code = random.below(12) == 0 ? kCodeX : static_cast<ResidueCode>(random.below(letters));
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t begin = 0; begin + length <= residues.size(); ++begin)
                least = std::min(least, entropy_bits(std::span(residues).subspan(begin, length)));
            const double low = 3.5 * random.uniform();
            if (std::abs(low - least) < 1e-6) continue;
            const bool found = !seg_stretches(residues, {static_cast<int>(length), low, low}).empty();
            REQUIRE(found == (least < low));
            ++(found ? with : without);
        }
    }
    CHECK(with > 5000);
    CHECK(without > 5000);
}

TEST_CASE("a long sequence is masked as its parts are") {
    const std::string unit =
        "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAAAAAAAASAAAASAAAMKTAYIAKQRQISFVKSHFSRQEDEDEDEDKEDEDEDMKTAYIAKQRQISFVKSHFSRQ";
    const auto of_one = seg_stretches(encode_residues(unit), {});
    REQUIRE(of_one.size() >= 2);
    constexpr std::size_t kUnits = 2000;
    std::string text;
    for (std::size_t k = 0; k < kUnits; ++k) text += unit;
    std::vector<SegStretch> expected;
    for (std::size_t k = 0; k < kUnits; ++k) {
        for (const SegStretch& stretch : of_one)
            expected.push_back({stretch.begin + k * unit.size(), stretch.end + k * unit.size()});
    }
    CHECK(seg_stretches(encode_residues(text), {}) == expected);
    // This stretch is longer than any memory of windows.
    const std::size_t long_repeat = 5000;
    const auto stretches =
        seg_stretches(encode_residues(unit.substr(0, 33) + std::string(long_repeat, 'A') + unit.substr(0, 33)), {});
    REQUIRE(stretches.size() == 1);
    CHECK(stretches[0].begin <= 33);
    CHECK(stretches[0].end >= 33 + long_repeat);
}
