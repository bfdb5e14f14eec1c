// `inspect info`: what a database is, from its header, its section table and its provenance.
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/common/command_line.h"
#include "apps/common/output_sink.h"
#include "apps/inspect/arguments.h"
#include "apps/inspect/commands.h"
#include "formats/shown_text.h"
#include "formats/wsdb_map.h"
#include "formats/wsdb_reader.h"

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

std::string info_text(const WsdbReader& reader, const nlohmann::ordered_json& provenance) {
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
    if (provenance.is_object()) {
        const auto part = [&](const char* name) {
            const auto found = provenance.find(name);
            return found != provenance.end() && found->is_string() ? found->get<std::string>() : std::string("?");
        };
        text += line("made by", part("program") + " " + part("version"));
        const auto sources = provenance.find("sources");
        if (sources != provenance.end() && sources->is_array()) {
            for (const auto& source : *sources) {
                if (!source.is_object()) continue;
                const std::string name = source.contains("name") && source["name"].is_string()
                                             ? source["name"].get<std::string>()
                                             : std::string("?");
                const std::string size = source.contains("size_bytes") && source["size_bytes"].is_number_unsigned()
                                             ? format_size_bytes(source["size_bytes"].get<std::uint64_t>())
                                             : std::string("?");
                text += line("from", shown_text(name) + ", " + size);
            }
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
                      static_cast<unsigned long long>(entry.items));
        text += row.data();
    }
    return text;
}

nlohmann::ordered_json info_json(const WsdbReader& reader, nlohmann::ordered_json provenance) {
    const WsdbReader::Map& map = reader.map();
    nlohmann::ordered_json json;
    json["file"] = reader.file().string();
    json["file_bytes"] = reader.file_bytes();
    json["format_version"] = version_text(map.header);
    json["codec"] = codec_name(reader.codec());
    json["sequences"] = reader.sequence_count();
    json["residues"] = reader.residue_count();
    json["longest_residues"] = reader.longest_residues();
    json["tiles"] = reader.tile_count();
    json["linear_tiles"] = reader.linear_tile_count();
    json["content_digest"] = reader.content_digest();
    json["sections"] = nlohmann::ordered_json::array();
    for (std::uint32_t i = 0; i < map.header.section_count; ++i) {
        const wsdb::SectionEntry& entry = map.header.sections[i];
        json["sections"].push_back({{"name", section_name(static_cast<wsdb::SectionType>(entry.type))},
                                    {"offset_bytes", entry.offset_bytes},
                                    {"size_bytes", entry.size_bytes},
                                    {"items", entry.items}});
    }
    json["provenance"] = std::move(provenance);
    return json;
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
    // Without exceptions: what is no JSON comes back discarded and is shown as null.
    nlohmann::ordered_json provenance = nlohmann::ordered_json::parse(text->begin(), text->end(), nullptr, false);
    if (provenance.is_discarded()) provenance = nullptr;
    if (!arguments->json) return print(info_text(*reader, provenance));
    return print(info_json(*reader, std::move(provenance))
                     .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                 "\n");
}

}  // namespace warpseq
