// `inspect validate`: checks whether every bit of a database is as it was written.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "apps/inspect/commands.h"
#include "formats/io/json_writer.h"
#include "formats/io/output_sink.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_set.h"
#include "formats/wsdb/wsdb_validate.h"
#include "libcore/base/number_format.h"
#include "libcore/base/thread_pool.h"
#include "options/inspect/inspect_options.h"

namespace warpseq {

namespace {

/// A database, or a volume of a set, that has been checked.
struct Checked {
    std::filesystem::path file;
    WsdbValidation validation;
};

void write_json(JsonWriter& json, const Checked& checked) {
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

void write_text(std::string& text, const Checked& checked) {
    for (const auto& count : checked.validation.counts) {
        std::string number = format_count(count.checked);
        text += std::string(number.size() < 18 ? 18 - number.size() : 0, ' ') + number + "  " + count.what + "\n";
    }
    if (checked.validation.faults.empty()) text += checked.file.string() + ": sound\n";
}

void name_faults(std::string& message, const Checked& checked) {
    const auto add = [&](const std::string& line) {
        message += (message.empty() ? "" : "\ninspect validate: ") + line;
    };
    for (const WsdbFault& fault : checked.validation.faults) add(fault_status(checked.file, fault).message());
    if (checked.validation.faults.size() == WsdbFaults::kMaxFaults)
        add(checked.file.string() + ": further faults are not listed");
}

/// The mapped files. They stay readable even if an update of their set removes them.
using Maps = std::vector<std::unique_ptr<WsdbReader::Map>>;

Status map_file(const std::filesystem::path& file, Maps& maps) {
    auto map = WsdbReader::Map::map_file(file);
    if (!map.ok()) return map.status();
    maps.push_back(*std::move(map));
    return {};
}

/// Maps all volumes of a set. Returns an error if that cannot be done. Sets `of_set` to the error
/// in what the manifest says about them, if any.
Status map_volumes(const std::filesystem::path& set, Maps& maps, Status& of_set) {
    std::optional<std::size_t> volumes;
    const Status status = read_wsdb_set(set, [&](const WsdbSetManifest& manifest) -> Status {
        const std::vector<std::filesystem::path> files = volumes_of_wsdb_set(set, manifest);
        volumes = files.size();
        maps.clear();
        const std::filesystem::path folder = files.empty() ? set.parent_path() : files.front().parent_path();
        of_set = open_set_volumes(manifest, folder, set.string()).status();
        for (const std::filesystem::path& file : files) {
            const Status mapped = map_file(file, maps);
            if (!mapped.ok()) return of_set.ok() ? mapped : of_set;
        }
        return of_set;
    });
    return volumes == maps.size() ? Status() : status;
}

Result<Checked> check(WsdbReader::Map& map, const InspectArguments& arguments, const ThreadPool& pool) {
    WsdbValidateOptions options;
    options.all = arguments.all;
    TerminalObserver observer("inspect validate", arguments.quiet);
    const auto progress = observer.begin("checking", 100);
    options.on_progress = [&](std::uint64_t done, std::uint64_t total) { progress->update(done * 100 / total); };
    auto checked = validate_wsdb(map, pool, options);
    progress->finish();
    if (!checked.ok()) return checked.status();
    return Checked{map.file, *std::move(checked)};
}

}  // namespace

Status run_validate_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok()) return arguments.status();
    if (!arguments->help.empty()) return print(arguments->help);
    const bool is_set = is_wsdb_set(arguments->database);
    const ThreadPool pool(arguments->threads);
    Maps maps;
    Status of_set;  // error in the manifest, or in what it says about the volumes
    WARPSEQ_TRY(is_set ? map_volumes(arguments->database, maps, of_set) : map_file(arguments->database, maps));
    std::vector<Checked> all;
    for (const auto& map : maps) {
        auto checked = check(*map, *arguments, pool);
        if (!checked.ok()) return of_set.ok() ? checked.status() : of_set;
        all.push_back(*std::move(checked));
    }
    std::string message = of_set.message();
    for (const Checked& each : all) name_faults(message, each);
    std::string text;
    if (arguments->json) {
        JsonWriter json(text, JsonWriter::Layout::kIndented);
        if (is_set) {
            json.begin_object();
            json.member("file", arguments->database.string());
            json.member("sound", message.empty());
            json.key("volumes").begin_array();
        }
        for (const Checked& each : all) write_json(json, each);
        if (is_set) {
            json.end_array();
            json.end_object();
        }
        json.line_break();
        WARPSEQ_TRY(print(text));
    } else if (!arguments->quiet) {
        for (const Checked& each : all) write_text(text, each);
        if (is_set && message.empty()) text += arguments->database.string() + ": sound\n";
        WARPSEQ_TRY(print(text));
    }
    return message.empty() ? Status() : Status::invalid_input(message);
}

}  // namespace warpseq
