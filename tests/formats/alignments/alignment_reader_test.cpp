// Files of alignments in every format: their contents, how a format is recognized, and the messages
// for files that are refused, which are HMMER's.
#include "formats/alignments/alignment_reader.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/alignments/alignment_lines.h"
#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using testing::ScratchFolder;
using Format = AlignmentFormat;
using Kind = AlignmentFault::Kind;

struct Reading {
    std::vector<MultipleAlignment> alignments;
    AlignmentFault fault;
    std::string message;
    Format format;
};

Reading read(std::string_view bytes, std::optional<Format> format = std::nullopt, std::string_view name = "file",
             std::size_t block_bytes = kDefaultBlockBytes) {
    const ScratchFolder folder;
    AlignmentReader reader(folder.write(name, bytes), format, block_bytes);
    Reading reading;
    for (;;) {
        MultipleAlignment alignment;
        const Result<bool> got = reader.next(alignment);
        if (!got.ok()) {
            reading.message = got.status().message();
            CHECK(reader.next(alignment).status().message() == reading.message);
        }
        if (!got.ok() || !*got) break;
        reading.alignments.push_back(alignment);
    }
    reading.fault = reader.fault();
    reading.format = reader.format();
    CHECK(reader.alignments_read() == reading.alignments.size());
    return reading;
}

std::string rows_of(const MultipleAlignment& alignment) {
    std::string text;
    for (const MultipleAlignment::Row& row : alignment.rows) text += row.name + " " + row.residues + "\n";
    return text;
}

/// Returns the only alignment of a file.
MultipleAlignment only(const Reading& reading) {
    CHECK_MESSAGE(reading.message.empty(), reading.message);
    REQUIRE(reading.alignments.size() == 1);
    return reading.alignments.front();
}

std::string fault_of(std::string_view bytes, std::optional<Format> format = std::nullopt) {
    const Reading reading = read(bytes, format);
    CHECK(reading.fault.kind != Kind::kNone);
    return std::to_string(reading.fault.line) + " " + reading.fault.what;
}

constexpr std::string_view kStockholm =
    "\n# STOCKHOLM 1.0\n# comment\n"
    "#=GF ID fam\n#=GF AC PF1.2\n#=GF DE A  family\n#=GF AU Somebody\n#=GF GA 25.0 22;\n#=GF TC 30\n#=GF NC undefined "
    "1e1\n"
    "#=GF CC dropped\n"
    "#=GS one WT 0.5\n#=GS one AC A1\n#=GS two WT 1.5\n#=GS two DE the  second\n#=GS two DR dropped\n\n"
    "one          AC-D\n#=GR one PP  99.*\n#=GR one XX  ....\ntwo          .cgd \n"
    "#=GC SS_cons HHHH\n#=GC SA_cons 1234\n#=GC PP_cons 9999\n#=GC RF      xx.x\n#=GC MM      ..mm\n#=GC YY      "
    "yyyy\n\n"
    "one          K~\n#=GR one PP  9.\n#=GR one XX  ..\ntwo          KL\n"
    "#=GC SS_cons EE\n#=GC SA_cons 56\n#=GC PP_cons 88\n#=GC RF      xx\n#=GC MM      mm\n#=GC YY      yy\n//\n";

TEST_CASE("Stockholm: blocks, and what is known of the whole, of rows and of columns") {
    for (const std::size_t block : {std::size_t{1}, std::size_t{7}, kDefaultBlockBytes}) {
        const MultipleAlignment alignment = only(read(kStockholm, std::nullopt, "file", block));
        CHECK(rows_of(alignment) == "one AC-DK~\ntwo .cgdKL\n");
        CHECK(alignment.name == "fam");
        CHECK(alignment.accession == "PF1.2");
        CHECK(alignment.description == "A  family");
        CHECK(alignment.author == "Somebody");
        CHECK(alignment.gathering.sequence_bits == 25.0f);
        CHECK(alignment.gathering.domain_bits == 22.0f);
        CHECK(alignment.trusted.sequence_bits == 30.0f);
        CHECK_FALSE(alignment.trusted.domain_bits);
        CHECK_FALSE(alignment.noise.sequence_bits);
        CHECK(alignment.noise.domain_bits == 10.0f);
        CHECK(alignment.rows[0].weight == 0.5);
        CHECK(alignment.rows[0].accession == "A1");
        CHECK(alignment.rows[0].posteriors == "99.*9.");
        CHECK(alignment.rows[1].description == "the  second");
        CHECK(alignment.rows[1].posteriors.empty());
        CHECK(alignment.structure == "HHHHEE");
        CHECK(alignment.surface == "123456");
        CHECK(alignment.posterior_consensus == "999988");
        CHECK(alignment.reference == "xx.xxx");
        CHECK(alignment.mask == "..mmmm");
    }
}

TEST_CASE("Stockholm: several alignments in a file") {
    const Reading reading = read("# STOCKHOLM 1.0\na AC\n//\n\n# between\n# STOCKHOLM 1.0\nb DEF\n//\n\n");
    CHECK(reading.message.empty());
    REQUIRE(reading.alignments.size() == 2);
    CHECK(rows_of(reading.alignments[0]) == "a AC\n");
    CHECK(rows_of(reading.alignments[1]) == "b DEF\n");
}

TEST_CASE("Stockholm: refused files") {
    const std::string head = "# STOCKHOLM 1.0\n";
    CHECK(fault_of(head + "a AC\nb ACD\n//\n") == "3 unexpected number of aligned residues parsed on line");
    CHECK(fault_of(head + "a AC\na AC\n//\n") == "3 duplicate seq name a");
    CHECK(fault_of(head + "a AC1\n//\n") == "2 invalid sequence character(s) on line");
    CHECK(fault_of(head + "a AC\n") == "2 missing // terminator after MSA");
    CHECK(fault_of(head + "//\n") == "2 no alignment data followed Stockholm header");
    CHECK(fault_of(head + "a\n//\n") == "2 sequence line with no sequence?");
    CHECK(fault_of(head + "#=GC RF xx\n//\n") == "3 no alignment data followed Stockholm header");
    CHECK(fault_of(head + "a AC\nb AC\n\na AC\n//\n") ==
          "6 number of seqs in block did not match number in earlier block(s)");
    CHECK(fault_of(head + "a AC\nb AC\n\na AC\nc AC\n//\n") ==
          "6 unexpected seq name c; expected b from prev block order");
    CHECK(fault_of(head + "#=GS b DE x\na AC\n//\n") ==
          "4 number of seqs in block did not match number annotated by #=GS lines");
    CHECK(fault_of(head + "#=GS a WT 1\na AC\nb AC\n//\n") == "5 stockholm record ended without a weight for b");
    CHECK(fault_of(head + "#=GS a WT x\na AC\n//\n") == "2 value on #=GS <seqname> WT line isn't a real number");
    CHECK(fault_of(head + "#=GF GA x\na AC\n//\n") == "2 Expected a real number for GA1 value on #=GF GA line");
    CHECK(fault_of(head + "a AC\n#=GC RF x\n//\n") == "3 unexpected # of aligned annotation in #=GC RF line");
    CHECK(fault_of(head + "a AC\n#=GC RF xx\n\n#=GC RF xx\na AC\n//\n") ==
          "5 unexpected #=GC RF; earlier block(s) in different order?");
    CHECK(fault_of(head + "a AC\n#=GR a PP 99\n#=GR a PP 99\n//\n") == "4 more than one #=GR a PP line in block");
    CHECK(fault_of("a AC\n", Format::kStockholm) == "1 missing Stockholm header");
    CHECK(read(head + "a AC\nb ACD\n//\n")
              .message.find("file, line 3: unexpected number of aligned residues parsed on line") != std::string::npos);
}

TEST_CASE("aligned FASTA") {
    CHECK(rows_of(only(read("  \n> one  of two \nAC -\n\n D.\n>two\nacDEF\n"))) == "one AC-D.\ntwo acDEF\n");
    CHECK(only(read("> one  of two \nAC\n")).rows[0].description == "of two ");
    CHECK(rows_of(only(read(">a\r\nAC\r\n>b\r\n*~"))) == "a AC\nb *~\n");
    CHECK(fault_of(">a\nAC\n>b\nACD\n") == "4 sequence b has alen 3; expected 2");
    CHECK(fault_of(">a\n>b\nACD\n") == "2 sequence a has alen 0");
    CHECK(fault_of(">a\nA1\n") == "2 one or more invalid sequence characters");
    CHECK(fault_of(">\nA\n") == "1 expected aligned FASTA name/desc line starting with >");
    CHECK(fault_of("A\n", Format::kAfa) == "1 expected aligned FASTA name/desc line starting with >");
}

TEST_CASE("A2M: with dots or without, inserts padded and columns marked") {
    for (const std::string_view file : {">a d\nACgD\n>b\nA-D\nhi\n", ">a d\nA.Cg.D..\n>b\nA-..Dhi\n"}) {
        const MultipleAlignment alignment = only(read(file, Format::kA2m));
        CHECK(rows_of(alignment) == "a ACgD..\nb A-.Dhi\n");
        CHECK(alignment.reference == "xx.x..");
        CHECK(alignment.rows[0].description == "d");
    }
    CHECK(rows_of(only(read(">a\nAOCo\n", Format::kA2m))) == "a AC\n");
    CHECK(read(">a\nAC\n", std::nullopt, "x.a2m").format == Format::kA2m);
    CHECK(read(">a\nAC\n", std::nullopt, "x.a2m.gz").format == Format::kA2m);
    CHECK(fault_of(">a\nAC\n>b\nA\n", Format::kA2m) ==
          "4 unexpected # of consensus residues, didn't match previous seq(s). (Do you have an O residue?)");
    CHECK(fault_of(">a\nAC\n>b\nACD\n", Format::kA2m) ==
          "4 unexpected # of consensus residues, didn't match previous seq(s)");
    CHECK(fault_of(">a\nA*\n", Format::kA2m) == "2 one or more invalid sequence characters");
    CHECK(rows_of(only(read(">a\n\n>b\ncc\n", Format::kA2m))) == "a ..\nb cc\n");
}

TEST_CASE("A2M: a small file cannot ask for any amount of memory") {
    std::string file = ">long\n" + std::string(100'000, 'a') + "\n";
    for (int i = 0; i < 200'000; ++i) file += ">r\n\n";
    CHECK(read(file, Format::kA2m).fault.what.find("is larger than can be read") != std::string::npos);
}

TEST_CASE("PSI-BLAST") {
    const MultipleAlignment alignment = only(read("\na  ACg-\nbb -Ch-\n\na  D\nbb D\n", Format::kPsiblast));
    CHECK(rows_of(alignment) == "a ACg-D\nbb -Ch-D\n");
    CHECK(alignment.reference == "xx.-x");
    CHECK(read("a AC\n", std::nullopt, "x.pb").format == Format::kPsiblast);
    CHECK(fault_of("a  AC\nb AC\n", Format::kPsiblast) == "2 sequence start is misaligned");
    CHECK(fault_of("a AC\nb ACD\n", Format::kPsiblast) == "2 sequence end is misaligned");
    CHECK(fault_of("a AC\nb Ac\n", Format::kPsiblast) == "2 unexpected lower case residue (#2 on line)");
    CHECK(fault_of("a AC\nb AC\n\na AC\n", Format::kPsiblast) ==
          "4 last block didn't contain same # of seqs as earlier blocks");
    CHECK(fault_of("a AC\n\nb AC\n", Format::kPsiblast) == "3 expected sequence a on this line, but saw b");
    CHECK(fault_of("a A.\n", Format::kPsiblast) == "1 one or more invalid sequence characters");
}

TEST_CASE("Clustal and its like") {
    const std::string_view body = "\n\na  AC-  3\nbb AC.  3\n   **\n\na  D\nbb D\n   *\n";
    const std::string head = "CLUSTAL W (1.83) multiple sequence alignment",
                      other = "MUSCLE multiple sequence alignment";
    CHECK(rows_of(only(read(head + std::string(body)))) == "a AC-D\nbb AC.D\n");
    CHECK(read(other + std::string(body)).format == Format::kClustallike);
    CHECK(fault_of(other + std::string(body), Format::kClustal) == "1 missing CLUSTAL header");
    // MAFFT's header, as HMMER 3.4 reads it
    const std::string mafft = "CLUSTAL format alignment by MAFFT (v7.505)" + std::string(body);
    CHECK(read(mafft).format == Format::kClustal);
    for (const std::optional<Format> format :
         {std::optional<Format>(), std::optional(Format::kClustal), std::optional(Format::kClustallike)})
        CHECK(rows_of(only(read(mafft, format))) == "a AC-D\nbb AC.D\n");
    CHECK(fault_of("CLUSTAL W" + std::string(body)) == "1 missing CLUSTAL header");
    CHECK(fault_of("alignment" + std::string(body), Format::kClustallike) == "1 missing CLUSTAL header");
    CHECK(fault_of(head + "\n") == "1 no alignment data following header");
    // The last block may end with the file, also without a line end.
    for (const char* const end : {"", "\n", "\n\n", "\n   \n"}) {
        CHECK(rows_of(only(read(head + "\n\na AC\nb A-" + end))) == "a AC\nb A-\n");
        CHECK(rows_of(only(read(head + "\n\na AC\nb A-\n\na D\nb E" + end))) == "a ACD\nb A-E\n");
    }
    CHECK(fault_of(head + "\na AC\nb AC\n\na AC\n") == "5 last block didn't contain same # of seqs as earlier blocks");
    CHECK(fault_of(head + "\na AC\n\na AC\nb AC\n\n") == "5 expected sequence (null) on this line, but saw b");
}

TEST_CASE("SELEX: blanks are gaps, annotation among the rows") {
    const MultipleAlignment alignment =
        only(read("# comment\n#=RF  xx x\n#=CS  HH\na      C D\n#=SS   H H\nb     AC\n\n#=RF x\n#=CS H\na    \n#=SS "
                  "H\nb    K\n"));
    CHECK(rows_of(alignment) == "a .C.D.\nb AC..K\n");
    CHECK(alignment.reference == "xx xx");
    CHECK(alignment.structure == "HH..H");
    CHECK(alignment.rows[0].structure == ".H HH");
    CHECK(fault_of("#=SS H\na A\n", Format::kSelex) == "1 #=SS must follow a sequence");
    CHECK(fault_of("a A\nb C\n\nb C\na A\n", Format::kSelex) == "4 expected sequence a at this line of block");
    CHECK(fault_of("a A\n\na A\nb C\n", Format::kSelex) == "4 expected 1 lines in block, saw 2");
    CHECK(fault_of("a A\nb 1\n", Format::kSelex) == "2 illegal residue(s) in sequence line");
    CHECK(fault_of("one two three\n") == "0 couldn't guess alignment input format - doesn't even look like selex");
}

TEST_CASE("PHYLIP: in blocks or row by row, several in a file") {
    const std::string_view interleaved = " 2 6\nfirst     ACD\nsec ond   A?-\n\nEFG\nEFG\n";
    CHECK(rows_of(only(read(interleaved))) == "first ACDEFG\nsec_ond A~-EFG\n");
    CHECK(read(interleaved).format == Format::kPhylip);
    const std::string_view sequential = " 2 6\nfirst     ACD\nEFG\nsec ond   A?-\nEFG\n";
    CHECK(rows_of(only(read(sequential, std::nullopt, "x.phys"))) == "first ACDEFG\nsec_ond A~-EFG\n");
    CHECK(fault_of(sequential) == "0 can't guess format: it's consistent w/ both phylip, phylips.");
    CHECK(read("2 15\nfirst     ACDEF\nACDEF\nACDEF\nsecond    ACDEF\nACDEF\nACDEF\n").format == Format::kPhylips);
    CHECK(read(std::string(interleaved) + std::string(interleaved), Format::kPhylip).alignments.size() == 2);
    const std::string_view wide = "2 4\nnameofthefirst  ACDE\nnameofthesecond AC--\n";
    CHECK(rows_of(only(read(wide))) == "nameofthefirst ACDE\nnameofthesecond AC--\n");
    CHECK(fault_of("2 x\nfirst     ACD\n", Format::kPhylip) ==
          "1 first PHYLIP line should be <nseq> <alen>: second field isn't an integer");
    CHECK(fault_of("2\n", Format::kPhylip) == "1 first PHYLIP line should be <nseq> <alen>: only one field found");
    CHECK(fault_of("2 3\n", Format::kPhylip) == "1 no alignment data following PHYLIP header");
    CHECK(fault_of("2 3\nfirst     ACD\n", Format::kPhylip) ==
          "2 unexpected number of sequences in block (saw 1, expected 2)");
    CHECK(fault_of("1 4\nfirst     ACD\n", Format::kPhylip) ==
          "2 alignment length disagrees with header: header said 4, parsed 3");
    CHECK(fault_of("2000000000 4\nfirst     ACD\n", Format::kPhylips) ==
          "2 premature end of file: header said to expect 2000000000 sequences");
}

TEST_CASE("recognition of formats, and files without an alignment") {
    CHECK(fault_of("") == "0 can't guess alignment input format: empty file/no data");
    CHECK(fault_of(" \n\t\n") == "0 can't guess alignment input format: empty file/no data");
    CHECK(read("\n", Format::kAfa).fault.kind == Kind::kEmpty);
    CHECK(read(kStockholm, std::nullopt, "x.pfam").format == Format::kPfam);
    CHECK(read("a AC\n", std::nullopt, "x.sto").format == Format::kSelex);
    const ScratchFolder folder;
    const std::string absent = folder.path("absent").string();
    AlignmentReader missing(absent);
    MultipleAlignment alignment;
    CHECK_FALSE(missing.next(alignment).ok());
    CHECK(missing.fault().kind == Kind::kNotOpened);
    CHECK(missing.fault().what == "couldn't open " + absent + " for reading");
    CHECK(alignment_format_named("sToCkHoLm") == Format::kStockholm);
    CHECK(alignment_format_named("A3M") == Format::kA3m);
    CHECK_FALSE(alignment_format_named("fasta"));
    CHECK(alignment_format_title(Format::kPhylips) == "PHYLIP (sequential)");
}

TEST_CASE("compressed files") {
    const ScratchFolder folder;
    const std::string name = folder.path("x.sto.gz").string();
    gzFile out = gzopen(name.c_str(), "wb");
    gzwrite(out, kStockholm.data(), static_cast<unsigned>(kStockholm.size()));
    gzclose(out);
    AlignmentReader reader(name);
    MultipleAlignment alignment;
    const Result<bool> got = reader.next(alignment);
    REQUIRE(got.ok());
    CHECK(rows_of(alignment) == "one AC-DK~\ntwo .cgdKL\n");
    std::filesystem::resize_file(name, std::filesystem::file_size(name) / 2);
    AlignmentReader cut(name);
    CHECK_FALSE(cut.next(alignment).ok());
    CHECK(cut.fault().kind == Kind::kDamaged);
}

AlignmentLetterKind kind_of(std::string_view bytes, std::optional<Format> format = std::nullopt) {
    const ScratchFolder folder;
    AlignmentReader reader(folder.write("file", bytes), format);
    const Result<AlignmentLetterKind> kind = reader.letter_kind();
    REQUIRE(kind.ok());
    MultipleAlignment alignment;
    CHECK(reader.next(alignment).ok());  // nothing has been taken away
    return *kind;
}

TEST_CASE("kinds of letters") {
    CHECK(kind_of(">a\nACDEFGHIKL\n") == AlignmentLetterKind::kUnknown);  // ten
    CHECK(kind_of(">a\nACDEFGHIKLM\n") == AlignmentLetterKind::kProtein);
    CHECK(kind_of(">a\nACGTACGTACGTNN\n") == AlignmentLetterKind::kDna);
    CHECK(kind_of(">a\nacguacguacguNN\n") == AlignmentLetterKind::kRna);
    CHECK(kind_of(">EEEEEEEEEEEE\nXXXXXXXXXXXXXX\n") == AlignmentLetterKind::kUnknown);
    CHECK(kind_of("# STOCKHOLM 1.0\na ACDEFGHIKLM\n//\n") == AlignmentLetterKind::kProtein);
    CHECK(kind_of("1 12\nEEEEEEEEEEACGTACGTACGT\n") == AlignmentLetterKind::kDna);
    CHECK(kind_of("CLUSTAL multiple sequence alignment\nE ACGTACGTACGT\n\n") == AlignmentLetterKind::kDna);
}

TEST_CASE("a file without line ends is not held in memory") {
    const testing::ScratchFolder folder;
    const auto file = folder.write("huge", "a");
    constexpr std::uint64_t kHugeBytes = std::uint64_t{1} << 32;  // a sparse file
    std::filesystem::resize_file(file, kHugeBytes);
    for (const std::optional<Format> format : {std::optional<Format>(), std::optional(Format::kStockholm)}) {
        AlignmentReader reader(file, format);
        MultipleAlignment alignment;
        const auto got = reader.next(alignment);
        REQUIRE_FALSE(got.ok());
        CHECK(got.status().message() == file.string() + ": line 1: a line of 64 MiB or more; is a line end missing?");
        CHECK(reader.fault().kind == AlignmentFault::Kind::kDamaged);
        CHECK(reader.bytes_read() < 2 * kLongestAlignmentLine);
    }
}

}  // namespace
}  // namespace warpseq
