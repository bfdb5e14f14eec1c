#include "options/inspect/inspect_run.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_set.h"

namespace warpseq {
namespace {

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

Result<CheckedDatabase> check(WsdbReader::Map& map, bool all, const ThreadPool& pool, Observer& observer) {
    WsdbValidateOptions options;
    options.all = all;
    const auto progress = observer.begin("checking", 100);
    options.on_progress = [&](std::uint64_t done, std::uint64_t total) { progress->update(done * 100 / total); };
    auto checked = validate_wsdb(map, pool, options);
    progress->finish();
    if (!checked.ok()) return checked.status();
    return CheckedDatabase{map.file, *std::move(checked)};
}

}  // namespace

Result<WsdbReader> open_as_one(const std::filesystem::path& file, const InspectArguments& arguments,
                               const ThreadPool& pool, Observer& observer) {
    if (!is_wsdb_set(file)) return WsdbReader::open(file);
    {
        auto set = WsdbSet::open(file);
        if (!set.ok()) return set.status();
        if (set->volumes().size() == 1 && !set->volumes().front().removed)
            return std::move(set->volumes().front().reader);
    }
    ConvertOptions options;
    options.inputs = {file};
    options.memory_bytes = std::max(arguments.memory_bytes, WsdbWriter::min_memory_bytes(pool.threads()));
    options.temporary_folder = temporary_folder(arguments);
    options.stop = pool.stop();
    return convert_to_unnamed(file, options, pool, observer);
}

Result<ContentStats> read_content_stats(const WsdbReader& reader, const InspectArguments& arguments,
                                        const ThreadPool& pool, Observer& observer) {
    ContentStats content;
    if (!arguments.letters && !arguments.low_complexity && !arguments.duplicates) return content;
    WsdbContentFiguresOptions& options = content.chosen;
    options.letters = arguments.letters;
    options.low_complexity = arguments.low_complexity;
    options.duplicates = arguments.duplicates;
    options.memory_bytes = arguments.memory_bytes;
    options.temporary_folder = temporary_folder(arguments);
    const auto progress = observer.begin("reading", 100);
    options.on_progress = [&](std::uint64_t done, std::uint64_t total) {
        progress->update(
            total == 0 ? 0
                       : static_cast<std::uint64_t>(100 * (static_cast<double>(done) / static_cast<double>(total))));
    };
    auto figures = wsdb_content_figures(reader, pool, options);
    options.on_progress = {};
    progress->finish();
    if (!figures.ok()) return figures.status();
    content.figures = *std::move(figures);
    return content;
}

std::vector<std::string> DatabaseValidation::faults() const {
    std::vector<std::string> messages;
    if (!of_set.ok()) messages.push_back(of_set.message());
    for (const CheckedDatabase& each : checked) {
        for (const WsdbFault& fault : each.validation.faults)
            messages.push_back(fault_status(each.file, fault).message());
        if (each.validation.faults.size() == WsdbFaults::kMaxFaults)
            messages.push_back(each.file.string() + ": further faults are not listed");
    }
    return messages;
}

Result<DatabaseValidation> validate_database(const InspectArguments& arguments, const ThreadPool& pool,
                                             Observer& observer) {
    DatabaseValidation validation;
    validation.is_set = is_wsdb_set(arguments.database);
    Maps maps;
    WARPSEQ_TRY(validation.is_set ? map_volumes(arguments.database, maps, validation.of_set)
                                  : map_file(arguments.database, maps));
    for (const auto& map : maps) {
        auto checked = check(*map, arguments.all, pool, observer);
        if (!checked.ok()) return validation.of_set.ok() ? checked.status() : validation.of_set;
        validation.checked.push_back(*std::move(checked));
    }
    return validation;
}

}  // namespace warpseq
