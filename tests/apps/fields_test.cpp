#include "apps/search/report/fields.h"

#include <doctest/doctest.h>

#include "apps/search/report/report.h"

using namespace warpseq;

TEST_CASE("no names are blastp's twelve, and std stands for them") {
    const auto standard = parse_fields("");
    REQUIRE(standard.ok());
    CHECK(standard->size() == 12);
    CHECK(standard->front()->name == "qaccver");
    CHECK(standard->back()->name == "bitscore");
    const auto more = parse_fields("qlen std  score ");
    REQUIRE(more.ok());
    CHECK(more->size() == 14);
    CHECK((*more)[0]->name == "qlen");
    CHECK((*more)[13]->name == "score");
}

TEST_CASE("an unknown name is a usage error that lists the known ones") {
    const auto fields = parse_fields("qseqid frobs");
    REQUIRE_FALSE(fields.ok());
    CHECK(fields.status().exit_status() == 2);
    CHECK(fields.status().message().find("'frobs'") != std::string::npos);
    CHECK(fields.status().message().find("qseqid") != std::string::npos);
}

TEST_CASE("scores alone need neither headers nor alignments") {
    const auto scores = make_report_writer("6 qseqid score evalue slen");
    REQUIRE(scores.ok());
    CHECK_FALSE((*scores)->needs().headers);
    CHECK_FALSE((*scores)->needs().alignments);
    const auto names = make_report_writer("7 sseqid");
    REQUIRE(names.ok());
    CHECK((*names)->needs().headers);
    CHECK_FALSE((*names)->needs().alignments);
    CHECK((*make_report_writer("6 pident"))->needs().alignments);
    CHECK((*make_report_writer("0"))->needs().alignments);
}

TEST_CASE("unknown formats are usage errors") {
    for (const char* format : {"", "5", "0 qseqid", "json qseqid", "66"}) {
        const auto writer = make_report_writer(format);
        REQUIRE_FALSE(writer.ok());
        CHECK(writer.status().exit_status() == 2);
    }
}
