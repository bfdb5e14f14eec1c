#include "reports/json_document.h"

#include <optional>
#include <string>

#include "libcore/base/version.h"

namespace warpseq {

void begin_json_document(JsonWriter& json, std::string_view program, const DatabaseFacts& databases,
                         const std::function<void()>& parameters) {
    json.begin_object();
    json.member("program", "warpseq " + std::string(program));
    json.member("version", program_version());
    json.line_break();
    json.key("parameters").begin_object();
    parameters();
    json.end_object();
    json.line_break();
    json.key("databases").begin_array();
    for (std::size_t d = 0, end = 0; d < databases.size(); d = end) {
        std::uint64_t sequences = 0, residues = 0;
        for (end = d; end == d || (end < databases.size() && databases.continues_set(end)); ++end) {
            sequences += databases.sequence_count(end);
            residues += databases.residue_count(end);
        }
        json.begin_object();
        json.member("file", databases.file(d).filename().string());
        json.member("sequences", sequences);
        json.member("residues", residues);
        // The digest is that of one file. It does not describe a set, or a file from which
        // sequences have been removed.
        const auto digest = end == d + 1 ? databases.content_digest(d) : std::nullopt;
        if (digest) {
            json.member("content_digest", *digest);
        } else {
            json.key("content_digest").null();
        }
        json.end_object();
    }
    json.end_array();
    json.line_break();
    json.key("queries").begin_array();
}

void end_json_document(JsonWriter& json) {
    json.line_break();
    json.end_array();
    json.end_object();
    json.line_break();
}

}  // namespace warpseq
