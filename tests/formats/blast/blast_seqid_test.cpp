#include "formats/blast/blast_seqid.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "formats/blast/blast_seqid_parser.h"

using namespace warpseq;

namespace {

std::string read(const std::string& text, const SeqIdReading& reading = {}) {
    const auto id = parse_seqid(text, reading);
    return id.ok() ? id->fasta() : "error: " + id.status().message();
}

BlastSeqId id_of(const std::string& text) { return *parse_seqid(text, {}); }

}  // namespace

TEST_CASE("accessions are known by how they are made, as NCBI's makeblastdb knows them") {
    const struct {
        const char *text, *id;
    } cases[] = {
        {"P12345", "sp|P12345|"},
        {"p12345", "sp|p12345|"},
        {"A0A123", "sp|A0A123|"},
        {"A0A023GPI8.2", "sp|A0A023GPI8.2|"},
        {"P1234A", "lcl|P1234A"},
        {"P12345.x", "lcl|P12345.x"},
        {"P12345.", "lcl|P12345."},
        {"NP_123456.12", "ref|NP_123456.12|"},
        {"NP_12345", "lcl|NP_12345"},
        {"WP_12345678", "ref|WP_12345678|"},
        {"XM_123456", "lcl|XM_123456"},
        {"ABCD_123", "lcl|ABCD_123"},
        {"AAA12345", "gb|AAA12345|"},
        {"AAA123456", "lcl|AAA123456"},
        {"CAA12345.1", "emb|CAA12345.1|"},
        {"BAA1234567", "dbj|BAA1234567|"},
        {"DAA12345", "tpg|DAA12345|"},
        {"FAA12345", "tpd|FAA12345|"},
        {"XAA12345", "lcl|XAA12345"},
        {"1ABC", "pdb|1ABC| "},
        {"1abc_A", "pdb|1abc|A"},
        {"1914_A", "pdb|1914|A"},
        {"1ABC_", "pdb|1ABC|_"},
        {"1ABC-A", "pdb|1ABC|A"},
        {"1ABCA", "lcl|1ABCA"},
        {"1234", "lcl|1234"},
        {"AT1G01010.1", "lcl|AT1G01010.1"},
        {"ENSP00000263741.7", "lcl|ENSP00000263741.7"},
        {"sample.1.2.3", "lcl|sample.1.2.3"},
        {"AB123456", "lcl|AB123456"},
    };
    for (const auto& each : cases) {
        CAPTURE(each.text);
        CHECK(read(each.text) == each.id);
    }
    CHECK(read("5", {.numbers_are_gis = true}) == "gi|5");
    CHECK(read("P12345", {.finds_accessions = false}) == "lcl|P12345");
    CHECK(read("a b", {.takes_any_local = false}) == "error: Malformatted ID a b");
    CHECK(read("a", {.takes_local = false}) == "error: Malformatted ID a");
    CHECK(read("") == "error: Empty bare accession supplied");
}

TEST_CASE("identifiers with their kinds") {
    CHECK(read("SP|P12345.2|Name") == "sp|P12345.2|Name");
    CHECK(read("tr|Q1|N") == "tr|Q1|N");
    CHECK(read("pir||S12") == "pir||S12");
    CHECK(read("pat|US|123|4") == "pat|US|123|4");
    CHECK(read("pdb|1ABCD") == "pdb|1ABC|D");
    CHECK(read("gnl|db|AB.3") == "gnl|db|AB.3");
    CHECK(read("lcl|a|b") == "lcl|a");
    CHECK(read("lcl|a|b", {.takes_parts = false}) == "error: FASTA-style ID lcl|a|b has too many parts.");
    CHECK(read("gi|x") == "error: Negative, excessively large, or non-numeric gi ID x");
    CHECK(read("sp|P1.x|N") == "error: Version embedded in accession P1.x is not a positive integer");
    CHECK(read("pdb|1ab|A") == "error: Malformatted PDB ID 1ab");
    CHECK(read("gnl|a") == "error: Not enough fields for ID of type gnl");
    CHECK(id_of("lcl|17").is_number);
    CHECK_FALSE(id_of("lcl|017").is_number);
    CHECK_FALSE(id_of("gnl|db|0").is_number);
}

TEST_CASE("several identifiers in one text") {
    const auto ids = [](const std::string& text, const SeqIdReading& reading) {
        std::vector<BlastSeqId> found;
        const Status status = parse_seqids(text, reading, found);
        std::string joined;
        for (const BlastSeqId& id : found) joined += id.fasta() + " ";
        return joined + (status.ok() ? "" : "error");
    };
    CHECK(ids("gi|12|ref|NP_1.1|", {}) == "gi|12 ref|NP_1.1| ");
    CHECK(ids("gb|A1|emb|B2|", {}) == "gb|A1| emb|B2| ");
    CHECK(ids("foo|bar", {}) == "gnl|foo|bar ");
    CHECK(ids("foo|bar|baz", {.takes_parts = false}) == "error");
    CHECK(ids("quux|bar", {}) == "lcl|quux|bar ");
    CHECK(ids(" ", {}) == "");
    CHECK(ids("P12345", {.finds_accessions = false, .takes_local = false}) == "error");
    std::vector<BlastSeqId> found;
    REQUIRE(parse_seqids("gi|12|ref|NP_1.1|", {}, found).ok());
    CHECK(shown_seqid(found)->fasta() == "ref|NP_1.1|");
    CHECK(shown_seqid({}) == nullptr);
}

TEST_CASE("labels") {
    CHECK(id_of("sp|p12345.2|n").label(true) == "P12345.2");
    CHECK(id_of("sp|p12345.2|n").label(false) == "P12345");
    CHECK(id_of("gb||Locus").label(true) == "Locus");
    CHECK(id_of("pat|US|123|4").label(true) == "US123_4");
    CHECK(id_of("pdb|1abc|B").label(true) == "1abc_B");
    CHECK(id_of("gnl|db|AB.3").label(false) == "db:AB.3");
    CHECK(id_of("AT1G01010.1").label(false) == "AT1G01010.1");
    CHECK(id_of("gi|5").shown() == "gi|5");
    CHECK(id_of("prf||12A").shown() == "prf||12A");
}

TEST_CASE("comparing") {
    using Comparison = BlastSeqId::Comparison;
    const auto compare = [](const std::string& a, const std::string& b) { return id_of(a).compare(id_of(b)); };
    CHECK(compare("sp|P12345|A", "sp|p12345|B") == Comparison::kSame);
    CHECK(compare("sp|P12345.1|A", "sp|P12345.2|A") == Comparison::kOther);
    CHECK(compare("sp|P12345.1|A", "sp|P12345|") == Comparison::kSame);
    CHECK(compare("gb|AAA12345|", "emb|AAA12345|") == Comparison::kSame);
    CHECK(compare("sp|P12345|", "gb|P12345|") == Comparison::kOtherKind);
    CHECK(compare("lcl|a", "lcl|A") == Comparison::kSame);
    CHECK(compare("lcl|a", "sp|P12345|") == Comparison::kOtherKind);
    CHECK(compare("pdb|1ABC|A", "pdb|1ABC|a") == Comparison::kOther);
    CHECK(compare("pdb|1ABC|A", "pdb|1ABC|") == Comparison::kSame);
    CHECK(compare("gnl|a|x", "gnl|b|x") == Comparison::kOtherKind);
    CHECK(compare("gnl|a|x", "gnl|A|X") == Comparison::kSame);
    CHECK(compare("gi|5", "gi|6") == Comparison::kOther);
}
