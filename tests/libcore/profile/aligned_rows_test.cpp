#include "libcore/profile/aligned_rows.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace warpseq {
namespace {

AlignedRows rows_of(const std::vector<std::string>& residues) {
    MultipleAlignment alignment;
    for (const std::string& row : residues) alignment.rows.push_back({.name = "s", .residues = row});
    Result<AlignedRows> rows = AlignedRows::from(alignment);
    REQUIRE(rows.ok());
    return *std::move(rows);
}

std::string text_of(std::span<const ResidueCode> codes) {
    std::string text;
    for (const ResidueCode code : codes) {
        text += code == kGapCode ? '-' : code == kMissingCode ? '~' : residue_letter(code);
    }
    return text;
}

TEST_CASE("letters become codes") {
    const AlignedRows rows = rows_of({"aCz*", "-._~"});
    CHECK(rows.count() == 2);
    CHECK(rows.columns() == 4);
    CHECK(text_of(rows[0]) == "ACZ*");
    CHECK(text_of(rows[1]) == "---~");
}

TEST_CASE("the checksum is Easel's") {
    // This is the CKSUM of HMMER 3.3.2's hmmbuild.
    const std::vector<std::string> rows = {"MKV--LATwx.GH", "MKVA-LAT-..GH", "mrVAB.VTk..GY", "~~~~~~AT-..G~",
                                           "MKI--LST-*.Z-"};
    CHECK(rows_of(rows).checksum() == 873400399);
}

TEST_CASE("missing data within a row") {
    CHECK(rows_of({"ACD", "~C~", "~~~", "AC~"}).row_with_inner_missing_data() == 4);
    CHECK(rows_of({"ACD", "A~D"}).row_with_inner_missing_data() == 1);
    CHECK(rows_of({"~A~D~"}).row_with_inner_missing_data() == 0);
}

TEST_CASE("rows with few residues are fragments") {
    AlignedRows rows = rows_of({"-A-C--", "-ACD--", "*-A---", "------"});
    rows.mark_fragments(0.4f);
    CHECK(text_of(rows[0]) == "~A-C~~");
    CHECK(text_of(rows[1]) == "-ACD--");
    CHECK(text_of(rows[2]) == "~~A~~~");
    CHECK(text_of(rows[3]) == "~~~~~~");
    rows = rows_of({"-A-C--", "------"});
    rows.mark_fragments(0);
    CHECK(text_of(rows[0]) == "-A-C--");
    CHECK(text_of(rows[1]) == "~~~~~~");
}

TEST_CASE("masked columns") {
    AlignedRows rows = rows_of({"AC*-~", "AC*A~"});
    rows.mask_columns(".mmmm");
    CHECK(text_of(rows[0]) == "AXX-~");
    CHECK(text_of(rows[1]) == "AXXX~");
    rows.mask_columns("");
    CHECK(text_of(rows[0]) == "AXX-~");
}

TEST_CASE("no rows, no columns") {
    MultipleAlignment alignment;
    CHECK(!AlignedRows::from(alignment).ok());
    alignment.rows.push_back({.name = "s"});
    CHECK(AlignedRows::from(alignment).status().message() == "an alignment has no columns");
}

}  // namespace
}  // namespace warpseq
