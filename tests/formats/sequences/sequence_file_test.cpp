// Sequences read from files of all formats, whose content decides or not.
#include "formats/sequences/sequence_file.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using Kind = SequenceFileKind;

std::string read(std::string_view bytes, const SequenceFileFormat& format = {.kind = Kind::kByContent}) {
    const testing::ScratchFolder folder;
    auto reader = SequenceFileReader::open(folder.write("file", bytes), format);
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

SequenceFileFormat named(std::string_view name) {
    const auto format = sequence_format_named(name);
    REQUIRE(format);
    return *format;
}

TEST_CASE("FASTA") {
    CHECK(read(">a  some text\nACD\nEF*\n>b\n\n") == "a||some text|ACDEF*\nb|||\n");
    CHECK(read(";comment\n>a\nACD\n") == "a|||ACD\n");
    CHECK(read("") == "error");
    CHECK(read(">a\nA1\n") == "error");
}

TEST_CASE("rows of alignments, without gaps") {
    const SequenceFileFormat afa = {.kind = Kind::kAlignments, .alignments = AlignmentFormat::kAfa};
    CHECK(
        read("# STOCKHOLM 1.0\n#=GS a AC X1\n#=GS a DE some text\na Ac-D.\nb ~~*E_\n//\n# STOCKHOLM 1.0\nc K\n//\n") ==
        "a|X1|some text|ACD\nb|||*E\nc|||K\n");
    CHECK(read(">a\nAC-\n>b\nACD\n", afa) == "a|||AC\nb|||ACD\n");
    CHECK(read(">a\nAC-\n>b\nAC\n", afa) == "error");
    CHECK(read("neither fasta nor an alignment\n") == "error");
    CHECK(read("\n", afa) == "error");
    CHECK(read("\n", named("afa")) == "");  // as in HMMER
}

TEST_CASE("the error of a later record is returned again, and nothing behind it") {
    const testing::ScratchFolder folder;
    for (const auto& [format, bytes] :
         {std::pair("fasta", ">a\nACD\n>b\nA1\n>c\nACD\n"), std::pair("embl", "ID   a;\nSQ   x\n ACD\n//\njunk\n"),
          std::pair("genbank", "LOCUS       a 3\nORIGIN\n 1 acd\n//\nLOCUS       b 3\nORIGIN\n 1 a!d\n//\n"),
          std::pair("stockholm", "# STOCKHOLM 1.0\na ACD\n//\n# STOCKHOLM 1.0\nb ACD\nc ACD\n"),
          std::pair("stockholm", "# STOCKHOLM 1.0\na ACD\n//\n# STOCKHOLM 1.0\nb ACD\nc AC\n//\n"),
          std::pair("phylip", " 1 3\na         ACD\n 2 9\nb         ACD\nc         ACD\n")}) {
        CAPTURE(bytes);
        auto reader = SequenceFileReader::open(folder.write("file", bytes), named(format));
        REQUIRE(reader.ok());
        NamedSequence sequence;
        const Result<bool> first = reader->next(sequence);
        CHECK((first.ok() && *first));
        const Result<bool> failed = reader->next(sequence);
        REQUIRE_FALSE(failed.ok());
        for (int again = 0; again < 3; ++again)
            CHECK(reader->next(sequence).status().message() == failed.status().message());
    }
}

TEST_CASE("EMBL, UniProt and GenBank") {
    const std::string_view embl = "ID   a;\nAC   P1;\nDE   of it\nSQ   x\n ACD\n//\n",
                           genbank = "LOCUS       a 3\nVERSION     X.1\nORIGIN\n 1 acd\n//\n";
    CHECK(read(embl) == "a|P1|of it|ACD\n");
    CHECK(read(genbank) == "a|X.1||ACD\n");
    CHECK(read(embl, named("uniprot")) == "a|P1|of it|ACD\n");
    CHECK(read(genbank, named("ddbj")) == "a|X.1||ACD\n");
    CHECK(read(embl, named("fasta")) == "error");
    CHECK(read(genbank, named("embl")) == "error");
    CHECK(read(embl, named("stockholm")) == "error");
    CHECK(read(embl, named("fmindex")) == "error");
}

TEST_CASE("formats that consist of FASTA") {
    CHECK(read("#2 6 2 2\n>1 x\nACD\n>2\nEF*\n", named("hmmpgmd")) == "1||x|ACD\n2|||EF*\n");
    CHECK(read(">1\nACD\n", named("hmmpgmd")) == "error");
    CHECK(read(">a x\nACD\n//\n", named("daemon")) == "a||x|ACD\n");
    CHECK(read(">a x\nACD\n", named("daemon")) == "error");
}

}  // namespace
}  // namespace warpseq
