// Query files of both kinds, which are told apart by their first bytes.
#include "formats/profiles/query_file.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "tests/support/golden_folder.h"
#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using namespace std::string_literals;  // text with NUL bytes in it
using testing::ScratchFolder;

TEST_CASE("profiles and sequences are told apart by how the file begins") {
    const ScratchFolder folder;
    std::ifstream golden(testing::golden_folder() / "hmm/every-field-3b.hmm", std::ios::binary);
    REQUIRE(golden.good());
    const std::string text{std::istreambuf_iterator<char>(golden), {}};
    const auto opened = [&](std::string_view bytes) {
        Result<QueryFileReader> reader = open_query_file(folder.write("query", bytes));
        REQUIRE_MESSAGE(reader.ok(), reader.status().message());
        return std::move(*reader);
    };
    for (const std::string& bytes : {text, "\xef\xbb\xbf\r\n" + text, "# a comment\n" + text}) {
        QueryFileReader reader = opened(bytes);
        REQUIRE(std::holds_alternative<HmmFileReader>(reader));
        ProfileHmm hmm;
        REQUIRE(*std::get<HmmFileReader>(reader).next(hmm));
        CHECK(hmm.name == "Every_field");
        CHECK_FALSE(*std::get<HmmFileReader>(reader).next(hmm));
    }
    {
        QueryFileReader reader = opened("\xef\xbb\xbf>HMMER3/f looks like it\nACD\n>b\n");
        REQUIRE(std::holds_alternative<SequenceFileReader>(reader));
        SequenceFileReader& fasta = std::get<SequenceFileReader>(reader);
        NamedSequence sequence;
        REQUIRE(*fasta.next(sequence));
        CHECK(sequence.name == "HMMER3/f");
        CHECK(sequence.description == "looks like it");
        CHECK(sequence.residues.size() == 3);
        REQUIRE(*fasta.next(sequence));
        CHECK(sequence.name == "b");
        CHECK_FALSE(*fasta.next(sequence));
        CHECK(fasta.counts().empty_sequences == 1);
    }
    CHECK(std::holds_alternative<HmmFileReader>(opened("HMMER2.0\n")));
    CHECK(std::holds_alternative<HmmFileReader>(opened("\xba\xed\xed\xe8"s)));
    for (const char* const bytes : {"", "\n", "ACDEF\n", "HMME\n"}) {
        QueryFileReader reader = opened(bytes);
        REQUIRE(std::holds_alternative<SequenceFileReader>(reader));
        NamedSequence sequence;
        CHECK_FALSE(std::get<SequenceFileReader>(reader).next(sequence).ok());
    }
    {
        QueryFileReader reader = opened("\n# STOCKHOLM 1.0\n#=GS a AC P1\n#=GS a DE of it\na AC-D\nb --aC\n//\n");
        SequenceFileReader& rows = std::get<SequenceFileReader>(reader);
        NamedSequence sequence;
        REQUIRE(*rows.next(sequence));
        CHECK(sequence.name == "a");
        CHECK(sequence.accession == "P1");
        CHECK(sequence.description == "of it");
        CHECK(sequence.residues == encode_residues("ACD"));
        REQUIRE(*rows.next(sequence));
        CHECK(sequence.residues == encode_residues("AC"));
        CHECK_FALSE(*rows.next(sequence));
    }
    {
        // A reader of SELEX sees a table here.
        QueryFileReader reader = opened("ID   SOMETHING\n");
        NamedSequence sequence;
        CHECK_FALSE(std::get<SequenceFileReader>(reader).next(sequence).ok());
    }
    CHECK_FALSE(open_query_file(folder.path("absent")).ok());
}

}  // namespace
}  // namespace warpseq
