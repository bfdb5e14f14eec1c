// The folder of links that have the names of HMMER's and BLAST+'s programs and run warpseq. If it
// is first in PATH, old command lines run warpseq.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// Returns the folder of the links, found from the place of this program's own file: beside the
/// program in a build folder, below libexec in an installation. Creates the folder below libexec if
/// there is neither, because a Python wheel can hold no links. Creates the links of `names` that
/// are missing there, and leaves other files alone. It is an error if that fails.
Result<std::filesystem::path> dropin_folder(std::span<const std::string_view> names);

/// Returns the line that puts `folder` first in PATH, for any shell like sh, with the folder's name
/// quoted. A name with ':' cannot be in PATH and is an error.
Result<std::string> path_line(const std::filesystem::path& folder);

}  // namespace warpseq
