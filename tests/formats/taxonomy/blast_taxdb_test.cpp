#include "formats/taxonomy/blast_taxdb.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/blast_files.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

struct Taxon {
    std::uint64_t taxid;
    std::string names;
};

/// Writes a taxdb whose index tells of `told` taxa.
void write_taxdb(const ScratchFolder& folder, const std::vector<Taxon>& taxa, std::size_t told,
                 std::uint64_t magic = 0x8739) {
    std::string index = big_endian_bytes(magic) + big_endian_bytes(told) + std::string(16, '\0'), names;
    for (const Taxon& taxon : taxa) {
        index += big_endian_bytes(taxon.taxid) + big_endian_bytes(names.size());
        names += taxon.names;
    }
    folder.write("taxdb.bti", index);
    folder.write("taxdb.btd", names);
}

}  // namespace

TEST_CASE("names of taxa in a taxdb") {
    const ScratchFolder folder;
    write_taxdb(folder,
                {{7, "Seven\tseventh\t-\tBacteria"},
                 {562, "Escherichia coli\tEscherichia coli\tenterobacteria\tBacteria"},
                 {9606, "Homo sapiens\thuman\tprimates"},
                 {4'294'967'295, "last\tl\tm\tn\tmore"}},
                4);
    const auto taxdb = BlastTaxdb::open(folder.path(""));
    REQUIRE(taxdb.ok());
    const auto seven = taxdb->find(7);
    REQUIRE(seven);
    CHECK(seven->scientific == "Seven");
    CHECK(seven->common == "seventh");
    CHECK(seven->blast == "-");
    CHECK(seven->kingdom == "Bacteria");
    CHECK(taxdb->find(562)->blast == "enterobacteria");
    CHECK(taxdb->find(9606)->scientific.empty());  // a name is missing
    CHECK(taxdb->find(4'294'967'295)->kingdom == "n\tmore");
    for (const std::int64_t absent : {-1LL, 0LL, 8LL, 9605LL, 4'294'967'294LL, 4'294'967'296LL + 7})
        CHECK_FALSE(taxdb->find(absent));
}

TEST_CASE("a taxdb that is damaged or missing") {
    const ScratchFolder folder;
    CHECK_FALSE(BlastTaxdb::open(folder.path(""))->find(7));
    write_taxdb(folder, {{7, "a\tb\tc\td"}}, 1, 0x8738);
    CHECK(BlastTaxdb::open(folder.path("")).status().message() == "Error: Tax database file has wrong magic number.");
    write_taxdb(folder, {{7, "a\tb\tc\td"}}, 2);
    CHECK(BlastTaxdb::open(folder.path("")).status().message() ==
          "SeqDB: Taxid metadata indicates (2) entries but file has room for (1).");
    // The names of the taxon are beyond the end of the file.
    write_taxdb(folder, {{7, "a\tb\tc\td"}, {8, "e\tf\tg\th"}}, 2);
    folder.write("taxdb.btd", "a\tb");
    const auto taxdb = BlastTaxdb::open(folder.path(""));
    REQUIRE(taxdb.ok());
    CHECK(taxdb->find(7)->scientific.empty());
    CHECK(taxdb->find(8)->scientific.empty());
    folder.write("taxdb.bti", "short");
    CHECK_FALSE(BlastTaxdb::open(folder.path(""))->find(7));
}
