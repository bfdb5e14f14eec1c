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

struct SwOptions {
    CommonOptions common;
    SwSettings settings;
    std::optional<std::filesystem::path> matrix_file;  // set if the matrix is not a built-in one
    std::string outfmt = "0";
};

/// Returns the options with their help.
OptionSet make_sw_options();
/// Reads the options back. Wrong values are usage errors, and so is an E-value for scores that have
/// no statistics.
Result<SwOptions> read_sw_options(const OptionValues& values);

}  // namespace warpseq
