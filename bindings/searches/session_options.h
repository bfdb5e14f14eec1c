// Sessions and settings of searches from named values instead of a command line.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engines/session.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/option_set.h"
#include "options/option_values.h"

namespace warpseq {

/// An option by its name without dashes, and its value: empty for a flag. '_' may stand for '-'.
using NamedValue = std::pair<std::string, std::string>;

/// Returns the values of these options. An option that `options` does not have is a usage error. So
/// are the options of inputs, outputs and the machine, because the caller of a library has other
/// ways to state these.
Result<OptionValues> values_of(const OptionSet& options, const std::vector<NamedValue>& given);

/// Opens a session for these databases with the options of the group "Machine". An error of
/// `check_device` refuses the devices that they ask for.
Result<std::unique_ptr<Session>> open_session(const std::vector<std::filesystem::path>& databases,
                                              const std::vector<NamedValue>& machine,
                                              const std::function<Status(const DeviceRequest&)>& check_device,
                                              Observer& observer);

}  // namespace warpseq
