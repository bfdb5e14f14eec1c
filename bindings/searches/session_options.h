// Sessions and settings of searches from named values instead of a command line.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/session.h"
#include "engines/targets/database_facts.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/option_set.h"
#include "options/option_values.h"
#include "options/search/common_options.h"
#include "options/search/defline_choice.h"

namespace warpseq {

/// An option by its name without dashes, and its value. '_' may stand for '-' in the name.
struct NamedValue {
    std::string name;  // has to be right even if the option is not given
    bool is_given = true;
    std::optional<std::string> text = {};  // the value; none: that of a flag, and "true" in options with values
};

/// Returns the values of these options. An option that `options` does not have is a usage error. So
/// are the options of inputs, outputs, targets and the machine, because the caller of a library has
/// other ways to state these. If `may_state_report`, --outfmt is allowed.
Result<OptionValues> values_of(const OptionSet& options, const std::vector<NamedValue>& given,
                               bool may_state_report = false);

/// Returns the settings of the options of the group "Machine", as the programs have them.
Result<SessionSettings> machine_settings(const std::vector<NamedValue>& machine);

/// The restriction of a session to some of its databases' sequences.
struct SessionTargets {
    std::vector<std::pair<std::string, std::string>> options;  // the options that state it
    std::shared_ptr<const DeflineChoice> lines;                // the chosen definition lines; null: all
};

/// Opens a session for these databases. `names` are the databases' names in reports and messages.
/// If it is empty, the files have their own names. `settings` are options of the groups "Machine"
/// and "Targets". An error of `check_device` refuses the devices that they ask for. `targets` is
/// set to the restriction that they state.
Result<std::unique_ptr<Session>> open_session(const std::vector<std::filesystem::path>& databases,
                                              const std::vector<std::filesystem::path>& names,
                                              const std::vector<NamedValue>& settings,
                                              const std::function<Status(const DeviceRequest&)>& check_device,
                                              Observer& observer, SessionTargets& targets,
                                              const TargetOpener& open_converted = {});

/// Returns the databases of a session as reports know them.
inline std::shared_ptr<const DatabaseFacts> facts_of(const std::shared_ptr<const Session>& session) {
    return {session, &session->databases()};
}

/// Returns the names of the session's databases that reports show.
const std::vector<std::filesystem::path>& names_of_databases(const Session& session);

}  // namespace warpseq
