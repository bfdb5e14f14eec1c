// Names by which a sequence is found: accessions, versions, chains, and several definition lines.
#include "formats/fasta/sequence_names.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace warpseq;

namespace {

using Names = std::vector<std::string_view>;

/// Whether a look-up gets as far as the header. For this the index must have the name that is
/// looked up.
bool is_indexed(std::string_view header, std::string_view asked) {
    const Names names = index_names_of(header);
    return std::ranges::find(names, index_name_of(asked)) != names.end();
}

}  // namespace

TEST_CASE("names of identifiers with tags, versions and chains") {
    CHECK(index_names_of("sp|P68871|HBB_HUMAN Hemoglobin") == Names{"P68871", "HBB_HUMAN"});
    CHECK(index_names_of("gi|4504349|ref|NP_000509.1| hemoglobin") == Names{"NP_000509", "4504349"});
    CHECK(index_names_of("gb|AAA12345.1|LOCUS") == Names{"AAA12345", "LOCUS"});
    CHECK(index_names_of("gnl|db|name x") == Names{"name"});
    CHECK(index_names_of("pdb|1A3N|B Chain B") == Names{"1A3N"});
    CHECK(index_names_of("1a3n_B mol:protein") == Names{"1a3n"});
    CHECK(index_names_of("lcl|mine.1") == Names{"mine.1"});
    CHECK(index_names_of("UniRef90_P68871 Cluster") == Names{"UniRef90_P68871"});
    CHECK(index_names_of("AT1G01010.1 | NAC") == Names{"AT1G01010"});
    // Names that only look like these are kept whole.
    CHECK(index_names_of("seq.1") == Names{"seq.1"});
    CHECK(index_names_of("contig_1.12") == Names{"contig_1.12"});
    CHECK(index_names_of("NP_000509.1234") == Names{"NP_000509.1234"});
    CHECK(index_names_of("a|b|c") == Names{"a|b|c"});
    CHECK(index_names_of("sp|") == Names{"sp|"});
    CHECK(index_names_of("||") == Names{"||"});
    CHECK(index_names_of("") == Names{""});
}

TEST_CASE("each definition line has names, each name once, the first one first") {
    CHECK(index_names_of("ref|WP_00001.1| a b\x01gb|AAA11.1| c\x01 ref|WP_00001.1| again\x01>sp|P12345|X_Y\x01") ==
          Names{"WP_00001", "AAA11", "P12345", "X_Y"});
    CHECK(index_names_of("Z9|a\x01 B2\x01 A1\x01 B2") == Names{"Z9|a", "A1", "B2"});
    CHECK(index_names_of("NP_00011.1\x01NP_00011.2") == Names{"NP_00011"});
}

TEST_CASE("a requested name matches as a whole, or by its accession, version and chain") {
    struct Case {
        std::string header, asked;
        NameMatch match;
    };
    for (const Case& each : {
             Case{"sp|P68871|HBB_HUMAN x", "sp|P68871|HBB_HUMAN", NameMatch::kWhole},
             Case{"sp|P68871|HBB_HUMAN x", "P68871", NameMatch::kPart},
             Case{"sp|P68871|HBB_HUMAN x", "HBB_HUMAN", NameMatch::kPart},
             Case{"sp|P68871|HBB_HUMAN x", "HBB", NameMatch::kNone},
             Case{"sp|P68871|HBB_HUMAN x", "x", NameMatch::kNone},
             Case{"P68871", "sp|P68871|HBB_HUMAN", NameMatch::kPart},
             Case{"gi|4504349|ref|NP_000509.1| h", "NP_000509.1", NameMatch::kPart},
             Case{"gi|4504349|ref|NP_000509.1| h", "NP_000509", NameMatch::kPart},
             Case{"gi|4504349|ref|NP_000509.1| h", "ref|NP_000509.1|", NameMatch::kPart},
             Case{"gi|4504349|ref|NP_000509.1| h", "4504349", NameMatch::kPart},
             Case{"gi|4504349|ref|NP_000509.1| h", "gi|4504349", NameMatch::kPart},
             Case{"gi|4504349|ref|NP_000509.1| h", "NP_000509.2", NameMatch::kNone},
             Case{"1a3n_B x", "1a3n", NameMatch::kPart},
             Case{"1a3n_B x", "1a3n_B", NameMatch::kWhole},
             Case{"1a3n_B x", "1a3n_A", NameMatch::kNone},
             Case{"pdb|1A3N|B x", "1A3N_B", NameMatch::kPart},
             Case{"pdb|1A3N|B x", "1A3N_C", NameMatch::kNone},
             Case{"a b\x01 c d\x01 e", "c", NameMatch::kWhole},
             Case{"a b\x01 c d\x01 e", "d", NameMatch::kNone},
         }) {
        CAPTURE(each.header);
        CAPTURE(each.asked);
        CHECK(match_name(each.header, each.asked) == each.match);
        if (each.match != NameMatch::kNone) CHECK(is_indexed(each.header, each.asked));
    }
}
