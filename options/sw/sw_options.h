// The options of `search sw`, and the settings that they give.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engines/sw/sw_engine.h"
#include "libcore/base/status.h"
#include "options/option_set.h"
#include "options/search/common_options.h"

namespace warpseq {

/// The settings of a run of `search sw`.
struct SwOptions {
    CommonOptions common;
    SwSettings settings;
    std::optional<std::filesystem::path> matrix_file;  // set if the matrix is not a built-in one
    std::string outfmt = "0";
    bool has_header = false;  // whether a table begins with the names of its columns
};

/// Returns the options with their help.
OptionSet make_sw_options();
/// Returns the settings that the options state. Wrong values are usage errors, and so is a limit on
/// E-values if the scores have no E-value statistics.
Result<SwOptions> read_sw_options(const OptionValues& values);

}  // namespace warpseq
