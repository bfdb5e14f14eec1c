// Stretches that blastp considers nearly identical.
#include "engines/composition/near_identical.h"

#include <doctest/doctest.h>

#include "libcore/base/random.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

Sequence with_mismatches(Sequence sequence, std::size_t every) {
    for (std::size_t k = every / 2; k < sequence.size(); k += every)
        sequence[k] = static_cast<ResidueCode>((sequence[k] + 1) % kAminoAcids);
    return sequence;
}

}  // namespace

TEST_CASE("the same, with few mismatches, and with too many") {
    Random random(41);
    const Sequence sequence = random_protein(random, 300);
    CHECK(is_near_identical(sequence, sequence));
    CHECK(is_near_identical(sequence, with_mismatches(sequence, 50)));
    CHECK(!is_near_identical(sequence, with_mismatches(sequence, 15)));
    CHECK(!is_near_identical(sequence, random_protein(random, 300)));
}

TEST_CASE("short gaps are stepped over in either sequence") {
    Random random(43);
    const Sequence sequence = random_protein(random, 300);
    Sequence shorter = sequence;
    shorter.erase(shorter.begin() + 100, shorter.begin() + 104);
    CHECK(is_near_identical(sequence, shorter));
    CHECK(is_near_identical(shorter, sequence));
}

TEST_CASE("a gap too long to step over: both ends are compared, and what is between by words") {
    Random random(47);
    const Sequence sequence = random_protein(random, 400);
    Sequence shorter = sequence;
    shorter.erase(shorter.begin() + 200, shorter.begin() + 230);
    CHECK(is_near_identical(sequence, shorter));
    // Two such gaps leave a middle part that neither end reaches.
    Sequence twice = sequence;
    twice.erase(twice.begin() + 300, twice.begin() + 330);
    twice.erase(twice.begin() + 100, twice.begin() + 130);
    CHECK(is_near_identical(sequence, twice));
}

TEST_CASE("few residues") {
    CHECK(is_near_identical(encode_residues("M"), encode_residues("M")));
    CHECK(!is_near_identical(encode_residues("M"), encode_residues("K")));
    CHECK(is_near_identical(encode_residues("MKTAY"), encode_residues("MKTAYIAKQR")));
}
