#include "reports/json_document.h"

#include <string>

#include "libcore/base/version.h"

namespace warpseq {

void begin_json_document(JsonWriter& json, std::string_view engine, const DatabaseSet& databases,
                         const std::function<void()>& parameters) {
    json.begin_object();
    json.member("program", "warpseq search " + std::string(engine));
    json.member("version", program_version());
    json.line_break();
    json.key("parameters").begin_object();
    parameters();
    json.end_object();
    json.line_break();
    json.key("databases").begin_array();
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        json.begin_object();
        json.member("file", databases.file(d).filename().string());
        json.member("sequences", databases.sequence_count(d));
        json.member("residues", databases.residue_count(d));
        json.member("content_digest", reader.content_digest());
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
