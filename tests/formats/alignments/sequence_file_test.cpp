// Sequences read from FASTA and from alignments.
#include "formats/alignments/sequence_file.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using Kind = SequenceFileKind;

std::string read(std::string_view bytes, Kind kind = Kind::kByContent,
                 std::optional<AlignmentFormat> format = std::nullopt) {
    const testing::ScratchFolder folder;
    auto reader = SequenceFileReader::open(folder.write("file", bytes), kind, format);
    if (!reader.ok()) return "error";
    std::string text;
    NamedSequence sequence;
    for (;;) {
        const Result<bool> got = reader->next(sequence);
        if (!got.ok()) return text + "error";
        if (!*got) return text;
        text += sequence.name + "|" + sequence.accession + "|" + sequence.description + "|" +
                decode_residues(sequence.residues) + "\n";
    }
}

TEST_CASE("FASTA") {
    CHECK(read(">a  some text\nACD\nEF*\n>b\n\n") == "a||some text|ACDEF*\nb|||\n");
    CHECK(read(";comment\n>a\nACD\n") == "a|||ACD\n");
    CHECK(read("") == "error");
    CHECK(read(">a\nA1\n") == "error");
}

TEST_CASE("rows of alignments, without gaps") {
    CHECK(
        read("# STOCKHOLM 1.0\n#=GS a AC X1\n#=GS a DE some text\na Ac-D.\nb ~~*E_\n//\n# STOCKHOLM 1.0\nc K\n//\n") ==
        "a|X1|some text|ACD\nb|||*E\nc|||K\n");
    CHECK(read(">a\nAC-\n>b\nACD\n", Kind::kAlignments, AlignmentFormat::kAfa) == "a|||AC\nb|||ACD\n");
    CHECK(read(">a\nAC-\n>b\nAC\n", Kind::kAlignments, AlignmentFormat::kAfa) == "error");
    CHECK(read("neither fasta nor an alignment\n") == "error");
}

}  // namespace
}  // namespace warpseq
