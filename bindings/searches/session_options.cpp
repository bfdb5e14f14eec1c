#include "bindings/searches/session_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "options/search/common_options.h"

namespace warpseq {
namespace {

/// The options of inputs, outputs, the machine and divided searches. A session has the machine's.
constexpr std::array<std::string_view, 22> kReserved = {
    "query",      "db",     "cache",  "out",     "quiet",  "stats",         "A",           "tblout",     "domtblout",
    "pfamtblout", "chkhmm", "chkali", "threads", "device", "device-memory", "cpu-backend", "chunk-size", "part",
    "work-dir",   "outfmt", "help",   "version"};

std::string with_dashes_inside(std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
}

}  // namespace

Result<OptionValues> values_of(const OptionSet& options, const std::vector<NamedValue>& given) {
    OptionValues values = options.values();
    for (const auto& [name, value] : given) {
        const std::string spelled = values.knows(name) ? name : with_dashes_inside(name);
        WARPSEQ_TRY(values.set(spelled, value));
        const std::string key = values.names_given().back();
        if (std::ranges::find(kReserved, key) != kReserved.end())
            return Status::usage("option '" + name +
                                 "' cannot be given here: files, devices and threads belong to the "
                                 "session, and results are written with write()");
    }
    return values;
}

Result<std::unique_ptr<Session>> open_session(const std::vector<std::filesystem::path>& databases,
                                              const std::vector<NamedValue>& machine,
                                              const std::function<Status(const DeviceRequest&)>& check_device,
                                              Observer& observer) {
    OptionSet options("session");
    add_machine_options(options);
    add_chunk_size_option(options);
    OptionValues values = options.values();
    for (const auto& [name, value] : machine) WARPSEQ_TRY(values.set(with_dashes_inside(name), value));
    const auto run = read_run_options(values);
    if (!run.ok()) return run.status();
    WARPSEQ_TRY(check_device(run->device));
    SessionSettings settings = session_settings(*run);
    settings.database_files = databases;
    return Session::open(settings, observer);
}

}  // namespace warpseq
