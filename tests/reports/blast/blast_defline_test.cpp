#include "reports/blast/blast_defline.h"

#include <doctest/doctest.h>

#include <string>

using namespace warpseq;

namespace {

struct Case {
    const char *title, *accession, *id, *full_id, *gi, *rest;
};

}  // namespace

TEST_CASE("identifiers as makeblastdb -parse_seqids reads them") {
    const Case cases[] = {
        {"sp|P12345|FOO_HUMAN desc one", "P12345", "sp|P12345|FOO_HUMAN", "sp|P12345|FOO_HUMAN", "", "desc one"},
        {"gi|12|ref|NP_1.1| y", "NP_1.1", "ref|NP_1.1|", "gi|12|ref|NP_1.1|", "12", "y"},
        {"loc1 some  text ", "loc1", "lcl|loc1", "loc1", "", "some  text "},
        {"gnl|mydb|tag7 g", "mydb:tag7", "gnl|mydb|tag7", "gnl|mydb|tag7", "", "g"},
        {"lcl|abc", "abc", "lcl|abc", "abc", "", ""},
        {"pdb|1ABC|A chain", "1ABC_A", "pdb|1ABC|A", "pdb|1ABC|A", "", "chain"},
        {"foo|bar|baz quux", "foo|bar|baz", "lcl|foo|bar|baz", "foo|bar|baz", "", "quux"},
        {"", "", "lcl|", "", "", ""},
        {"sp| x", "", "sp||", "sp||", "", "x"},
        {"|", "|", "lcl||", "|", "", ""},
    };
    for (const Case& expected : cases) {
        CAPTURE(expected.title);
        const BlastDefline line = parse_defline(expected.title);
        CHECK(line.accession == expected.accession);
        CHECK(line.id == expected.id);
        CHECK(line.full_id == expected.full_id);
        CHECK(line.gi == expected.gi);
        CHECK(line.title == expected.rest);
    }
    CHECK(parse_defline("gi|12|ref|NP_1.1| y").accession_without_version() == "NP_1");
    CHECK(parse_defline("a.b").accession_without_version() == "a.b");
    CHECK(parse_defline("a.").accession_without_version() == "a.");
}
