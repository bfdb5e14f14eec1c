#include "bindings/searches/session_options.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "options/search/common_options.h"
#include "options/search/target_choice.h"
#include "options/search/target_options.h"

namespace warpseq {
namespace {

/// The options of inputs, outputs, the machine and divided searches. A session has the machine's.
constexpr std::array<std::string_view, 22> kReserved = {
    "query",       "db",         "cache",  "out",      "quiet",   "stats",       "A",      "tblout",
    "domtblout",   "pfamtblout", "chkhmm", "chkali",   "threads", "num_threads", "device", "device-memory",
    "cpu-backend", "chunk-size", "part",   "work-dir", "help",    "version"};

/// The options that restrict a session.
constexpr std::array<std::string_view, 7> kTargetOptions = {
    "seqidlist", "negative-seqidlist", "negative_seqidlist", "taxids",
    "taxidlist", "negative-taxids",    "negative-taxidlist"};

bool has(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// Returns the value of an option that takes one.
std::string text_of(const std::optional<std::string>& value) { return value.value_or("true"); }

std::string with_dashes_inside(std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
}

}  // namespace

Result<OptionValues> values_of(const OptionSet& options, const std::vector<NamedValue>& given, bool may_state_report) {
    OptionValues values = options.values();
    for (const auto& [name, value] : given) {
        const std::string spelled = values.knows(name) ? name : with_dashes_inside(name);
        const bool takes_value = values.knows(spelled) && values.takes_value(spelled);
        WARPSEQ_TRY(values.set(spelled, takes_value ? text_of(value) : ""));
        if (!takes_value && value)
            return Status::usage("option '" + name + "' takes no value; give True or False");
        const std::string key = values.names_given().back();
        if (has(kTargetOptions, key))
            return Status::usage("option '" + name +
                                 "' cannot be given here: give it to the session, all of whose "
                                 "searches it restricts");
        if (has(kReserved, key) || (key == "outfmt" && !may_state_report))
            return Status::usage("option '" + name +
                                 "' cannot be given here: files, devices and threads belong to the "
                                 "session, and results are written with write()");
    }
    return values;
}

Result<SessionSettings> machine_settings(const std::vector<NamedValue>& machine) {
    OptionSet options("session");
    add_machine_options(options);
    OptionValues values = options.values();
    for (const auto& [name, value] : machine) WARPSEQ_TRY(values.set(with_dashes_inside(name), text_of(value)));
    const auto run = read_run_options(values);
    if (!run.ok()) return run.status();
    return session_settings(*run);
}

Result<std::unique_ptr<Session>> open_session(const std::vector<std::filesystem::path>& databases,
                                              const std::vector<std::string>& names,
                                              const std::vector<NamedValue>& given,
                                              const std::function<Status(const DeviceRequest&)>& check_device,
                                              Observer& observer, SessionTargets& targets) {
    OptionSet options("session");
    add_machine_options(options);
    add_chunk_size_option(options);
    add_target_options(options);
    OptionValues values = options.values();
    for (const auto& [name, value] : given) {
        WARPSEQ_TRY(values.set(with_dashes_inside(name), text_of(value)));
        if (has(kTargetOptions, values.names_given().back()))
            targets.options.emplace_back(values.names_given().back(), text_of(value));
    }
    const auto run = read_run_options(values);
    if (!run.ok()) return run.status();
    WARPSEQ_TRY(check_device(run->device));
    auto choice = read_target_options(values);
    if (!choice.ok()) return choice.status();
    SessionSettings settings = session_settings(*run);
    settings.database_files = databases;
    settings.database_names.assign(names.begin(), names.end());
    if (!choice->is_everything())
        settings.choose_targets = target_chooser(
            *std::move(choice), [&](std::shared_ptr<const DeflineChoice> lines) { targets.lines = std::move(lines); });
    return Session::open(settings, observer);
}

Status check_output(CommonOptions options, const std::filesystem::path& file) {
    options.report_option = "the output";
    options.output_file = file;
    return files_of(options).check();
}

const std::vector<std::filesystem::path>& names_of_databases(const Session& session) {
    const SessionSettings& settings = session.settings();
    return settings.database_names.empty() ? settings.database_files : settings.database_names;
}

}  // namespace warpseq
