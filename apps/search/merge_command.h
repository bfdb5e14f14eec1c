// `search merge`: makes the report of a search whose parts were searched one by one (--part).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/search/driver/division.h"
#include "libcore/base/status.h"
#include "options/option_set.h"

namespace warpseq {

/// Returns the options of the command line. The folder of the parts is an argument, not an option.
OptionSet make_merge_options();

/// A function that runs an engine. `options` are those that the parts were searched with. `outputs`
/// are the options of the merge's command line. Both are texts of
/// OptionValues::canonical_without().
using RunEngine = std::function<Status(const std::string& engine, const std::vector<std::string>& options,
                                       const std::vector<std::string>& outputs, Division& division)>;

/// Runs the engine with the options that the parts were searched with, and with the outputs that
/// are given here. argv[0] is "merge".
Status run_merge_command(int argc, char** argv, const RunEngine& run_engine);

}  // namespace warpseq
