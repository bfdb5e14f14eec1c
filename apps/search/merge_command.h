// `search merge`: the report of a search whose parts were searched one by one (--part).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/search/driver/division.h"
#include "libcore/base/status.h"
#include "options/option_set.h"

namespace warpseq {

/// What its command line may hold besides the folder.
OptionSet make_merge_options();

/// Runs an engine with the options of the parts and with the outputs of the merge, both as
/// OptionValues::canonical_without() has them.
using RunEngine = std::function<Status(const std::string& engine, const std::vector<std::string>& options,
                                       const std::vector<std::string>& outputs, Division& division)>;

/// argv[0] is "merge". Runs the engine with the options that the parts were searched with, and with
/// the outputs that are given here.
Status run_merge_command(int argc, char** argv, const RunEngine& run_engine);

}  // namespace warpseq
