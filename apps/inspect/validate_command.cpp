// `inspect validate`: checks whether every bit of a database is as it was written.
#include <string>

#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "apps/inspect/commands.h"
#include "formats/io/json_writer.h"
#include "formats/io/output_sink.h"
#include "formats/wsdb/wsdb_faults.h"
#include "libcore/base/number_format.h"
#include "libcore/base/thread_pool.h"
#include "options/inspect/inspect_options.h"
#include "options/inspect/inspect_run.h"

namespace warpseq {

namespace {

void write_json(JsonWriter& json, const CheckedDatabase& checked) {
    json.begin_object();
    json.member("file", checked.file.string());
    json.member("sound", checked.validation.faults.empty());
    json.key("checked").begin_object();
    for (const auto& count : checked.validation.counts) json.member(count.what, count.checked);
    json.end_object();
    json.key("faults").begin_array();
    for (const WsdbFault& fault : checked.validation.faults) {
        json.begin_object();
        json.member("offset_bytes", fault.offset_bytes);
        json.member("what", fault.what);
        json.member("expected", fault.expected);
        json.member("found", fault.found);
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

void write_text(std::string& text, const CheckedDatabase& checked) {
    for (const auto& count : checked.validation.counts) {
        std::string number = format_count(count.checked);
        text += std::string(number.size() < 18 ? 18 - number.size() : 0, ' ') + number + "  " + count.what + "\n";
    }
    if (checked.validation.faults.empty()) text += checked.file.string() + ": sound\n";
}

}  // namespace

Status run_validate_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok()) return arguments.status();
    if (!arguments->help.empty()) return print(arguments->help);
    TerminalObserver observer("inspect validate", arguments->quiet);
    const auto validation = validate_database(*arguments, ThreadPool(arguments->threads), observer);
    if (!validation.ok()) return validation.status();
    const bool is_set = validation->is_set;
    std::string message;
    for (const std::string& fault : validation->faults())
        message += (message.empty() ? "" : "\ninspect validate: ") + fault;
    std::string text;
    if (arguments->json) {
        JsonWriter json(text, JsonWriter::Layout::kIndented);
        if (is_set) {
            json.begin_object();
            json.member("file", arguments->database.string());
            json.member("sound", message.empty());
            json.key("volumes").begin_array();
        }
        for (const CheckedDatabase& each : validation->checked) write_json(json, each);
        if (is_set) {
            json.end_array();
            json.end_object();
        }
        json.line_break();
        WARPSEQ_TRY(print(text));
    } else if (!arguments->quiet) {
        for (const CheckedDatabase& each : validation->checked) write_text(text, each);
        if (is_set && message.empty()) text += arguments->database.string() + ": sound\n";
        WARPSEQ_TRY(print(text));
    }
    return message.empty() ? Status() : Status::invalid_input(message);
}

}  // namespace warpseq
