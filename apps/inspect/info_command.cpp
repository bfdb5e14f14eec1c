// `inspect info`: what a database is, from its header, its section table and its provenance.
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/inspect/arguments.h"
#include "apps/inspect/commands.h"
#include "formats/json_writer.h"
#include "formats/output_sink.h"
#include "formats/shown_text.h"
#include "formats/wsdb_map.h"
#include "formats/wsdb_reader.h"
#include "libcore/base/number_format.h"

namespace warpseq {

namespace {

std::string_view codec_name(ResidueCodec codec) { return codec == ResidueCodec::kPacked ? "packed" : "zstd"; }

std::string version_text(const wsdb::FileHeader& header) {
    return std::to_string(header.version_major) + "." + std::to_string(header.version_minor);
}

std::string line(std::string_view label, const std::string& value) {
    std::string text(label);
    text.resize(14, ' ');
    return text + value + "\n";
}

/// What nlohmann::json::sax_parse() calls, for callers that look at some of it. A tree would allocate in its destructor.
struct JsonEvents {
    static bool null() { return true; }
    static bool boolean(bool) { return true; }
    static bool number_integer(std::int64_t) { return true; }
    static bool number_unsigned(std::uint64_t) { return true; }
    static bool number_float(double, const std::string&) { return true; }
    static bool string(const std::string&) { return true; }
    static bool binary(const std::vector<std::uint8_t>&) { return true; }
    static bool start_object(std::size_t) { return true; }
    static bool key(const std::string&) { return true; }
    static bool end_object() { return true; }
    static bool start_array(std::size_t) { return true; }
    static bool end_array() { return true; }
    static bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) { return false; }
};

/// What is shown of a database's provenance: of {"program": "", "version": "", "sources": [{"name": "", "size_bytes": 0}]} what is there.
class Provenance : public JsonEvents {
   public:
    struct Source {
        std::string name = "?", size = "?";
    };
    std::string program = "?", version = "?";
    std::vector<Source> sources;
    bool is_object = false;

    bool number_unsigned(std::uint64_t number) {
        if (in_source() && key_ == "size_bytes") sources.back().size = format_size_bytes(number);
        return true;
    }
    bool string(const std::string& text) {
        if (in_source() && key_ == "name") sources.back().name = text;
        if (level_ == 1 && is_object && key_ == "program") program = text;
        if (level_ == 1 && is_object && key_ == "version") version = text;
        return true;
    }
    bool key(const std::string& name) {
        key_ = name;
        return true;
    }
    bool start_object(std::size_t) {
        if (level_ == 0) is_object = true;
        if (level_ == 2 && in_sources_) {
            in_source_ = true;
            sources.emplace_back();
        }
        return begin();
    }
    bool end_object() {
        if (--level_ == 2) in_source_ = false;
        return true;
    }
    bool start_array(std::size_t) {
        if (level_ == 1 && is_object && key_ == "sources") in_sources_ = true;
        return begin();
    }
    bool end_array() {
        if (--level_ == 1) in_sources_ = false;
        return true;
    }

   private:
    /// What nests deeper says nothing of a database, and is no provenance.
    bool begin() { return ++level_ <= kMostLevels; }
    bool in_source() const { return level_ == 3 && in_source_; }

    static constexpr std::size_t kMostLevels = 1000;
    std::size_t level_ = 0;  // open objects and arrays
    bool in_sources_ = false, in_source_ = false;
    std::string key_;
};

/// Writes what it is told.
class JsonCopy : public JsonEvents {
   public:
    explicit JsonCopy(JsonWriter& json) : json_(json) {}
    bool null() {
        return done([this] { json_.null(); });
    }
    bool boolean(bool truth) {
        return done([&] { json_.value(truth); });
    }
    bool number_integer(std::int64_t number) {
        return done([&] { json_.value(number); });
    }
    bool number_unsigned(std::uint64_t number) {
        return done([&] { json_.value(number); });
    }
    bool number_float(double number, const std::string&) {
        return done([&] { json_.value(number); });
    }
    bool string(const std::string& text) {
        return done([&] { json_.value(text); });
    }
    bool start_object(std::size_t) {
        return done([this] { json_.begin_object(); });
    }
    bool key(const std::string& name) {
        return done([&] { json_.key(name); });
    }
    bool end_object() {
        return done([this] { json_.end_object(); });
    }
    bool start_array(std::size_t) {
        return done([this] { json_.begin_array(); });
    }
    bool end_array() {
        return done([this] { json_.end_array(); });
    }

   private:
    static bool done(const auto& step) {
        step();
        return true;
    }
    JsonWriter& json_;
};

std::string info_text(const WsdbReader& reader, const std::optional<Provenance>& provenance) {
    const WsdbReader::Map& map = reader.map();
    const auto residues = static_cast<double>(reader.residue_count());
    std::array<char, 64> per_residue{};
    std::snprintf(per_residue.data(), per_residue.size(), "%.3f",
                  residues > 0 ? static_cast<double>(reader.file_bytes()) / residues : 0.0);
    std::string text;
    text += line("database", reader.file().string());
    text +=
        line("format", "version " + version_text(map.header) + ", codec " + std::string(codec_name(reader.codec())));
    text += line("size", format_size_bytes(reader.file_bytes()) + " (" + format_count(reader.file_bytes()) +
                             " bytes, " + per_residue.data() + " per residue)");
    text += line("sequences", format_count(reader.sequence_count()));
    text += line("residues", format_count(reader.residue_count()) + ", the longest sequence " +
                                 format_count(reader.longest_residues()));
    text += line("tiles",
                 format_count(reader.tile_count()) + ", of them linear " + format_count(reader.linear_tile_count()));
    text += line("content", reader.content_digest());
    if (provenance && provenance->is_object) {
        text += line("made by", provenance->program + " " + provenance->version);
        for (const Provenance::Source& source : provenance->sources)
            text += line("from", shown_text(source.name) + ", " + source.size);
    }
    text += "\nsection                  offset            size  share       items\n";
    for (std::uint32_t i = 0; i < map.header.section_count; ++i) {
        const wsdb::SectionEntry& entry = map.header.sections[i];
        std::array<char, 128> row{};
        std::snprintf(row.data(), row.size(), "%-18s %12llu %15llu %5.1f%% %11llu\n",
                      std::string(section_name(static_cast<wsdb::SectionType>(entry.type))).c_str(),
                      static_cast<unsigned long long>(entry.offset_bytes),
                      static_cast<unsigned long long>(entry.size_bytes),
                      100 * static_cast<double>(entry.size_bytes) / static_cast<double>(reader.file_bytes()),
                      static_cast<unsigned long long>(entry.items));
        text += row.data();
    }
    return text;
}

/// `provenance`: JSON, or nothing where the database has something else.
std::string info_json(const WsdbReader& reader, std::optional<std::string_view> provenance) {
    const WsdbReader::Map& map = reader.map();
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kIndented);
    json.begin_object();
    json.member("file", reader.file().string());
    json.member("file_bytes", reader.file_bytes());
    json.member("format_version", version_text(map.header));
    json.member("codec", codec_name(reader.codec()));
    json.member("sequences", reader.sequence_count());
    json.member("residues", reader.residue_count());
    json.member("longest_residues", reader.longest_residues());
    json.member("tiles", reader.tile_count());
    json.member("linear_tiles", reader.linear_tile_count());
    json.member("content_digest", reader.content_digest());
    json.key("sections").begin_array();
    for (std::uint32_t i = 0; i < map.header.section_count; ++i) {
        const wsdb::SectionEntry& entry = map.header.sections[i];
        json.begin_object();
        json.member("name", section_name(static_cast<wsdb::SectionType>(entry.type)));
        json.member("offset_bytes", entry.offset_bytes);
        json.member("size_bytes", entry.size_bytes);
        json.member("items", entry.items);
        json.end_object();
    }
    json.end_array();
    json.key("provenance");
    if (provenance) {
        JsonCopy copy(json);
        nlohmann::json::sax_parse(provenance->begin(), provenance->end(), &copy);
    } else {
        json.null();
    }
    json.end_object();
    json.line_break();
    return text;
}

}  // namespace

Status run_info_command(int argc, char** argv) {
    const auto arguments =
        parse_inspect_arguments(argc, argv, "Says what a database is and where it comes from.", kOptionJson);
    if (!arguments.ok() || arguments->done) return arguments.status();
    const auto reader = WsdbReader::open(arguments->database);
    if (!reader.ok()) return reader.status();
    const auto text = reader->map().provenance();
    if (!text.ok()) return text.status();
    std::optional<Provenance> provenance(std::in_place);
    if (!nlohmann::json::sax_parse(text->begin(), text->end(), &*provenance)) provenance.reset();
    if (!arguments->json) return print(info_text(*reader, provenance));
    return print(info_json(*reader, provenance ? std::optional<std::string_view>(*text) : std::nullopt));
}

}  // namespace warpseq
