#include "formats/taxonomy/accession_taxids.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <fstream>
#include <map>

#include "libcore/base/random.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

/// Returns the taxonomy ID of each identifier.
std::vector<std::uint32_t> taxids_of(const std::vector<std::string>& identifiers, const std::filesystem::path& folder,
                                     const std::vector<std::string>& lists, unsigned threads = 2,
                                     std::uint64_t memory_bytes = std::uint64_t{8} << 20) {
    const ThreadPool pool(threads);
    AccessionTaxids taxids(memory_bytes, folder, pool);
    for (std::size_t line = 0; line < identifiers.size(); ++line)
        REQUIRE(taxids.add(line, AccessionTaxids::names_of(identifiers[line])).ok());
    std::vector<std::filesystem::path> files;
    for (const std::string& list : lists) {
        files.push_back(folder / ("list" + std::to_string(files.size())));
        std::ofstream(files.back(), std::ios::binary) << list;
    }
    const Status read = taxids.read(files);
    REQUIRE_MESSAGE(read.ok(), read.message());
    std::vector<std::uint32_t> found;
    for (std::size_t line = 0; line < identifiers.size(); ++line) {
        const auto taxid = taxids.taxid_of(line);
        REQUIRE(taxid.ok());
        found.push_back(*taxid);
    }
    return found;
}

using Taxids = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("accessions with and without versions, of all kinds of identifiers") {
    const ScratchFolder folder;
    const std::vector<std::string> identifiers = {
        "sp|P68871|HBB_HUMAN", "NP_000509.1", "prot1", "ref|NP_000510.2|", "gi|129295|ref|WP_000000001.2|",
        "pdb|1A3N|B",          "1a3n_A",      "lcl|x", "gnl|db|tag7",      "tr|A0A000.3|"};
    CHECK(
        taxids_of(identifiers, folder.path(""),
                  {"P68871\t1\nNP_000509 2\nprot1\t3\nNP_000510.9\t4\n129295\t5\n1A3N_B\t6\n1a3n_A\t7\nx\t8\ntag7\t9\n"
                   "A0A000\t10\n"}) == Taxids{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    // The lists have identifiers with kinds, and some of no sequence. Names of entries are not
    // accessions.
    CHECK(taxids_of(identifiers, folder.path(""),
                    {"sp|P68871\t1\nref|NP_000509.1|\t2\nlcl|prot1\t3\ngi|129295\t5\npdb|1A3N|B\t6\nHBB_HUMAN\t9\n"
                     "1A3N\t8\nabsent\t7\n"}) == Taxids{1, 2, 3, 0, 5, 6, 0, 0, 0, 0});
    // Case matters for accessions that are not of a public database.
    CHECK(taxids_of(identifiers, folder.path(""), {"p68871\t1\nnp_000509.1\t2\nPROT1\t3\nX\t8\n"}) ==
          Taxids{1, 2, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("the last line for an accession counts, but a line with its version takes precedence") {
    const ScratchFolder folder;
    CHECK(taxids_of({"NP_000509.2"}, folder.path(""), {"NP_000509\t1\nNP_000509\t2\n"}) == Taxids{2});
    CHECK(taxids_of({"NP_000509.2"}, folder.path(""), {"NP_000509.2\t1\nNP_000509.3\t2\nNP_000509\t3\n"}) == Taxids{1});
    CHECK(taxids_of({"NP_000509.2"}, folder.path(""), {"NP_000509.1\t1\nNP_000509.3\t2\n"}) == Taxids{2});
    CHECK(taxids_of({"NP_000509.2"}, folder.path(""), {"NP_000509.1\t1\n", "NP_000509.1\t2\n"}) == Taxids{2});
    // Two of the same name are of the same taxon.
    CHECK(taxids_of({"a", "b", "a"}, folder.path(""), {"a\t4\n"}) == Taxids{4, 0, 4});
}

TEST_CASE("NCBI's files: two columns or four, below their names") {
    const ScratchFolder folder;
    CHECK(taxids_of({"A0A009IHW8.1", "1A3N_B"}, folder.path(""),
                    {"accession\taccession.version\ttaxid\tgi\nA0A009IHW8\tA0A009IHW8.1\t1310613\t1835922267\n"
                     "1A3N_B\t1A3N_B\t9606\t0\n"}) == Taxids{1310613, 9606});
    CHECK(taxids_of({"A0A009IHW8.1"}, folder.path(""), {"accession.version\ttaxid\r\nA0A009IHW8.1\t5\r\n\r\n"}) ==
          Taxids{5});
    CHECK(taxids_of({"A0A009IHW8.1"}, folder.path(""), {"A0A009IHW8.1\t2147483647"}) == Taxids{2147483647});
    CHECK(taxids_of({"accession"}, folder.path(""), {"accession\t7\n"}) == Taxids{7});
    CHECK(taxids_of({}, folder.path(""), {"x\t7\n"}).empty());
    CHECK(taxids_of({"x"}, folder.path(""), {""}) == Taxids{0});
}

TEST_CASE("malformed lines are refused, with file and line") {
    const ScratchFolder folder;
    const ThreadPool pool(2);
    for (const auto& [line, shown] :
         std::initializer_list<std::pair<std::string, std::string>>{{"x", "x"},
                                                                    {"x\t1\t2", "x\t1\t2"},
                                                                    {"x\t-1", "x\t-1"},
                                                                    {"x\t2147483648", "x\t2147483648"},
                                                                    {"x y", "x y"},
                                                                    {"a\tb\t1\t2\t3", "a\tb\t1\t2\t3"},
                                                                    {"accession\ttaxid", "accession\ttaxid"}}) {
        AccessionTaxids taxids(std::uint64_t{2} << 20, folder.path(""), pool);
        REQUIRE(taxids.add(0, AccessionTaxids::names_of("x")).ok());
        std::string text;
        for (int n = 0; n < 100000; ++n) text += "x\t1\n";
        const auto file = folder.path("list");
        std::ofstream(file, std::ios::binary) << text << line << "\n" << text;
        const Status status = taxids.read({file});
        REQUIRE_FALSE(status.ok());
        CHECK(status.message() == file.string() +
                                      ": line 100001: expected an accession and a taxonomy ID, or NCBI's four columns, "
                                      "found '" +
                                      shown + "'");
    }
    AccessionTaxids taxids(std::uint64_t{2} << 20, folder.path(""), pool);
    CHECK_FALSE(taxids.read({folder.path("absent")}).ok());
}

TEST_CASE("a list that breaks off within a line is called damaged; wrong lines before it are reported first") {
    const ScratchFolder folder;
    const ThreadPool pool(2);
    for (const bool has_wrong_line : {false, true}) {
        const auto file = folder.path("list.gz");
        const gzFile out = gzopen(file.c_str(), "wb1");
        REQUIRE(out != nullptr);
        Random random(5);
        for (int n = 1; n <= 20000; ++n) {
            const std::string line = has_wrong_line && n == 7 ? "wrong\n"
                                                              : "AB" + std::to_string(random.below(1u << 30)) + "\t" +
                                                                    std::to_string(n) + "\n";
            REQUIRE(gzwrite(out, line.data(), static_cast<unsigned>(line.size())) > 0);
        }
        REQUIRE(gzclose(out) == Z_OK);
        std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
        AccessionTaxids taxids(std::uint64_t{2} << 20, folder.path(""), pool);
        REQUIRE(taxids.add(0, AccessionTaxids::names_of("x")).ok());
        const Status status = taxids.read({file});
        REQUIRE_FALSE(status.ok());
        CAPTURE(status.message());
        CHECK((status.message().find(": line 7: expected") != std::string::npos) == has_wrong_line);
        CHECK((status.message().find("cut off") != std::string::npos) == !has_wrong_line);
    }
}

TEST_CASE("many names and lines, whatever the threads and the memory") {
    const ScratchFolder folder;
    Random random(9);
    std::vector<std::string> identifiers;
    // More than are kept in memory.
    for (int n = 0; n < 300000; ++n) identifiers.push_back("NP_" + std::to_string(random.below(90000) + 10000) + ".1");
    std::string list;
    std::map<std::string, std::uint32_t> expected;
    for (std::uint32_t n = 0; n < 150000; ++n) {
        const std::string name = "NP_" + std::to_string(random.below(90000) + 10000) + ".1";
        const auto taxid = static_cast<std::uint32_t>(1 + random.below(100000));
        list += name + "\t" + std::to_string(taxid) + "\n";
        expected[name] = taxid;
    }
    Taxids wanted;
    for (const std::string& identifier : identifiers) wanted.push_back(expected[identifier]);
    CHECK(taxids_of(identifiers, folder.path(""), {list}, 1) == wanted);
    CHECK(taxids_of(identifiers, folder.path(""), {list}, 3, std::uint64_t{2} << 20) == wanted);
}
