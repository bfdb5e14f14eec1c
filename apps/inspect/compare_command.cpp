// `inspect compare`: shows what differs between two databases.
#include <array>
#include <string>
#include <string_view>

#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "apps/inspect/commands.h"
#include "apps/inspect/one_database.h"
#include "formats/io/json_writer.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "formats/wsdb/wsdb_compare.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/number_format.h"
#include "libcore/base/thread_pool.h"
#include "options/inspect/inspect_options.h"

namespace warpseq {

namespace {

/// Size of the pieces in which text is written.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

struct ChangeName {
    std::string_view name, json_name, description;
};
/// The names of changes, indexed by WsdbChange.
constexpr std::array<ChangeName, kWsdbChanges> kChangeNames = {
    {{"header", "header_changed", "another header, the same sequence"},
     {"sequence", "sequence_changed", "another sequence, the same identifier"},
     {"renamed", "renamed", "renamed: another identifier, the same sequence"},
     {"removed", "removed", "removed"},
     {"added", "added", "added"}}};

std::string_view name_of(WsdbChange change) { return kChangeNames[static_cast<std::size_t>(change)].name; }

std::string count_line(std::uint64_t count, std::string_view what) {
    const std::string number = format_count(count);
    return std::string(number.size() < 18 ? 18 - number.size() : 0, ' ') + number + "  " + std::string(what) + "\n";
}

void write_database(JsonWriter& json, std::string_view key, const WsdbReader& reader) {
    json.key(key).begin_object();
    json.member("file", reader.file().string());
    json.member("sequences", reader.sequence_count());
    json.member("residues", reader.residue_count());
    json.member("content_digest", reader.content_digest());
    json.end_object();
}

}  // namespace

Status run_compare_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok()) return arguments.status();
    if (!arguments->help.empty()) return print(arguments->help);
    RunFiles files;
    files.add_input("the first database", arguments->database);
    files.add_input("the second database", arguments->second);
    files.add_output("the differences", std::nullopt);
    WARPSEQ_TRY(files.check());
    const auto before = open_as_one(arguments->database, *arguments, "inspect compare");
    if (!before.ok()) return before.status();
    const auto after = open_as_one(arguments->second, *arguments, "inspect compare");
    if (!after.ok()) return after.status();

    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kIndented);
    if (arguments->json) {
        json.begin_object();
        write_database(json, "old", *before);
        write_database(json, "new", *after);
        if (arguments->list_differences) json.key("differences").begin_array();
    }
    WsdbCompareOptions options;
    options.memory_bytes = arguments->memory_bytes;
    options.temporary_folder = temporary_folder(*arguments);
    if (arguments->list_differences && (arguments->json || !arguments->quiet)) {
        options.on_difference = [&](const WsdbDifference& difference) -> Status {
            const bool has_before = difference.change != WsdbChange::kAdded;
            const bool has_after = difference.change != WsdbChange::kRemoved;
            if (arguments->json) {
                json.begin_object();
                json.member("change", name_of(difference.change));
                if (has_before) json.member("old", difference.identifier_before);
                if (has_after) json.member("new", difference.identifier_after);
                json.end_object();
            } else {
                text += std::string(name_of(difference.change)) + "\t" +
                        (has_before ? difference.identifier_before : "-") + "\t" +
                        (has_after ? difference.identifier_after : "-") + "\n";
            }
            if (text.size() < kPieceBytes) return {};
            WARPSEQ_TRY(print(text));
            text.clear();
            return {};
        };
    }
    ThreadPool pool(arguments->threads);
    TerminalObserver observer("inspect compare", arguments->quiet);
    const auto progress = observer.begin("comparing", 100);
    options.on_progress = [&](std::uint64_t done, std::uint64_t total) {
        if (total > 0)
            progress->update(
                static_cast<std::uint64_t>(100.0 * static_cast<double>(done) / static_cast<double>(total)));
    };
    const auto comparison = compare_wsdb(*before, *after, pool, options);
    progress->finish();
    if (!comparison.ok()) return comparison.status();

    if (arguments->json) {
        if (arguments->list_differences) json.end_array();
        json.member("identical", comparison->is_same());
        json.member("same", comparison->same);
        for (std::size_t change = 0; change < kWsdbChanges; ++change)
            json.member(kChangeNames[change].json_name, comparison->changes[change]);
        json.end_object();
        json.line_break();
    } else if (!arguments->quiet && !arguments->list_differences) {
        text += count_line(comparison->same, "the same");
        for (std::size_t change = 0; change < kWsdbChanges; ++change)
            text += count_line(comparison->changes[change], kChangeNames[change].description);
    }
    WARPSEQ_TRY(print(text));
    if (comparison->is_same()) return {};
    return Status::invalid_input(arguments->database.string() + " and " + arguments->second.string() + " differ");
}

}  // namespace warpseq
