#include "reports/alignment_text.h"

#include <doctest/doctest.h>

#include "libcore/scoring/builtin_matrices.h"

using namespace warpseq;

namespace {

using enum AlignmentOperation;

// query   AWI--KL     (from position 1 of XAWIKLX)
// target  AW-CCRL
struct Example {
    std::vector<ResidueCode> query = encode_residues("XAWIKLX");
    std::vector<ResidueCode> target = encode_residues("AWCCRL");
    Alignment alignment{10, 1, 6, 4, 10, {{kMatch, 2}, {kInsert, 1}, {kDelete, 2}, {kMatch, 2}}};
    SubstitutionMatrix matrix = *builtin_matrix("BLOSUM62");
};

}  // namespace

TEST_CASE("counts over columns") {
    const Example e;
    const auto counts = count_alignment(e.alignment, e.query, e.target, e.matrix);
    CHECK(counts.columns == 7);
    CHECK(counts.identities == 3);
    CHECK(counts.positives == 4);  // K against R scores 2
    CHECK(counts.mismatches == 1);
    CHECK(counts.gap_columns == 3);
    CHECK(counts.gap_openings == 2);
}

TEST_CASE("letters, CIGAR and BTOP") {
    const Example e;
    const auto text = draw_alignment(e.alignment, e.query, e.target, e.matrix);
    CHECK(text.query == "AWI--KL");
    CHECK(text.middle == "AW   +L");
    CHECK(text.target == "AW-CCRL");
    CHECK(cigar(e.alignment) == "2M1I2D2M");
    CHECK(extended_cigar(e.alignment, e.query, e.target) == "2=1I2D1X1=");
    CHECK(btop(text) == "2I--C-CKR1");
}

TEST_CASE("numbers as BLAST prints them") {
    CHECK(format_evalue(0, false) == "0.0");
    CHECK(format_evalue(9e-181, false) == "0.0");
    CHECK(format_evalue(1.234e-100, false) == "1.23e-100");
    CHECK(format_evalue(1.234e-100, true) == "1e-100");
    CHECK(format_evalue(0.00089, false) == "8.90e-04");
    CHECK(format_evalue(0.0012, false) == "0.001");
    CHECK(format_evalue(0.056, false) == "0.056");
    CHECK(format_evalue(0.56, false) == "0.56");
    CHECK(format_evalue(5.6, false) == "5.6");
    CHECK(format_evalue(56.4, false) == "56");
    CHECK(format_bits(26.16) == "26.2");
    CHECK(format_bits(99.87) == "99.9");
    CHECK(format_bits(148.67) == "148");
    CHECK(format_bits(123456.0) == "1.235e+05");
}
