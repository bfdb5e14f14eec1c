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
        {"gi|12 alone", "12", "gi|12", "gi|12", "12", "alone"},
        {"pat|US|1234567|3 p", "US1234567_3", "pat|US|1234567|3", "pat|US|1234567|3", "", "p"},
        {"prf||1234A", "1234A", "prf||1234A", "prf||1234A", "", ""},
        {"tpd|FAA1.1| t", "FAA1.1", "tpd|FAA1.1|", "tpd|FAA1.1|", "", "t"},
        {"pdb|1ABC|A chain", "1ABC_A", "pdb|1ABC|A", "pdb|1ABC|A", "", "chain"},
        {"foo|bar|baz quux", "foo|bar|baz", "lcl|foo|bar|baz", "foo|bar|baz", "", "quux"},
        {"", "", "lcl|", "", "", ""},
        {"sp|p12345.2|foo_human a", "P12345.2", "sp|p12345.2|foo_human", "sp|p12345.2|foo_human", "", "a"},
        {"SP|q1|Up", "Q1", "sp|q1|Up", "sp|q1|Up", "", ""},
        {"GI|5|Gb|aab1.1| v", "AAB1.1", "gb|aab1.1|", "gi|5|gb|aab1.1|", "5", "v"},
        {"sp||foo_mouse", "foo_mouse", "sp||foo_mouse", "sp||foo_mouse", "", ""},
        {"Lcl|MiXed", "MiXed", "lcl|MiXed", "MiXed", "", ""},
        {"GNL|Db|Tag", "Db:Tag", "gnl|Db|Tag", "gnl|Db|Tag", "", ""},
        {"PDB|1abc|a", "1abc_a", "pdb|1abc|a", "pdb|1abc|a", "", ""},
        {"XX|9", "XX:9", "gnl|XX|9", "gnl|XX|9", "", ""},
        {"sp| x", "sp|", "lcl|sp|", "sp|", "", "x"},
        {"NP_012345.2 w", "NP_012345.2", "ref|NP_012345.2|", "ref|NP_012345.2|", "", "w"},
        {"P12345 s", "P12345", "sp|P12345|", "sp|P12345|", "", "s"},
        {"caa12345.1", "CAA12345.1", "emb|caa12345.1|", "emb|caa12345.1|", "", ""},
        {"1ABC_A", "1ABC_A", "pdb|1ABC|A", "pdb|1ABC|A", "", ""},
        {"AT1G01010.1 x", "AT1G01010.1", "lcl|AT1G01010.1", "AT1G01010.1", "", "x"},
        {"ENSP00000263741.7", "ENSP00000263741.7", "lcl|ENSP00000263741.7", "ENSP00000263741.7", "", ""},
        {"gnl|db|AB.3 z", "db:AB.3", "gnl|db|AB.3", "gnl|db|AB.3", "", "z"},
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
    CHECK(parse_defline("AT1G01010.1 x").accession_without_version() == "AT1G01010.1");
    CHECK(parse_defline("sample.1.2.3").accession_without_version() == "sample.1.2.3");
    CHECK(parse_defline("gnl|db|AB.3").accession_without_version() == "db:AB.3");
    CHECK(parse_defline("NP_012345.2").accession_without_version() == "NP_012345");
    CHECK(parse_defline("a.b").accession_without_version() == "a.b");
    CHECK(parse_defline("a.").accession_without_version() == "a.");
}

TEST_CASE("labels, summaries, and definition lines of a header") {
    CHECK(parse_defline("gi|12 alone").label == "gi|12");
    CHECK(parse_defline("pir|A1| x").label == "pir|A1|");
    CHECK(parse_defline("sp|P1.2|N x").label == "P1.2");
    CHECK(parse_defline("tpg|DAA1.1| MAG: x,").summary() == "DAA1.1 TPA: x");
    CHECK(parse_defline("tpg|DAA1.1| ;x").summary() == "DAA1.1 TPA:; x");
    CHECK(parse_defline("tpg|DAA1.1| MAG:").summary() == "DAA1.1 TPA:");
    CHECK(parse_defline("tpg|DAA1.1|").summary() == "DAA1.1 TPA: unnamed protein product");
    CHECK(parse_defline("pat|US|1234|7").summary() == "US1234_7 Sequence 7 from Patent US 1234");
    CHECK(parse_defline("1AB5_C").summary() == "1AB5_C Chain C");
    CHECK(parse_defline("pdb|1AB5| x").summary() == "1AB5 x");
    CHECK(parse_defline("loc TSA: a &lt; b ;").summary() == "loc a < b");
    CHECK(parse_defline("loc").summary() == "loc unnamed protein product");
    const auto lines = parse_deflines("sp|P1|N one [taxid=5]\x01loc two [taxid=x]\x01", true);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].taxid == 5);
    CHECK(lines[0].title == "one");
    CHECK(lines[1].taxid == 0);
    CHECK(lines[1].title == "two [taxid=x]");
    CHECK(lines[2].full_id.empty());
    CHECK(parse_deflines("a [taxid=5]", false)[0].title == "[taxid=5]");
}
