// SEG against what NCBI's segmasker prints for the same sequences (window 12, 2.2 and 2.5 bits).
#include "libcore/seg.h"

#include <doctest/doctest.h>

#include <vector>

using namespace warpseq;

TEST_CASE("nothing to mask") {
    CHECK(seg_stretches({}, {}).empty());
    CHECK(seg_stretches(encode_residues("AAAAAAAAAAA"), {}).empty());  // shorter than the window
    CHECK(seg_stretches(encode_residues("MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ"), {}).empty());
}

TEST_CASE("a repeat of one letter is masked whole") {
    const auto stretches = seg_stretches(encode_residues("MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAAAAAAAAAAAAAAAAAAAAMKTAYIAKQRQISFVKSHFSRQ"), {});
    REQUIRE(stretches.size() == 1);
    CHECK(stretches[0].begin <= 33);
    CHECK(stretches[0].end >= 53);
}

TEST_CASE("letters that are no amino acids: more than two in a window and it does not count") {
    CHECK(seg_stretches(encode_residues("XXXXXXXXXXXXXXXXXXXXXXXX"), {}).empty());
    CHECK(seg_stretches(encode_residues("AXAXAXAXAXAXAXAXAXAXAXAX"), {}).empty());
    CHECK(seg_stretches(encode_residues("AAAAAXAAAAAAAAAAAXAAAAAA"), {}).size() == 1);
}
