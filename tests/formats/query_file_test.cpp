// Query files of either kind, told apart by their first bytes.
#include "formats/query_file.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using namespace std::string_literals;  // text with NUL bytes in it
using testing::ScratchFolder;

TEST_CASE("profiles and sequences are told apart by how the file begins") {
    const ScratchFolder folder;
    std::ifstream golden(WARPSEQ_GOLDEN_FOLDER "/hmm/every-field-3b.hmm", std::ios::binary);
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
        REQUIRE(std::holds_alternative<FastaReader>(reader));
        FastaReader& fasta = std::get<FastaReader>(reader);
        FastaRecord record;
        REQUIRE(*fasta.next(record));
        CHECK(record.header == "HMMER3/f looks like it");
        CHECK(record.residues.size() == 3);
        REQUIRE(*fasta.next(record));
        CHECK(record.header == "b");
        CHECK_FALSE(*fasta.next(record));
        REQUIRE(fasta.sources().size() == 1);
        CHECK(fasta.sources()[0].name == "query");
    }
    CHECK(std::holds_alternative<HmmFileReader>(opened("HMMER2.0\n")));
    CHECK(std::holds_alternative<HmmFileReader>(opened("\xba\xed\xed\xe8"s)));
    for (const char* const bytes : {"", "\n", "ACDEF\n", "HMME\n"}) {
        QueryFileReader reader = opened(bytes);
        REQUIRE(std::holds_alternative<FastaReader>(reader));
        FastaRecord record;
        CHECK_FALSE(std::get<FastaReader>(reader).next(record).ok());
    }
    CHECK_FALSE(open_query_file(folder.path("absent")).ok());
}

}  // namespace
}  // namespace warpseq
