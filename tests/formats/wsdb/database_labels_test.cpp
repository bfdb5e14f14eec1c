#include "formats/wsdb/database_labels.h"

#include <doctest/doctest.h>

#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_set_manifest.h"

using namespace warpseq;

TEST_CASE("labels are lines of UTF-8 that drive no terminal") {
    for (const std::string_view text :
         {"", "NR", "UniRef90 <2026_04> \"x\" & y \\", "\xc3\xa9 \xe4\xb8\xad \xf0\x9f\xa7\xac", "\xef\xbf\xbd",
          "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"}) {
        CHECK_MESSAGE(!why_no_label(text, 100), text);
    }
    CHECK(!why_no_label(std::string(100, 'x'), 100));
    CHECK(why_no_label(std::string(101, 'x'), 100) == "is longer than 100 bytes: it has 101");
    using namespace std::string_view_literals;
    for (const std::string_view text :
         {"a\nb"sv, "a\tb"sv, "a\rb"sv, "a\0b"sv, "a\x1b[31m"sv, "a\x7f"sv, "a\xc2\x85"sv, "a\xe2\x80\xae"sv})
        CHECK_MESSAGE(why_no_label(text, 100) == "holds a control character, at byte 2", text);
    // Stray and missing continuations, forms that are too long, halves of pairs, what is behind the
    // last character.
    for (const std::string_view text : {"ab\x80", "ab\xff", "ab\xc3", "ab\xc3z", "ab\xc0\xaf", "ab\xe0\x80\xaf",
                                        "ab\xed\xa0\x80", "ab\xf0\x80\x80\xaf", "ab\xf4\x90\x80\x80", "ab\xe4\xb8"})
        CHECK_MESSAGE(why_no_label(text, 100) == "is not UTF-8 at byte 3", text);
}

TEST_CASE("invalid labels in a file are ignored") {
    const auto provenance = read_provenance(
        R"({"program":"x","title":"T","release":"R","sources":[{"name":"n","title":"no"}],"blast_database":{"title":"B"}})");
    REQUIRE(provenance);
    CHECK(provenance->labels == DatabaseLabels{"T", "R"});
    CHECK(provenance->blast->title == "B");
    const auto hostile = read_provenance(R"({"title":"a\u001b[31m","release":5})");
    REQUIRE(hostile);
    CHECK(hostile->labels == DatabaseLabels{});
    CHECK(read_provenance("{\"title\":\"" + std::string(kLongestTitleBytes + 1, 'x') + "\"}")->labels.title.empty());
}

TEST_CASE("a manifest keeps its labels, and refuses invalid ones") {
    WsdbSetManifest manifest;
    manifest.identity = std::string(32, '0');
    const std::string without = set_manifest_text(manifest);
    CHECK(without.find("title") == std::string::npos);
    CHECK(without.find("release") == std::string::npos);
    manifest.labels = {"All \"of\" it \\ \xc3\xa9", "2026_04"};
    const auto read = parse_set_manifest(set_manifest_text(manifest), "set");
    REQUIRE_MESSAGE(read.ok(), read.status().message());
    CHECK(*read == manifest);
    const auto refused = [](const std::string& member) {
        const auto parsed =
            parse_set_manifest(R"({"warpseq_set":1,"next_number":1,)" + member + R"(,"volumes":[]})", "set");
        REQUIRE(!parsed.ok());
        return parsed.status().message();
    };
    CHECK(refused(R"("title":"a\nb")").starts_with("set: has \"a?b\" as \"title\", which holds a control character"));
    CHECK(refused(R"("title":5)").starts_with("set: has 5 as \"title\", which was not expected"));
    CHECK(refused(R"("title":"a","title":"b")").starts_with("set: says \"title\" twice"));
    CHECK(refused("\"release\":\"" + std::string(kLongestReleaseBytes + 1, 'x') + "\"").find("is longer than") !=
          std::string::npos);
}
