#include "formats/wsdb/wsdb_provenance.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "formats/io/json_writer.h"

using namespace warpseq;

TEST_CASE("provenance that dbconv writes is read") {
    const auto found = read_provenance(
        R"({"program":"dbconv","version":"0.1.0","codec":"packed","sources":[{"name":"a","size_bytes":7,"xxh3_128":"00"},)"
        R"({"name":"b"}]})");
    REQUIRE(found);
    CHECK(found->is_object);
    CHECK(found->program == "dbconv");
    CHECK(found->version == "0.1.0");
    REQUIRE(found->sources.size() == 2);
    CHECK(found->sources[0].name == "a");
    CHECK(found->sources[0].size_bytes == 7u);
    CHECK(found->sources[1].name == "b");
    CHECK_FALSE(found->sources[1].size_bytes);
}

TEST_CASE("the file that a copy was made from") {
    CopiedFile file{"x.fa", 7, "1764222222.000000001", "1764222223.5", 66306, 12345, false};
    std::string text = R"({"sources":[{"name":"x.fa"}],"copied_files":)";
    JsonWriter json(text, JsonWriter::Layout::kCompact);
    json.begin_array();
    file.write(json);
    json.end_array();
    text += "}";
    const auto found = read_provenance(text);
    REQUIRE(found);
    REQUIRE(found->copied_files.size() == 1);
    CHECK(found->copied_files[0].is_same(file));
    for (const auto& change : std::vector<void (*)(CopiedFile&)>{
             [](CopiedFile& f) { f.name = "y.fa"; }, [](CopiedFile& f) { ++f.size_bytes; },
             [](CopiedFile& f) { f.modified.back() = '2'; }, [](CopiedFile& f) { f.changed.back() = '6'; },
             [](CopiedFile& f) { ++f.device; }, [](CopiedFile& f) { ++f.inode; }}) {
        CopiedFile other = file;
        change(other);
        CHECK_FALSE(found->copied_files[0].is_same(other));
    }
    file.is_recent = true;
    CHECK_FALSE(file.is_same(file));
    CHECK(read_provenance(R"({"sources":[{"copied_files":[{"name":"x"}]}]})")->copied_files.empty());
    CHECK(read_provenance(R"({"more":{"copied_files":[{"name":"x"}]}})")->copied_files.empty());
}

TEST_CASE("facts about the BLAST database that was converted") {
    const auto found = read_provenance(
        R"({"title":"no","blast_database":{"title":"T","date":"D","version":5,"parsed_ids":true,"taxids":true,)"
        R"("more":{"title":"no"}},"date":"no"})");
    REQUIRE(found);
    REQUIRE(found->blast);
    CHECK(found->blast->title == "T");
    CHECK(found->blast->date == "D");
    CHECK(found->blast->version == 5);
    CHECK(found->blast->has_parsed_ids);
    CHECK(found->blast->has_taxids);
    CHECK_FALSE(read_provenance(R"({"sources":[{"blast_database":{"title":"T"}}]})")->blast);
}

TEST_CASE("values in other places, or of other types, are ignored") {
    const auto found = read_provenance(
        R"({"program":7,"more":{"version":"9","sources":[{"name":"x"}]},"sources":[[{"name":"y"}],{"size_bytes":-1}]})");
    REQUIRE(found);
    CHECK(found->program == "?");
    CHECK(found->version == "?");
    REQUIRE(found->sources.size() == 1);
    CHECK(found->sources[0].name == "?");
    CHECK_FALSE(found->sources[0].size_bytes);
    REQUIRE(read_provenance("[1]"));
    CHECK_FALSE(read_provenance("[1]")->is_object);
}

TEST_CASE("the mark of a volume is there as a whole or not at all") {
    const std::string identity(32, 'a'), update(16, 'b');
    const auto mark_of = [](const std::string& set) {
        const auto found = read_provenance("{\"set\":" + set + ",\"sources\":[{\"number\":9}]}");
        REQUIRE(found);
        return found->set;
    };
    const auto members = [&](const std::string& id, const std::string& number, const std::string& by) {
        return "{\"identity\":\"" + id + "\",\"number\":" + number + ",\"update\":\"" + by + "\"}";
    };
    CHECK(mark_of(members(identity, "7", update)) == WsdbSetMark{identity, 7, update});
    CHECK_FALSE(mark_of(members(identity + "a", "7", update)));
    CHECK_FALSE(mark_of(members(identity, "0", update)));
    CHECK_FALSE(mark_of(members(identity, "-7", update)));
    CHECK_FALSE(mark_of(members(identity, "281474976710657", update)));
    CHECK_FALSE(mark_of(members(identity, "7", "B")));
    CHECK_FALSE(mark_of("{}"));
    CHECK_FALSE(read_provenance("{\"set\":7}")->set);
    CHECK_FALSE(read_provenance("{\"x\":{\"set\":" + members(identity, "7", update) + "}}")->set);
}

TEST_CASE("text that is not JSON, or nests without end, is no provenance") {
    CHECK_FALSE(read_provenance(""));
    CHECK_FALSE(read_provenance(R"({"program":"dbconv")"));
    CHECK_FALSE(read_provenance(std::string(5000, '[') + std::string(5000, ']')));
}
