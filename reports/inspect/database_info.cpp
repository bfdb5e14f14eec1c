#include "reports/inspect/database_info.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/io/json_events.h"
#include "formats/io/json_writer.h"
#include "formats/io/shown_text.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_set.h"
#include "libcore/base/number_format.h"
#include "libcore/base/thread_pool.h"

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

/// A receiver of a JSON parser's events that writes them to a JsonWriter.
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

std::string label_lines(const DatabaseLabels& labels) {
    return (labels.title.empty() ? "" : line("title", labels.title)) +
           (labels.release.empty() ? "" : line("release", labels.release));
}

void write_labels(JsonWriter& json, const DatabaseLabels& labels) {
    if (!labels.title.empty()) json.member("title", labels.title);
    if (!labels.release.empty()) json.member("release", labels.release);
}

/// Returns the number of items of each section in the table.
Result<std::vector<std::uint64_t>> items_of_sections(const WsdbReader::Map& map) {
    std::vector<std::uint64_t> items;
    for (std::uint32_t i = 0; i < map.header.section_count; ++i) {
        const auto count = map.items(map.header.sections[i]);
        if (!count.ok()) return count.status();
        items.push_back(*count);
    }
    return items;
}

std::string info_text(const WsdbReader& reader, const std::vector<std::uint64_t>& items,
                      const std::optional<WsdbProvenance>& provenance) {
    const WsdbReader::Map& map = reader.map();
    const auto residues = static_cast<double>(reader.residue_count());
    std::array<char, 64> per_residue{};
    std::snprintf(per_residue.data(), per_residue.size(), "%.3f",
                  residues > 0 ? static_cast<double>(reader.file_bytes()) / residues : 0.0);
    std::string text;
    text += line("database", reader.file().string());
    if (provenance) text += label_lines(provenance->labels);
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
        for (const WsdbProvenance::Source& source : provenance->sources) {
            text += line("from", shown_text(source.name) + ", " +
                                     (source.size_bytes ? format_size_bytes(*source.size_bytes) : "?"));
        }
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
                      static_cast<unsigned long long>(items[i]));
        text += row.data();
    }
    return text;
}

/// Returns the description as JSON. `provenance` is the database's provenance, or nothing if that
/// is not JSON.
std::string info_json(const WsdbReader& reader, const std::vector<std::uint64_t>& items, const DatabaseLabels& labels,
                      std::optional<std::string_view> provenance) {
    const WsdbReader::Map& map = reader.map();
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kIndented);
    json.begin_object();
    json.member("file", reader.file().string());
    write_labels(json, labels);
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
        json.member("items", items[i]);
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

std::uint64_t removed_sequences(const WsdbSetVolume& volume) { return volume.removed ? volume.removed->sequences : 0; }

/// Returns the table of what updates have done; empty if nothing is known of them.
std::string history_text(const WsdbSetManifest& manifest) {
    if (manifest.history.empty()) return "";
    std::string text = "\ntime of update        what         appended     removed       sequences  from\n";
    const WsdbSetHistoryEntry& first = manifest.history.front();
    if (manifest.forgotten_updates > 0) {
        text += "(" + format_count(manifest.forgotten_updates) + " earlier ones are no longer listed)\n";
    } else if (first.appended != first.sequences) {
        text += "(nothing is known of earlier ones)\n";
    }
    for (const WsdbSetHistoryEntry& entry : manifest.history) {
        std::array<char, 128> row{};
        std::snprintf(row.data(), row.size(), "%11llu %11llu %15llu", static_cast<unsigned long long>(entry.appended),
                      static_cast<unsigned long long>(entry.removed), static_cast<unsigned long long>(entry.sequences));
        std::string what = entry.time;
        what.resize(std::max<std::size_t>(what.size(), 20), ' ');
        what += "  " + entry.what;
        what.resize(std::max<std::size_t>(what.size(), 32), ' ');
        text += what + row.data();
        if (entry.inputs > 0) {
            text += "  " + shown_text(entry.first_input);
            if (entry.inputs > 1) text += " and " + format_count(entry.inputs - 1) + " more";
        }
        text += "\n";
    }
    return text;
}

std::string set_info_text(const std::filesystem::path& file, const WsdbSetManifest& manifest) {
    std::uint64_t removed = 0;
    for (const WsdbSetVolume& volume : manifest.volumes) removed += removed_sequences(volume);
    std::string text;
    text += line("set", file.string());
    text += label_lines(manifest.labels);
    text += line("sequences", format_count(manifest.sequence_count()) + ", and " + format_count(removed) + " removed");
    text += line("residues", format_count(manifest.residue_count()));
    text += line("volumes", format_count(manifest.volumes.size()));
    text += "\n     sequences        residues     removed  content                           volume\n";
    for (const WsdbSetVolume& volume : manifest.volumes) {
        std::array<char, 128> row{};
        std::snprintf(row.data(), row.size(), "%14llu %15llu %11llu  %s  ",
                      static_cast<unsigned long long>(volume.sequences),
                      static_cast<unsigned long long>(volume.residues),
                      static_cast<unsigned long long>(removed_sequences(volume)), volume.content_digest.c_str());
        text += row.data() + volume.file + "\n";
    }
    return text + history_text(manifest);
}

std::string set_info_json(const std::filesystem::path& file, const WsdbSetManifest& manifest) {
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kIndented);
    json.begin_object();
    json.member("file", file.string());
    if (!manifest.identity.empty()) json.member("set", manifest.identity);
    write_labels(json, manifest.labels);
    json.member("sequences", manifest.sequence_count());
    json.member("residues", manifest.residue_count());
    json.key("volumes").begin_array();
    for (const WsdbSetVolume& volume : manifest.volumes) {
        json.begin_object();
        json.member("file", volume.file);
        json.member("sequences", volume.sequences);
        json.member("residues", volume.residues);
        json.member("removed_sequences", removed_sequences(volume));
        json.member("content_digest", volume.content_digest);
        json.end_object();
    }
    json.end_array();
    json.member("forgotten_updates", manifest.forgotten_updates);
    json.key("history").begin_array();
    for (const WsdbSetHistoryEntry& entry : manifest.history) {
        json.begin_object();
        write_members(entry, false, json);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.line_break();
    return text;
}

}  // namespace

Result<std::string> database_info(const std::filesystem::path& file, bool as_json) {
    if (is_wsdb_set(file)) {
        const auto set = WsdbSet::open(file);
        if (!set.ok()) return set.status();
        return as_json ? set_info_json(file, set->manifest()) : set_info_text(file, set->manifest());
    }
    const auto reader = WsdbReader::open(file);
    if (!reader.ok()) return reader.status();
    const auto text = reader->map().provenance();
    if (!text.ok()) return text.status();
    const auto items = items_of_sections(reader->map());
    if (!items.ok()) return items.status();
    WARPSEQ_TRY(reader->verify_unchanged(ThreadPool(1)));
    const std::optional<WsdbProvenance> provenance = read_provenance(*text);
    if (!as_json) return info_text(*reader, *items, provenance);
    return info_json(*reader, *items, provenance ? provenance->labels : DatabaseLabels(),
                     provenance ? std::optional<std::string_view>(*text) : std::nullopt);
}

}  // namespace warpseq
