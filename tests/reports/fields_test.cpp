#include "reports/fields.h"

#include <doctest/doctest.h>

#include "reports/report.h"

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

TEST_CASE("blastp's language: separators, columns taken out, repeated ones") {
    const auto names = [](std::string_view text) {
        const auto parsed = parse_blastp_fields(text);
        REQUIRE_MESSAGE(parsed.ok(), parsed.status().message());
        std::string joined;
        for (const Field* field : parsed->fields) joined += (joined.empty() ? "" : " ") + std::string(field->name);
        return joined;
    };
    CHECK(names("") == kStandardFields);
    CHECK(names(" std ") == kStandardFields);
    CHECK(names("score qlen score") == "score qlen");
    CHECK(names("score qlen -score slen") == "qlen slen");
    CHECK(names("-score score") == "score");
    CHECK(names("score -score") == kStandardFields);
    CHECK(names("delim=@@ qgi staxids") == "qgi staxids");
    CHECK_FALSE(parse_blastp_fields("score")->separator.has_value());
    CHECK(parse_blastp_fields("delim=@@ score")->separator == "@@");
    CHECK(parse_blastp_fields("delim=;")->separator == ";");
    CHECK(parse_blastp_fields("delim=\t score")->separator == "\t");
    CHECK(names("delim=\t qgi staxids") == "qgi staxids");
    CHECK_FALSE(parse_blastp_fields("delim= score")->separator.has_value());
    CHECK(names("delim= score") == "score");
    CHECK(names("delim=; sallgi") == "sallgi");
    // A tab is part of a name, and so is a separator that does not come first.
    CHECK(names("score\tqlen slen") == "slen");
    CHECK(names(" delim=@ score") == "score");
    CHECK_FALSE(parse_blastp_fields(" delim=@ score")->separator.has_value());
    const auto refusal = [](std::string_view text) {
        const auto parsed = parse_blastp_fields(text);
        REQUIRE_FALSE(parsed.ok());
        CHECK(parsed.status().exit_status() == 2);
        return parsed.status().message();
    };
    for (const char* wrong : {"delim", "delim score", "delimx", "delim;"})
        CHECK(refusal(wrong) == "Delimiter format is invalid. Valid format is delim=<delimiter value>");
    const auto clash = [](std::string_view separator, std::string_view column) {
        return "Your custom record separator (" + std::string(separator) + ") is also used by the format specifier (" +
               std::string(column) +
               ") to separate multiple entries. Please use a different record separator (delim keyword).";
    };
    CHECK(refusal("delim=; staxids sallseqid") == clash(";", "sallseqid"));
    CHECK(refusal("delim=; score -staxids") == clash(";", "staxids"));
    CHECK(refusal("delim=/ frames") == clash("/", "frames"));
    CHECK(refusal("delim=<> salltitles") == clash("<>", "salltitles"));
}

TEST_CASE("blastp's language: unknown names are left out and reported") {
    const auto some = parse_blastp_fields("score,qlen frobs qlen -frobs delim=;");
    REQUIRE(some.ok());
    CHECK(some->unknown == std::vector<std::string>{"score,qlen", "frobs", "-frobs", "delim=;"});
    REQUIRE(some->fields.size() == 1);
    CHECK(some->fields.front()->name == "qlen");
    CHECK(parse_blastp_fields("frobs")->fields.size() == 12);
    CHECK(parse_blastp_fields("std -evalue")->unknown.empty());
}

TEST_CASE("all of blastp's columns are known") {
    const auto parsed = parse_blastp_fields(
        "qseqid qgi qacc qaccver qlen sseqid sallseqid sgi sallgi sacc saccver sallacc slen qstart qend sstart send "
        "qseq sseq evalue bitscore "
        "score length pident nident mismatch positive gapopen gaps ppos frames qframe sframe btop staxid ssciname "
        "scomname sblastname "
        "sskingdom staxids sscinames scomnames sblastnames sskingdoms stitle salltitles sstrand qcovs qcovhsp qcovus");
    REQUIRE(parsed.ok());
    CHECK(parsed->fields.size() == 50);
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

TEST_CASE("layouts of tables") {
    const auto tabs = table_layout("6", false), comments = table_layout("7", false), commas = table_layout("10", true);
    REQUIRE((tabs.ok() && comments.ok() && commas.ok()));
    CHECK((*tabs)->separator == "\t");
    CHECK_FALSE((*tabs)->comments);
    CHECK_FALSE((*tabs)->header);
    CHECK((*comments)->comments);
    CHECK((*commas)->separator == ",");
    CHECK((*commas)->header);
    CHECK_FALSE((*table_layout("10", false))->header);
    CHECK((*table_layout("6", true))->header);
    CHECK_FALSE(table_layout("json", false)->has_value());
    for (const char* format : {"0", "7", "json"}) {
        const auto layout = table_layout(format, true);
        REQUIRE_FALSE(layout.ok());
        CHECK(layout.status().exit_status() == 2);
        CHECK(layout.status().message() == "'" + std::string(format) + "': only formats 6 and 10 have a header row");
    }
}

TEST_CASE("a row of names, and fields between double quotes") {
    Row row;
    row.query_header = "a,b 5\"-end\tand more";
    row.score_raw = 7;
    const auto written = [&](const char* format, bool header) {
        const FieldTable table(*parse_fields("qseqid score qtitle qseqid"), **table_layout(format, header));
        std::string text;
        table.append_header(text);
        table.append_row(row, text);
        return text;
    };
    CHECK(written("6", false) == "a,b\t7\t5\"-end\tand more\ta,b\n");
    CHECK(written("6", true) == "qseqid\tscore\tqtitle\tqseqid\na,b\t7\t\"5\"\"-end\tand more\"\ta,b\n");
    CHECK(written("10", false) == "a,b,7,5\"-end\tand more,a,b\n");
    CHECK(written("10", true) == "qseqid,score,qtitle,qseqid\n\"a,b\",7,\"5\"\"-end\tand more\",\"a,b\"\n");
    row.query_header = "a two\r\nlines";
    CHECK(written("6", true).ends_with("\na\t7\t\"two\r\nlines\"\ta\n"));
}

TEST_CASE("unknown formats are usage errors") {
    for (const char* format : {"", "5", "0 qseqid", "json qseqid", "66"}) {
        const auto writer = make_report_writer(format);
        REQUIRE_FALSE(writer.ok());
        CHECK(writer.status().exit_status() == 2);
    }
}
