// `inspect validate`: is every bit of a database as it was written?
#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "apps/inspect/arguments.h"
#include "apps/inspect/commands.h"
#include "formats/json_writer.h"
#include "formats/output_sink.h"
#include "formats/wsdb_validate.h"
#include "libcore/base/number_format.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

Status run_validate_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok() || arguments->done) return arguments.status();
    const std::string file = arguments->database.string();
    ThreadPool pool(arguments->threads);
    WsdbValidateOptions options;
    options.all = arguments->all;
    TerminalObserver observer("inspect validate", arguments->quiet);
    const auto progress = observer.begin("checking", 100);
    options.on_progress = [&](std::uint64_t done, std::uint64_t total) { progress->update(done * 100 / total); };
    const auto checked = validate_wsdb(arguments->database, pool, options);
    progress->finish();
    if (!checked.ok()) return checked.status();

    if (arguments->json) {
        std::string text;
        JsonWriter json(text, JsonWriter::Layout::kIndented);
        json.begin_object();
        json.member("file", file);
        json.member("sound", checked->faults.empty());
        json.key("checked").begin_object();
        for (const auto& count : checked->counts) json.member(count.what, count.checked);
        json.end_object();
        json.key("faults").begin_array();
        for (const WsdbFault& fault : checked->faults) {
            json.begin_object();
            json.member("offset_bytes", fault.offset_bytes);
            json.member("what", fault.what);
            json.member("expected", fault.expected);
            json.member("found", fault.found);
            json.end_object();
        }
        json.end_array();
        json.end_object();
        json.line_break();
        WARPSEQ_TRY(print(text));
    } else if (!arguments->quiet) {
        std::string text;
        for (const auto& count : checked->counts) {
            std::string number = format_count(count.checked);
            text += std::string(number.size() < 18 ? 18 - number.size() : 0, ' ') + number + "  " + count.what + "\n";
        }
        if (checked->faults.empty()) text += file + ": sound\n";
        WARPSEQ_TRY(print(text));
    }
    if (checked->faults.empty()) return {};
    std::string message;
    for (const WsdbFault& fault : checked->faults) {
        if (!message.empty()) message += "\ninspect validate: ";
        message += fault_status(arguments->database, fault).message();
    }
    if (checked->faults.size() == WsdbFaults::kMaxFaults)
        message += "\ninspect validate: " + file + ": no more are named";
    return Status::invalid_input(message);
}

}  // namespace warpseq
