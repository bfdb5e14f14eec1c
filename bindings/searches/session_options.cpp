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

/// Returns the first spelling of an option's name that the rows know: the name as it is, or with
/// dashes. If `dashes_first`, the order is the other one. Returns the name if neither is known.
std::string spelled_for(const OptionValues& values, const std::string& name, bool dashes_first = false) {
    std::string with_dashes = name;
    std::ranges::replace(with_dashes, '_', '-');
    return values.knows(with_dashes) && (dashes_first || !values.knows(name)) ? with_dashes : name;
}

/// Sets an option of a session, or checks its name if it has no value.
Status set_option_of_session(const NamedValue& given, OptionValues& values) {
    // Some options of targets also have BLAST's spelling, with '_'. Messages have the other one.
    const std::string name = spelled_for(values, given.name, true);
    OptionValues unused = values;
    return given.is_given ? values.set(name, given.text.value_or("true")) : unused.set(name);
}

/// Refuses an option that only a session or a program has. `key` identifies the option.
Status check_place(const std::string& name, const std::string& key, bool may_state_report) {
    if (has(kTargetOptions, key))
        return Status::usage("option '" + name +
                             "' cannot be given here: give it to the session, all of whose "
                             "searches it restricts");
    if (has(kReserved, key) || (key == "outfmt" && !may_state_report))
        return Status::usage("option '" + name +
                             "' cannot be given here: files, devices and threads belong to the "
                             "session, and results are written with write()");
    return {};
}

}  // namespace

Result<OptionValues> values_of(const OptionSet& options, const std::vector<NamedValue>& given, bool may_state_report) {
    OptionValues values = options.values();
    for (const auto& [name, is_given, text] : given) {
        const std::string spelled = spelled_for(values, name);
        OptionValues alone = options.values();
        WARPSEQ_TRY(alone.set(spelled));
        WARPSEQ_TRY(check_place(name, alone.names_given().front(), may_state_report));
        if (!is_given) continue;
        const bool takes_value = values.takes_value(spelled);
        if (!takes_value && text) return Status::usage("option '" + name + "' takes no value; give True or False");
        WARPSEQ_TRY(values.set(spelled, takes_value ? text.value_or("true") : ""));
    }
    return values;
}

Result<SessionSettings> machine_settings(const std::vector<NamedValue>& machine) {
    OptionSet options("session");
    add_machine_options(options);
    OptionValues values = options.values();
    for (const NamedValue& each : machine) WARPSEQ_TRY(set_option_of_session(each, values));
    const auto run = read_run_options(values);
    if (!run.ok()) return run.status();
    return session_settings(*run);
}

Result<std::unique_ptr<Session>> open_session(const std::vector<std::filesystem::path>& databases,
                                              const std::vector<std::filesystem::path>& names,
                                              const std::vector<NamedValue>& given,
                                              const std::function<Status(const DeviceRequest&)>& check_device,
                                              Observer& observer, SessionTargets& targets,
                                              const TargetOpener& open_converted) {
    OptionSet options("session");
    add_machine_options(options);
    add_chunk_size_option(options);
    add_target_options(options);
    OptionValues values = options.values();
    for (const NamedValue& each : given) {
        WARPSEQ_TRY(set_option_of_session(each, values));
        if (each.is_given && has(kTargetOptions, values.names_given().back()))
            targets.options.emplace_back(values.names_given().back(), each.text.value_or("true"));
    }
    const auto run = read_run_options(values);
    if (!run.ok()) return run.status();
    const auto chunk_bytes = read_chunk_bytes(values);
    if (!chunk_bytes.ok()) return chunk_bytes.status();
    WARPSEQ_TRY(check_device(run->device));
    auto choice = read_target_options(values);
    if (!choice.ok()) return choice.status();
    SessionSettings settings = session_settings(*run);
    settings.database_files = databases;
    settings.database_names = names;
    settings.open_converted = open_converted;
    settings.chunk_bytes = *chunk_bytes;
    if (!choice->is_everything())
        settings.choose_targets = target_chooser(
            *std::move(choice), [&](std::shared_ptr<const DeflineChoice> lines) { targets.lines = std::move(lines); });
    return Session::open(settings, observer);
}

const std::vector<std::filesystem::path>& names_of_databases(const Session& session) {
    const SessionSettings& settings = session.settings();
    return settings.database_names.empty() ? settings.database_files : settings.database_names;
}

}  // namespace warpseq
