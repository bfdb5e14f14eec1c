// Manifests of sets. They are read back as written, and hostile ones are refused with the place of
// the error.
#include "formats/wsdb/wsdb_set_manifest.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/io/checksum.h"
#include "formats/wsdb/wsdb_set_mark.h"

namespace warpseq {
namespace {

WsdbSetManifest sample() {
    WsdbSetManifest manifest;
    manifest.identity = "0123456789abcdef0123456789abcdef";
    manifest.next_number = 7;
    manifest.volumes = {{"a.volume-1.wsdb", std::string(32, '0'), 300, 5000, {}, std::string(16, 'a')},
                        {"a b\"\\.wsdb", std::string(32, 'f'), 2, 0, {}}};
    manifest.volumes[0].removed = {"a.removed-3", "0123456789abcdef", 299, 5000, std::string(16, 'b')};
    manifest.obsolete = {{"a.removed-2", std::string(16, 'c'), "", std::string(16, '1')},
                         {"old.volume-4.wsdb", "", std::string(32, '2'), ""}};
    manifest.forgotten_updates = 12;
    manifest.history = {{"2026-11-27T06:01:02Z", "append", std::string(16, 'a'), "0.1.0", 300, 0, 300, 5000, 2, "a.fa"},
                        {"2026-11-28T06:01:02Z", "remove", std::string(16, 'b'), "0.1.0", 0, 299, 3, 0}};
    return manifest;
}

/// Returns the text with the checksum that it should have.
std::string signed_text(std::string text) {
    const auto place = text.rfind("\"checksum\": \"");
    if (place == std::string::npos) return text;
    const std::size_t digits = place + std::string("\"checksum\": \"").size();
    if (digits + 16 > text.size()) return text;
    text.replace(digits, 16, 16, '0');
    text.replace(digits, 16, hex_text_of(checksum_of(text.data(), text.size())));
    return text;
}

TEST_CASE("A manifest comes back") {
    const WsdbSetManifest manifest = sample();
    const std::string text = set_manifest_text(manifest);
    CHECK(begins_as_set_manifest(text));
    const auto again = parse_set_manifest(text, "it");
    REQUIRE(again.ok());
    CHECK(*again == manifest);
    CHECK(again->sequence_count() == 3);
    CHECK(again->residue_count() == 0);
    WsdbSetManifest empty;
    empty.identity = manifest.identity;
    CHECK(parse_set_manifest(set_manifest_text(empty), "it").ok());
    CHECK(begins_as_manifest_of(text, manifest.identity));
    CHECK(begins_as_manifest_of(text.substr(0, 100), manifest.identity));
    CHECK_FALSE(begins_as_manifest_of(text, std::string(32, '0')));
    CHECK_FALSE(begins_as_manifest_of(text.substr(0, 50), manifest.identity));
}

TEST_CASE("Each bit of a manifest counts") {
    const std::string text = set_manifest_text(sample());
    for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
        std::string changed = text;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
        const auto parsed = parse_set_manifest(changed, "it");
        if (parsed.ok()) FAIL_CHECK("bit " << bit << " of " << text);
    }
    for (std::size_t size = 0; size < text.size(); ++size)
        CHECK_FALSE(parse_set_manifest(text.substr(0, size), "it").ok());
    CHECK_FALSE(parse_set_manifest(text + "\n", "it").ok());
}

TEST_CASE("Manifests of version 1 are read, and say what they do not know") {
    const std::string volume =
        R"({"file":"a.volume-2.wsdb","content_digest":"00000000000000000000000000000000","sequences":1,"residues":1})";
    const auto parse = [&](const std::string& members) {
        return parse_set_manifest(R"({"warpseq_set":1,)" + members + R"("volumes":[)" + volume + "]}", "it");
    };
    const auto manifest = parse(R"("next_number":3,"obsolete":["a.volume-1.wsdb"],)");
    REQUIRE(manifest.ok());
    CHECK(manifest->identity.empty());
    CHECK(manifest->volumes.front().update.empty());
    CHECK(manifest->obsolete == std::vector<WsdbSetObsolete>{{"a.volume-1.wsdb"}});
    // An obsolete file that is not proven to be obsolete is not handed on.
    WsdbSetManifest next = *manifest;
    next.identity = std::string(32, '7');
    const auto again = parse_set_manifest(set_manifest_text(next), "it");
    REQUIRE(again.ok());
    CHECK(again->obsolete.empty());
    // A number that is not above those of all files.
    for (const char* const members :
         {R"("next_number":2,)", R"("next_number":1,)", R"("next_number":3,"obsolete":["a.removed-3"],)"}) {
        const auto low = parse(members);
        REQUIRE_FALSE(low.ok());
        CHECK(low.status().message().find("a number above that of each file was expected") != std::string::npos);
    }
    for (const char* const member : {R"("set":"00000000000000000000000000000000",)", R"("history":[],)",
                                     R"("checksum":"0000000000000000",)", R"("forgotten_updates":1,)"}) {
        const auto mixed = parse(std::string(R"("next_number":3,)") + member);
        REQUIRE_FALSE(mixed.ok());
        CHECK(mixed.status().message().find("is of version 1 and says") != std::string::npos);
    }
}

TEST_CASE("A history is kept within its limits") {
    WsdbSetManifest manifest = sample();
    manifest.history.resize(kMostSetHistory, manifest.history.front());
    CHECK(parse_set_manifest(set_manifest_text(manifest), "it").ok());
    manifest.history.push_back(manifest.history.front());
    const auto parsed = parse_set_manifest(set_manifest_text(manifest), "it");
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.status().message().find("a history of more than 4096 updates") != std::string::npos);
}

TEST_CASE("Names of files and marks are read as they are written, and nothing else is") {
    const auto volume = parse_set_file_name("a.volume-1.volume-7.wsdb");
    REQUIRE(volume.has_value());
    CHECK(volume->set == "a.volume-1");
    CHECK(volume->number == 7);
    const auto removed = parse_set_file_name("a.removed-281474976710656");
    REQUIRE(removed.has_value());
    CHECK(removed->kind == WsdbSetFileName::Kind::kRemoved);
    CHECK(removed->number == kMostSetNumber);
    for (const char* const name : {"a.volume-07.wsdb", "a.volume-0.wsdb", "a.volume-.wsdb", "a.volume-7",
                                   "a.removed-7.wsdb", "a.removed-7x", ".volume-7.wsdb", "a.volume-7.wsdb ",
                                   "a.removed-281474976710657", "a.removed--1", "a.removed-99999999999999999999"})
        CHECK_FALSE_MESSAGE(parse_set_file_name(name).has_value(), name);
    const WsdbSetMark mark{std::string(32, 'a'), 7, std::string(16, 'b')};
    const std::string bytes = set_mark_bytes(mark);
    CHECK(bytes.size() == kSetMarkBytes);
    CHECK(set_mark_in(bytes + "more") == mark);
    CHECK_FALSE(set_mark_in(bytes.substr(1)).has_value());
    CHECK_FALSE(set_mark_in(bytes.substr(0, kSetMarkBytes - 1)).has_value());
}

TEST_CASE("A refused manifest gives the place and the reason") {
    const std::string text = set_manifest_text(sample());
    const auto refusal = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        const auto place = changed.find(from);
        REQUIRE(place != std::string::npos);
        changed.replace(place, from.size(), to);
        const auto parsed = parse_set_manifest(signed_text(changed), "set.wsdbs");
        CHECK(!parsed.ok());
        return parsed.ok() ? "" : parsed.status().message();
    };
    const std::pair<std::pair<std::string, std::string>, std::string> kCases[] = {
        {{"\"warpseq_set\": 2", "\"warpseq_set\": 3"}, "is of version 3, and this program reads versions 1 and 2"},
        {{"\"warpseq_set\": 2,", ""}, "does not say \"warpseq_set\""},
        {{"\"set\": \"0123456789abcdef0123456789abcdef\",", ""}, "does not say \"set\""},
        {{"\"set\": \"0", "\"set\": \""}, "32 hexadecimal digits were expected"},
        {{"\"next_number\": 7", "\"next_number\": 4"}, "obsolete names the file \"old.volume-4.wsdb\"; a number above"},
        {{"\"next_number\": 7", "\"next_number\": 3"}, "volume 1 names the file \"a.removed-3\"; a number above"},
        {{"\"next_number\": 7", "\"next_number\": 281474976710657"}, "1 to 281474976710656 was expected"},
        {{"\"a.volume-1.wsdb\"", "\"a.wsdb\""}, "\"a.wsdb\", whose name has no number"},
        {{"\"content_digest\": \"22222222222222222222222222222222\"", "\"update\": \"2222222222222222\""},
         "neither \"content_digest\" nor \"xxh3_64\""},
        {{"\"what\": \"append\",", ""}, "update 1 does not say \"what\""},
        {{"\"what\": \"append\"", "\"what\": \"a\\u0007\""}, "which holds a control character"},
        {{"\"first_input\": \"a.fa\"", "\"first_input\": 1"}, "which was not expected"},
        {{"\"checksum\"", "\"checksums\""}, "which was not expected"},
        {{"\"next_number\": 7", "\"next_number\": 0"}, "has 0 as \"next_number\"; 1 to"},
        {{"\"next_number\": 7", "\"next_number\": 1e300"}, "which was not expected"},
        {{"\"next_number\": 7", "\"next_number\": null"}, "which was not expected"},
        {{"\"next_number\": 7", "\"next_number\": [7]"}, "a list"},
        {{"\"next_number\": 7", "\"next_number\": 7, \"next_number\": 7"}, "twice"},
        {{"\"next_number\": 7", "\"next_number\": 7, \"more\": {}"}, "an object"},
        {{"\"a.volume-1.wsdb\"", "\"../a.wsdb\""}, "volume 1 names the file \"../a.wsdb\""},
        {{"\"a.volume-1.wsdb\"", "\"/etc/passwd\""}, "without a folder"},
        {{"\"a.volume-1.wsdb\"", "\"..\""}, "without a folder"},
        {{"\"a.volume-1.wsdb\"", "\"\""}, "without a folder"},
        {{"\"a.volume-1.wsdb\"", "\"a\\u0000b\""}, "without a folder"},
        {{"\"a.volume-1.wsdb\"", "\"a.removed-3\""}, "volume 1 names the file \"a.removed-3\", which is named twice"},
        {{"\"a.removed-3\"", "\"..\""}, "without a folder"},
        {{"\"a.removed-2\"", "\"a.removed-3\""}, "obsolete names the file \"a.removed-3\""},
        {{"\"a.removed-2\"", "\"../x\""}, "without a folder"},
        {{"\"a.removed-2\"", "2"}, "which was not expected"},
        {{"\"sequences\": 300", "\"sequences\": 0"}, "volume 1 has 0 as \"sequences\""},
        {{"\"sequences\": 300", "\"sequences\": 299"},
         "volume 1 removes all of its sequences, or more residues than it has"},
        {{"\"sequences\": 300", "\"sequences\": -300"}, "volume 1 has -300"},
        {{"\"sequences\": 300", "\"sequences\": 1099511627777"}, "1 to 1099511627776 was expected"},
        {{"\"sequences\": 300", "\"sequences\": 1099511627776"}, "too many sequences"},
        {{"\"residues\": 5000", "\"residues\": 4999"}, "removes all of its sequences, or more residues than it has"},
        {{"\"residues\": 0\n    }\n  ],", "\"residues\": 72057594037927936\n    }\n  ],"},
         "too many sequences or residues"},
        {{"\"xxh3_64\": \"0", "\"xxh3_64\": \""}, "16 hexadecimal digits were expected"},
        {{"00000000000000000000000000000000", "0000000000000000000000000000000G"}, "32 hexadecimal digits"},
        {{"\"xxh3_64\": \"0123456789abcdef\",", ""}, "volume 1 does not say \"xxh3_64\""},
        {{"}", ""}, "not JSON"},
        {{"{", "["}, "has a list"},
    };
    for (const auto& each : kCases) {
        const std::string message = refusal(each.first.first, each.first.second);
        const auto& expected = each.second;
        CAPTURE(message);
        CAPTURE(expected);
        CHECK(message.starts_with("set.wsdbs: "));
        CHECK(message.find(expected) != std::string::npos);
    }
    CHECK(!parse_set_manifest("", "it").ok());
    CHECK(!parse_set_manifest("[]", "it").ok());
    CHECK(!parse_set_manifest("1", "it").ok());
    CHECK(!parse_set_manifest(text + "{}", "it").ok());
    CHECK(!parse_set_manifest(std::string(kLongestManifestBytes + 1, ' '), "it").ok());
    CHECK(!parse_set_manifest(std::string(100'000, '['), "it").ok());
    std::string many = R"({"warpseq_set":1,"next_number":1,"volumes":[)";
    for (std::size_t v = 0; v <= kMostSetVolumes; ++v)
        many += (v > 0 ? "," : "") + std::string(R"({"file":")") + std::to_string(v) + R"(","content_digest":")" +
                std::string(32, '0') + R"(","sequences":1,"residues":1})";
    CHECK(parse_set_manifest(many + "]}", "it").status().message().find("more than 512 volumes") != std::string::npos);
}

TEST_CASE("A set is recognized by its beginning") {
    CHECK(begins_as_set_manifest("{\"warpseq_set\":1"));
    CHECK(begins_as_set_manifest("\n { \r\n\t\"warpseq_set\""));
    CHECK(!begins_as_set_manifest(""));
    CHECK(!begins_as_set_manifest("{"));
    CHECK(!begins_as_set_manifest("{\"warpseq\""));
    CHECK(!begins_as_set_manifest(">P1"));
}

}  // namespace
}  // namespace warpseq
