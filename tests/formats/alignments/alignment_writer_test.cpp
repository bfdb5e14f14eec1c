// Alignments as text, in every format: names and lines as wide as HMMER's.
#include "formats/alignments/alignment_writer.h"

#include <doctest/doctest.h>

#include <string>

#include "formats/alignments/alignment_reader.h"
#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using Format = AlignmentFormat;

MultipleAlignment sample() {
    MultipleAlignment alignment;
    alignment.rows.resize(2);
    alignment.rows[0].name = "a";
    alignment.rows[0].accession = "A1";
    alignment.rows[0].description = "the first";
    alignment.rows[0].residues = "AC.dO*~";
    alignment.rows[0].posteriors = "99.8...";
    alignment.rows[1].name = "much_longer_name";
    alignment.rows[1].residues = "-CcDo-K";
    alignment.reference = "xx.xxxx";
    return alignment;
}

std::string written(const MultipleAlignment& alignment, Format format) {
    std::string text;
    append_alignment(alignment, format, text);
    return text;
}

TEST_CASE("every format") {
    const MultipleAlignment alignment = sample();
    CHECK(written(alignment, Format::kA2m) == ">a A1 the first\nACDX--\n>much_longer_name\n-CcDO-K\n");
    CHECK(written(alignment, Format::kA3m) == ">a A1 the first\nACDOX-\n>much_longer_name\n-CcDO-K\n");
    CHECK(written(alignment, Format::kAfa) == ">a A1 the first\nAC.dO*~\n>much_longer_name\n-CcDo-K\n");
    CHECK(written(alignment, Format::kPsiblast) == "a                 AC-DO--\nmuch_longer_name  -CcDO-K\n");
    CHECK(written(alignment, Format::kSelex) ==
          "#=RF             xx.xxxx\na                AC.dO*~\nmuch_longer_name -CcDo-K\n");
    CHECK(written(alignment, Format::kClustal) ==
          "CLUSTAL 2.1 multiple sequence alignment\n\n"
          "a                AC.dO*~\nmuch_longer_name -CcDo-K\n                  * **  \n");
    CHECK(written(alignment, Format::kPhylip) == " 2 7\na          AC-DO*?\nmuch_longe -CCDO-K\n");
    CHECK(written(alignment, Format::kPhylips) == " 2 7\na          AC-DO*?\nmuch_longe -CCDO-K\n");
    CHECK(written(alignment, Format::kPfam) ==
          "# STOCKHOLM 1.0\n\n#=GS a                AC A1\n\n#=GS a                DE the first\n\n"
          "a                        AC.dO*~\n"
          "#=GR a                PP 99.8...\n"
          "much_longer_name         -CcDo-K\n"
          "#=GC RF                  xx.xxxx\n"
          "//\n");
}

TEST_CASE("without a reference the first row serves as one, and an empty row is a row") {
    MultipleAlignment alignment = sample();
    alignment.reference.clear();
    alignment.rows[1].residues = ".......";
    CHECK(written(alignment, Format::kA2m) == ">a A1 the first\nACDX\n>much_longer_name\n----\n");
    alignment.rows[0].residues = ".......";
    CHECK(written(alignment, Format::kA3m) == ">a A1 the first\n\n>much_longer_name\n\n");
}

TEST_CASE("long rows come in lines or blocks of 60, Stockholm's of 200") {
    MultipleAlignment alignment;
    alignment.rows.resize(1);
    alignment.rows[0].name = "r";
    alignment.rows[0].residues = std::string(130, 'A');
    alignment.rows[0].weight = 0.126;
    alignment.structure = std::string(130, 'H');
    alignment.gathering.sequence_bits = 25;
    alignment.noise = {20, 19.96F};
    const std::string line(60, 'A'), rest(10, 'A'), helix(60, 'H'), helix_rest(10, 'H');
    CHECK(written(alignment, Format::kAfa) == ">r\n" + line + "\n" + line + "\n" + rest + "\n");
    CHECK(written(alignment, Format::kA3m) == ">r\n" + line + line + rest + "\n");
    CHECK(written(alignment, Format::kPsiblast) == "r  " + line + "\n\nr  " + line + "\n\nr  " + rest + "\n");
    CHECK(written(alignment, Format::kSelex) == "#=CS " + helix + "\nr    " + line + "\n\n#=CS " + helix + "\nr    " +
                                                    line + "\n\n#=CS " + helix_rest + "\nr    " + rest + "\n");
    CHECK(written(alignment, Format::kPhylip) == " 1 130\nr          " + line + "\n\n" + line + "\n\n" + rest + "\n");
    CHECK(written(alignment, Format::kPhylips) == " 1 130\nr          " + line + "\n" + line + "\n" + rest + "\n");
    CHECK(written(alignment, Format::kStockholm) ==
          "# STOCKHOLM 1.0\n#=GF GA 25.0\n#=GF NC 20.0 20.0\n\n#=GS r WT 0.13\n\n"
          "r            " +
              line + line + rest + "\n#=GC SS_cons " + helix + helix + helix_rest + "\n//\n");
}

TEST_CASE("written alignments can be read again") {
    const testing::ScratchFolder folder;
    for (const Format format :
         {Format::kStockholm, Format::kPfam, Format::kAfa, Format::kSelex, Format::kPsiblast, Format::kA2m,
          Format::kA3m, Format::kClustal, Format::kClustallike, Format::kPhylip, Format::kPhylips}) {
        MultipleAlignment alignment = sample();
        alignment.rows[0].residues = "AC.DWYV";
        alignment.rows[1].residues = "-CcDW-K";
        alignment.rows[0].name = "first";
        alignment.rows[1].name = "second";
        AlignmentReader reader(folder.write("file", written(alignment, format)), format);
        MultipleAlignment read;
        const Result<bool> got = reader.next(read);
        REQUIRE_MESSAGE(got.ok(), got.status().message());
        REQUIRE(read.rows.size() == 2);
        CHECK(read.rows[1].name == "second");
        const auto is_gap = [](char c) { return c == '-' || c == '.'; };
        for (std::size_t row = 0; row < 2; ++row) {
            REQUIRE(read.columns() == 7);
            for (std::size_t i = 0; i < 7; ++i) {
                const char a = read.rows[row].residues[i], b = alignment.rows[row].residues[i];
                CHECK((std::toupper(a) == std::toupper(b) || (is_gap(a) && is_gap(b))));
            }
        }
    }
}

TEST_CASE("text comes in pieces, and the first refusal ends it") {
    MultipleAlignment alignment;
    alignment.rows.resize(5000);
    for (std::size_t i = 0; i < alignment.rows.size(); ++i) {
        alignment.rows[i].name = "r" + std::to_string(i);
        alignment.rows[i].residues = std::string(1000, 'A');
    }
    for (const Format format : {Format::kStockholm, Format::kPfam, Format::kA2m, Format::kA3m, Format::kPsiblast,
                                Format::kSelex, Format::kAfa, Format::kClustal, Format::kPhylip, Format::kPhylips}) {
        std::string text;
        std::size_t pieces = 0, longest = 0;
        const Status status = write_alignment(alignment, format, [&](std::string_view piece) {
            ++pieces;
            longest = std::max(longest, piece.size());
            text += piece;
            return Status();
        });
        CHECK(status.ok());
        CHECK(pieces >= 5);
        CHECK(longest < 2'000'000);
        CHECK(text == written(alignment, format));
        pieces = 0;
        CHECK_FALSE(write_alignment(alignment, format, [&](std::string_view) {
                        ++pieces;
                        return Status::io("full");
                    }).ok());
        CHECK(pieces == 1);
    }
}

}  // namespace
}  // namespace warpseq
