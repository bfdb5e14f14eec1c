// The names of formats of sequence files, and how formats are recognised.
#include "formats/sequences/sequence_format.h"

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using Kind = SequenceFileKind;

TEST_CASE("names of formats, in any case") {
    for (const auto& [name, kind] :
         {std::pair("fasta", Kind::kFasta), std::pair("EMBL", Kind::kEmbl), std::pair("uniprot", Kind::kEmbl),
          std::pair("GenBank", Kind::kGenbank), std::pair("ddbj", Kind::kGenbank), std::pair("daemon", Kind::kFasta),
          std::pair("hmmpgmd", Kind::kFasta), std::pair("ncbi", Kind::kBlastDatabase),
          std::pair("fmindex", Kind::kFmIndex), std::pair("Stockholm", Kind::kAlignments),
          std::pair("afa", Kind::kAlignments), std::pair("phylips", Kind::kAlignments)}) {
        const auto format = sequence_format_named(name);
        REQUIRE(format);
        CHECK(format->kind == kind);
        CHECK(format->is_asserted());
        CHECK(is_hmmer(format->dialect));
    }
    CHECK(sequence_format_named("selex")->alignments == AlignmentFormat::kSelex);
    CHECK(sequence_format_named("daemon")->dialect == FastaDialect::kDaemon);
    CHECK(sequence_format_named("hmmpgmd")->dialect == FastaDialect::kHmmpgmd);
    for (const char* name : {"", "x", "fast", "a3m", "embl ", "swissprot"}) CHECK_FALSE(sequence_format_named(name));
    CHECK_FALSE(SequenceFileFormat{}.is_asserted());
    CHECK_FALSE(SequenceFileFormat{.kind = Kind::kFasta, .dialect = FastaDialect::kHmmer}.is_asserted());
}

/// Returns the kind of a file with this content.
Kind kind_of(std::string_view bytes, std::string_view name = "f", FastaDialect dialect = FastaDialect::kHmmer,
             Kind kind = Kind::kAsHmmer) {
    const testing::ScratchFolder folder;
    const auto file = folder.write(name, bytes);
    const std::span start(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    return recognised_format(file, start, {.kind = kind, .dialect = dialect}).kind;
}

TEST_CASE("the first line that is not blank decides, and .fa and .gb before it") {
    const std::string_view stockholm = "# STOCKHOLM 1.0\na MK\n//\n";
    CHECK(kind_of("\n \t\v\r\n>a\nM\n") == Kind::kFasta);
    CHECK(kind_of("\nID   a;\n") == Kind::kEmbl);
    CHECK(kind_of("LOCUS       a\n") == Kind::kGenbank);
    CHECK(kind_of("GBPRI  Genetic Sequence Data Bank\n") == Kind::kGenbank);
    CHECK(kind_of(stockholm) == Kind::kAlignments);
    CHECK(kind_of("CLUSTAL format alignment by MAFFT (v7.505)\n") == Kind::kAlignments);
    CHECK(kind_of("ID  a\nb  c\n") == Kind::kAlignments);  // SELEX
    CHECK(kind_of("neither this nor that\n") == Kind::kFasta);
    CHECK(kind_of("") == Kind::kFasta);
    CHECK(kind_of(" ID   a b;\n") == Kind::kFasta);
    CHECK(kind_of(stockholm, "f.fa") == Kind::kFasta);
    CHECK(kind_of("ID   a;\n", "f.fa") == Kind::kFasta);
    CHECK(kind_of(">a\nM\n", "f.gb") == Kind::kGenbank);
    CHECK(kind_of(stockholm, "f.sto.gz") == Kind::kFasta);  // HMMER reads .gz through a pipe
    CHECK(kind_of("ID   a;\n", "f.dat.gz") == Kind::kEmbl);
    CHECK(kind_of(">a\nM\n", "f.afa") == Kind::kFasta);
}

TEST_CASE("outside of HMMER's dialect FASTA is recognised first") {
    const FastaDialect own = FastaDialect::kWarpseq;
    CHECK(kind_of(">a\nM\n", "f.gb", own) == Kind::kFasta);
    CHECK(kind_of("\xef\xbb\xbf; comment\n", "f", own) == Kind::kFasta);
    CHECK(kind_of("ID   a;\n", "f.fa", own) == Kind::kEmbl);
    CHECK(kind_of("neither this nor that\n", "f", own) == Kind::kFasta);
    CHECK(kind_of("neither this nor that\n", "f", own, Kind::kByContent) == Kind::kAlignments);
    CHECK(kind_of("LOCUS       a\n", "f", own, Kind::kByContent) == Kind::kGenbank);
}

TEST_CASE("a format that is known is not recognised") {
    CHECK(kind_of("ID   a;\n", "f", FastaDialect::kHmmerFasta, Kind::kFasta) == Kind::kFasta);
    CHECK(kind_of(">a\nM\n", "f", FastaDialect::kHmmer, Kind::kEmbl) == Kind::kEmbl);
}

}  // namespace
}  // namespace warpseq
