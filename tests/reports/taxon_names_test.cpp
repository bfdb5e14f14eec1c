#include "reports/taxon_names.h"

#include <doctest/doctest.h>

using namespace warpseq;

namespace {

using Taxids = std::vector<std::uint64_t>;

Taxonomy tree() {
    auto parsed = Taxonomy::parse(
        "2\t0\t\tBacteria\t\t\n562\t2\tspecies\tEscherichia coli\t\tenterobacteria\n2759\t0\t\tEukaryota\t\t\n"
        "9443\t2759\torder\tPrimates\t\tprimates\n9606\t9443\tspecies\tHomo sapiens\thuman\t\n");
    REQUIRE(parsed.ok());
    return *std::move(parsed);
}

}  // namespace

TEST_CASE("names of one taxon and of all: blastp's words for what is not known") {
    const Taxonomy known = tree();
    const TaxonNames two = name_taxa(&known, 9606, Taxids{0, 562, 777, 9606}, true);
    CHECK(two.scientific == "Homo sapiens");
    CHECK(two.common == "human");
    CHECK(two.blast == "primates");
    CHECK(two.kingdom == "Eukaryota");
    CHECK(two.all_scientific == "N/A;Escherichia coli;N/A;Homo sapiens");
    CHECK(two.all_common == "N/A;Escherichia coli;N/A;human");
    CHECK(two.all_blast == "enterobacteria;primates");
    CHECK(two.all_kingdoms == "Bacteria;Eukaryota");
    const TaxonNames alone = name_taxa(&known, 777, Taxids{0, 562, 777, 9606}, false);
    CHECK(alone.scientific == "N/A");
    CHECK(alone.all_scientific == "Escherichia coli;Homo sapiens");
    CHECK(alone.all_common == "Escherichia coli;human");
    for (const Taxonomy* const none : {static_cast<const Taxonomy*>(nullptr), &known}) {
        const TaxonNames nothing = name_taxa(none, 0, Taxids{0, 777}, false);
        CHECK(nothing.all_scientific == "N/A");
        CHECK(nothing.all_common == "N/A");
        CHECK(nothing.all_blast == "N/A");
        CHECK(nothing.all_kingdoms == "N/A");
        CHECK(name_taxa(none, 0, Taxids{0, 777}, true).all_scientific == "N/A;N/A");
    }
    CHECK(name_taxa(&known, ~std::uint64_t{0}, Taxids{~std::uint64_t{0}}, true).all_scientific == "N/A");
}
