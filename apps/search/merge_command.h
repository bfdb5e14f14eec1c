// `search merge`: the report of a search whose parts were searched one by one (--part).
#pragma once

#include <functional>
#include <string>

#include "apps/common/option_set.h"
#include "apps/search/division.h"
#include "libcore/base/status.h"

namespace warpseq {

/// What its command line may hold besides the folder.
OptionSet make_merge_options();

/// Runs an engine's command: its name, which is argv[0] too.
using RunEngine = std::function<Status(const std::string& engine, int argc, char** argv, Division& division)>;

/// argv[0] is "merge". Runs the engine with the options that the parts were searched with, and with
/// the outputs that are given here.
Status run_merge_command(int argc, char** argv, const RunEngine& run_engine);

}  // namespace warpseq
