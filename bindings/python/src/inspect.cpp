// Functions that describe databases and check whether they are sound.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/bindings.h"
#include "bindings/python/src/text.h"
#include "options/inspect/inspect_options.h"
#include "options/inspect/inspect_run.h"
#include "reports/inspect/database_info.h"
#include "reports/inspect/database_stats.h"

namespace warpseq::python {
namespace {

InspectArguments arguments_of(const char* command, const std::filesystem::path& file, const nb::object& threads,
                              const nb::dict& given) {
    OptionValues values = value_of(values_of(make_inspect_options(command), named_values(given)));
    check(values.set("words", file.string()));
    if (!threads.is_none()) check(values.set("threads", nb::str(threads).c_str()));
    return value_of(run_stoppable([&] { return read_inspect_arguments(command, values); }));
}

Result<std::string> stats_of(const InspectArguments& arguments, const ThreadPool& pool, Observer& observer) {
    const auto reader = open_as_one(arguments.database, arguments, pool, observer);
    if (!reader.ok()) return reader.status();
    const auto figures = database_figures(*reader);
    if (!figures.ok()) return figures.status();
    const auto content = read_content_stats(*reader, arguments, pool, observer);
    if (!content.ok()) return content.status();
    return database_stats_json(*reader, *figures, *content);
}

/// Returns the JSON texts of `inspect info` and `inspect stats`.
nb::tuple inspect(const std::filesystem::path& file, const nb::object& threads, const nb::dict& given) {
    const InspectArguments arguments = arguments_of("stats", file, threads, given);
    NoteCollector notes;
    std::stop_source stop;
    std::string info;
    auto stats = run_stoppable(
        [&]() -> Result<std::string> {
            auto read = database_info(arguments.database, true);
            if (!read.ok()) return read.status();
            info = *std::move(read);
            return stats_of(arguments, ThreadPool(arguments.threads).with_stop(stop.get_token()), notes);
        },
        [&] { stop.request_stop(); });
    notes.issue();
    const std::string text = value_of(std::move(stats));
    return nb::make_tuple(text_of_file(info), text_of_file(text));
}

/// Throws if the database is not sound.
void validate(const std::filesystem::path& file, const nb::object& threads, const nb::dict& given) {
    const InspectArguments arguments = arguments_of("validate", file, threads, given);
    NoteCollector notes;
    std::stop_source stop;
    auto validation = run_stoppable(
        [&] { return validate_database(arguments, ThreadPool(arguments.threads).with_stop(stop.get_token()), notes); },
        [&] { stop.request_stop(); });
    notes.issue();
    std::string message;
    for (const std::string& fault : value_of(std::move(validation)).faults())
        message += (message.empty() ? "" : "\n") + fault;
    if (!message.empty()) raise(Status::invalid_input(message));
}

}  // namespace

void bind_inspect(nb::module_& module) {
    module.def("inspect", &inspect, nb::arg("file"), nb::arg("threads").none(), nb::arg("options"));
    module.def("validate", &validate, nb::arg("file"), nb::arg("threads").none(), nb::arg("options"));
}

}  // namespace warpseq::python
