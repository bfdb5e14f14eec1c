// Sequences from EMBL, UniProt and GenBank files: what is read, and the errors in HMMER's words and
// in our own. Whatever the sizes of blocks, the results are the same.
#include "formats/sequences/flat_file.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using namespace std::string_literals;

constexpr auto kEmbl = FlatFileLayout::kEmbl, kGenbank = FlatFileLayout::kGenbank;

/// Reads a file. Returns each sequence as "name|accession|description|residues", a line each, and
/// then the error.
std::string read_in_blocks(std::string_view bytes, FlatFileLayout layout, FastaDialect dialect,
                           std::size_t block_bytes) {
    const testing::ScratchFolder folder;
    const std::string file = folder.write("f", bytes).string();
    auto source = ByteSource::open(file, block_bytes);
    REQUIRE(source.ok());
    FlatFileReader reader(*std::move(source), layout, dialect);
    std::string text;
    NamedSequence sequence;
    for (;;) {
        const Result<bool> got = reader.next(sequence);
        if (!got.ok()) {
            const std::string message = got.status().message();
            CHECK(reader.next(sequence).status().message() == message);
            const std::size_t at = message.find(file);
            REQUIRE(at != std::string::npos);
            return text + message.substr(0, at) + "FILE" + message.substr(at + file.size());
        }
        if (!*got) return text;
        show_unscored(sequence.unscored, 0, sequence.residues);
        text += sequence.name + "|" + sequence.accession + "|" + sequence.description + "|";
        for (const ResidueCode code : sequence.residues) text += shown_letter(code);
        text += "\n";
    }
}

std::string read(std::string_view bytes, FlatFileLayout layout = kEmbl, FastaDialect dialect = FastaDialect::kHmmer) {
    const std::string whole = read_in_blocks(bytes, layout, dialect, kDefaultBlockBytes);
    for (const std::size_t block_bytes : {1U, 2U, 7U})
        CHECK(read_in_blocks(bytes, layout, dialect, block_bytes) == whole);
    return whole;
}

/// Returns HMMER's message about a malformed file without its first line.
std::string fault_of(std::string_view bytes, FlatFileLayout layout = kEmbl) {
    constexpr std::string_view kBegin = "Parse failed (sequence file FILE):\n";
    const std::string text = read(bytes, layout);
    return text.starts_with(kBegin) ? text.substr(kBegin.size()) : text;
}

TEST_CASE("EMBL and UniProt") {
    CHECK(read("ID   A_B              Reviewed;         5 AA.\nAC   P1; P2;\nAC   P3;\nDT   x\nDE   RecName: Full=It;\n"
               "DE            Short=I;  \nSQ   SEQUENCE\n     MKV lw 5\n     C*\n//\n") ==
          "A_B|P1|RecName: Full=It;          Short=I;|MKVLWC*\n");
    CHECK(read("\n \t\r\nID   a;\r\nAC   P1;\r\nDE   of it \r\nSQ   \r\n  ACD 1\r\n//\r\n\n\nID   b;\nSQ   x\n//\n") ==
          "a|P1|of it|ACD\nb|||\n");
    // The text of the lines is in the order of the lines, with a blank between.
    CHECK(read("ID   a;\nDE   x  \nDE   \nDE   y\nDE  z\nSQ   x\nM\n// rest\n") == "a||x  y|M\n");
    CHECK(read("ID   a\tb c;\nSQ   x\nM\n//") == "a\tb|||M\n");
    CHECK(read("").find("Sequence file FILE is empty or misformatted") == 0);
    CHECK(read("\n \n") == "");
}

TEST_CASE("a name or an accession that its line ends has the line's end in it") {
    CHECK(read("ID   a\nAC   P1\nSQ   x\nM\n//\n") == "a\n|P1\n||M\n");
    CHECK(read("ID   a\r\nSQ   x\nM\n//\n") == "a\r\n|||M\n");
    CHECK(read("ID   \nAC   ;\nSQ   x\nM\n//\n") == "\n|\n||M\n");
    // Tabs and blanks would add columns to tables. HMMER keeps them.
    CHECK(read("ID   a\tb;\nAC   P1 P2;\nSQ   x\nM\n//\n", kEmbl, FastaDialect::kWarpseq) == "a|P1||M\n");
    CHECK(read("ID   a\tb;\nAC   P1 P2;\nSQ   x\nM\n//\n") == "a\tb|P1 P2||M\n");
    CHECK(read("LOCUS       a\tb\nORIGIN\nM\n//\n", kGenbank, FastaDialect::kWarpseq) == "a|||M\n");
    CHECK(read("LOCUS       a\nORIGIN\nM\n//\n", kGenbank) == "a\n|||M\n");
}

TEST_CASE("NUL hides the rest of a line") {
    CHECK(read("ID   a\0b c;\nDE   one\0two\nSQ   x\nM\n//\n"s) == "a||one|M\n");
    CHECK(fault_of("ID   a;\nSQ   x\nM\0K\n//\n"s) == "Line 1: illegal character ");
}

TEST_CASE("GenBank and DDBJ") {
    CHECK(read("LOCUS       A_1           5 aa            linear   UNA 01-JAN-2020\nDEFINITION  a title\n"
               "            that goes on.\nACCESSION   X\nVERSION     X.1  GI:5\nORIGIN      \n        1 mkv lw\n//\n"
               "text before\nLOCUS       B 1\nVERSION     B.1\nVERSION     B.2\nDEFINITION  c \nDEFINITION  "
               "d\nORIGIN\n//\n",
               kGenbank) == "A_1|X.1|a title|MKVLW\nB|B.2|c d|\n");
    CHECK(read("GBPRI.SEQ  Genetic Sequence Data Bank\n\nLOCUS       A 1\nORIGIN\n 1 M\n//\n", kGenbank) == "A|||M\n");
    CHECK(read("none of it\n", kGenbank) == "");
    CHECK(fault_of("LOCUS      \nORIGIN\nM\n//\n", kGenbank) == "Line 1: failed to parse name on LOCUS line");
    CHECK(fault_of("LOCUS       A 1\nVERSION     \nORIGIN\nM\n//\n", kGenbank) ==
          "Line 1: failed to parse VERSION line");
    CHECK(fault_of("LOCUS       A 1\nM\n//\n", kGenbank) == "Failed to find ORIGIN line");
    CHECK(fault_of("LOCUS       A 1\nORIGIN\n", kGenbank) == "Failed to find any sequence");
    CHECK(fault_of("LOCUS       A 1\nORIGIN\nM\n", kGenbank) == "Unexpected EOF; file truncated?");
}

TEST_CASE("letters that do not score, and bytes that are refused") {
    const auto with = [](const std::string& residues) { return "ID   a;\nSQ   x\n" + residues + "\n//\n"; };
    CHECK(read(with("M..K_V~~*\n.")) == "a|||M--K-V~~*-\n");
    CHECK(fault_of(with("M-K")) == "Line 1: illegal character -");
    CHECK(fault_of(with("MK\xe9")) == "Line 1: non-ASCII character \xe9 in sequence");
    CHECK(fault_of(with("MK>")) == "Line 1: illegal character >");
    CHECK(fault_of(with("MK\v")) == "Line 1: illegal character \v");
    CHECK(fault_of(with("MK//")) == "Line 1: did not find // terminator at end of seq record");
    CHECK(fault_of(with(" //")) == "Line 1: did not find // terminator at end of seq record");
}

TEST_CASE("EMBL that is cut or has something else in it") {
    CHECK(fault_of("x\nID   a;\nSQ   x\nM\n//\n") == "Line 1: failed to find ID line");
    CHECK(fault_of("ID   a;\nSQ   x\nM\n//\nmore\n").ends_with("Line 1: failed to find ID line"));
    CHECK(fault_of("ID   ;;") == "Line 1: failed to parse name on ID line");
    CHECK(fault_of("ID   a;\nAC   ;") == "Line 1: failed to parse accession on AC line");
    CHECK(fault_of("ID   a;\nSQ x\nM\n//\n") == "Line 1: failed to find SQ line");
    CHECK(fault_of("ID   a;\nSQ   x\n") == "Failed to find any sequence");
    CHECK(fault_of("ID   a;\nSQ   x\nM\n") == "Unexpected EOF; file truncated?");
}

TEST_CASE("our own names end at blanks, tabs and line ends, and our own messages have line numbers") {
    CHECK(read("ID   a\r\nAC   P1\nSQ   x\nM\n//\n", kEmbl, FastaDialect::kWarpseq) == "a|P1||M\n");
    CHECK(read("LOCUS       a\nORIGIN\nM\n//\n", kGenbank, FastaDialect::kWarpseq) == "a|||M\n");
    CHECK(read("ID   \nSQ   x\nM\n//\n", kEmbl, FastaDialect::kWarpseq) ==
          "FILE: line 1: failed to parse name on ID line");
    CHECK(read("\nID   a;\nSQ   x\nM-\n//\n", kEmbl, FastaDialect::kWarpseq) == "FILE: line 4: illegal character -");
    CHECK(read("", kGenbank, FastaDialect::kWarpseq) == "FILE: is empty: there is no sequence in it");
}

TEST_CASE("flat files: residues beyond a limit are counted, not held") {
    const testing::ScratchFolder folder;
    const auto file = folder.write("f", "ID   a\nSQ   \nMKV.LL WW\n//\nID   b\nSQ   \nMKV\n//\n"s);
    auto source = ByteSource::open(file);
    REQUIRE(source.ok());
    FlatFileReader reader(*std::move(source), kEmbl, FastaDialect::kHmmer);
    reader.set_most_residues(3);
    NamedSequence sequence;
    for (const std::uint64_t beyond : {5U, 0U}) {
        const Result<bool> got = reader.next(sequence);
        REQUIRE((got.ok() && *got));
        CHECK(sequence.residues.size() == 3);
        CHECK(reader.beyond_residues() == beyond);
    }
}

}  // namespace
}  // namespace warpseq
