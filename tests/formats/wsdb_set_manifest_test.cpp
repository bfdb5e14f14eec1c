// Manifests of sets: they come back, and what is hostile is refused with its place.
#include "formats/wsdb_set_manifest.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace warpseq {
namespace {

WsdbSetManifest sample() {
    WsdbSetManifest manifest;
    manifest.next_number = 7;
    manifest.volumes = {{"a.volume-1.wsdb", std::string(32, '0'), 300, 5000, {}},
                        {"a b\"\\.wsdb", std::string(32, 'f'), 2, 0, {}}};
    manifest.volumes[0].removed = {"a.removed-3", "0123456789abcdef", 299, 5000};
    manifest.obsolete = {"a.removed-2"};
    return manifest;
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
    CHECK(parse_set_manifest(set_manifest_text({}), "it").ok());
}

TEST_CASE("What is no manifest says where and why") {
    const std::string text = set_manifest_text(sample());
    const auto refusal = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        const auto place = changed.find(from);
        REQUIRE(place != std::string::npos);
        changed.replace(place, from.size(), to);
        const auto parsed = parse_set_manifest(changed, "set.wsdbs");
        CHECK(!parsed.ok());
        return parsed.ok() ? "" : parsed.status().message();
    };
    const std::pair<std::pair<std::string, std::string>, std::string> kCases[] = {
        {{"\"warpseq_set\": 1", "\"warpseq_set\": 2"}, "is of version 2"},
        {{"\"warpseq_set\": 1,", ""}, "does not say \"warpseq_set\""},
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
        {{"\"a.volume-1.wsdb\"", "\"a.removed-3\""}, "volume 1 names the file \"a.removed-3\", which is named before"},
        {{"\"a.removed-3\"", "\"..\""}, "without a folder"},
        {{"\"a.removed-2\"", "\"a.removed-3\""}, "obsolete is \"a.removed-3\""},
        {{"\"a.removed-2\"", "\"../x\""}, "without a folder"},
        {{"\"a.removed-2\"", "2"}, "which was not expected"},
        {{"\"sequences\": 300", "\"sequences\": 0"}, "volume 1 has 0 as \"sequences\""},
        {{"\"sequences\": 300", "\"sequences\": 299"}, "volume 1 removes more than there is"},
        {{"\"sequences\": 300", "\"sequences\": -300"}, "volume 1 has -300"},
        {{"\"sequences\": 300", "\"sequences\": 1099511627777"}, "1 to 1099511627776 was expected"},
        {{"\"sequences\": 300", "\"sequences\": 1099511627776"}, "too many sequences"},
        {{"\"residues\": 5000", "\"residues\": 4999"}, "removes more than there is"},
        {{"\"residues\": 0\n", "\"residues\": 72057594037927936\n"}, "too many sequences or residues"},
        {{"\"xxh3_64\": \"0", "\"xxh3_64\": \""}, "16 hexadecimal digits were expected"},
        {{"00000000000000000000000000000000", "0000000000000000000000000000000G"}, "32 hexadecimal digits"},
        {{"\"xxh3_64\": \"0123456789abcdef\",", ""}, "volume 1 does not say \"xxh3_64\""},
        {{"}", ""}, "no JSON"},
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

TEST_CASE("A set is told by its beginning") {
    CHECK(begins_as_set_manifest("{\"warpseq_set\":1"));
    CHECK(begins_as_set_manifest("\n { \r\n\t\"warpseq_set\""));
    CHECK(!begins_as_set_manifest(""));
    CHECK(!begins_as_set_manifest("{"));
    CHECK(!begins_as_set_manifest("{\"warpseq\""));
    CHECK(!begins_as_set_manifest(">P1"));
}

}  // namespace
}  // namespace warpseq
