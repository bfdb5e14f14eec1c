// SEG, compared with the output of NCBI's segmasker for the same sequences (window 12, 2.2 and 2.5
// bits).
#include "libcore/sequence/seg.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

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
