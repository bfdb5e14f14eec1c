// Conversion of sequences to databases, and updates of sets.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/bindings.h"
#include "bindings/python/src/progress_relay.h"
#include "bindings/python/src/text.h"
#include "options/dbconv/dbconv_options.h"
#include "options/dbconv/dbconv_run.h"

namespace warpseq::python {
namespace {

/// Returns the values that the options have on dbconv's command line.
Result<OptionValues> values_of_run(const std::vector<std::filesystem::path>& inputs,
                                   const std::optional<std::filesystem::path>& output, const nb::object& threads,
                                   const std::vector<NamedValue>& given) {
    auto values = values_of(make_dbconv_options(), given);
    if (!values.ok()) return values;
    for (const auto& input : inputs) WARPSEQ_TRY(values->set("input", input.string()));
    if (output) WARPSEQ_TRY(values->set("out", output->string()));
    if (!threads.is_none()) WARPSEQ_TRY(values->set("threads", nb::str(threads).c_str()));
    return values;
}

/// Returns the counts of a run by the names that Python's dataclass has.
nb::dict counts_of(const DbconvSettings& settings, const DbconvRun& run) {
    ConvertReport all;
    const auto add = [&all](const ConvertReport& report) {
        all.summary.sequences += report.summary.sequences;
        all.summary.residues += report.summary.residues;
        all.summary.file_bytes += report.summary.file_bytes;
        all.summary.longest_residues = std::max(all.summary.longest_residues, report.summary.longest_residues);
        all.merged_sequences += report.merged_sequences;
        all.counts.skipped_invalid += report.counts.skipped_invalid;
    };
    for (const ConvertReport& report : run.reports) add(report);
    if (run.update && run.update->appended) add(*run.update->appended);
    nb::dict counts;
    nb::list files;
    for (const auto& file : outputs_of(settings)) files.append(text_of_file(file.string()));
    std::vector<std::string> digests;
    for (const ConvertReport& report : run.reports) digests.push_back(report.summary.content_digest);
    counts["files"] = nb::tuple(files);
    counts["content_digests"] = nb::tuple(nb::cast(digests));
    counts["sequences"] = run.update ? run.update->manifest.sequence_count() : all.summary.sequences;
    counts["residues"] = run.update ? run.update->manifest.residue_count() : all.summary.residues;
    counts["converted_sequences"] = all.summary.sequences;
    counts["longest_residues"] = all.summary.longest_residues;
    counts["file_bytes"] = all.summary.file_bytes;
    counts["merged_sequences"] = all.merged_sequences;
    counts["skipped_invalid"] = all.counts.skipped_invalid;
    counts["removed_sequences"] = run.update ? run.update->removed_sequences : 0;
    return counts;
}

nb::dict convert(const std::vector<std::filesystem::path>& inputs, const std::optional<std::filesystem::path>& output,
                 const nb::object& threads, const nb::dict& options, const nb::object& progress) {
    const OptionValues values = value_of(values_of_run(inputs, output, threads, named_values(options)));
    DbconvSettings settings = value_of(run_stoppable([&] { return read_dbconv_options(values); }));
    ProgressRelay relay(progress);
    std::stop_source stop;
    settings.conversion.stop = stop.get_token();
    settings.conversion.on_invalid_record = [&](const std::string& message) { relay.note("left out: " + message); };
    auto done = run_stoppable([&] { return run_dbconv(values, settings, relay); }, [&] { stop.request_stop(); },
                              [&] { relay.show(); });
    if (!done.ok()) relay.issue_notes();
    const DbconvRun run = value_of(std::move(done));
    for (const std::string& warning : run.warnings) relay.note(warning);
    relay.show_last();
    return counts_of(settings, run);
}

}  // namespace

void bind_convert(nb::module_& module) {
    module.def("convert", &convert, nb::arg("inputs"), nb::arg("output").none(), nb::arg("threads").none(),
               nb::arg("options"), nb::arg("progress").none());
}

}  // namespace warpseq::python
