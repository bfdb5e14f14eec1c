// The folder of links that have the names of HMMER's and BLAST+'s programs and run warpseq. If it
// is first in PATH, old command lines run warpseq.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// Returns the folder of the links, found from the place of this program's own file. It is beside
/// the program in a build folder, and below libexec in an installation. It is an error if there is
/// no such folder.
Result<std::filesystem::path> dropin_folder();

/// Returns the line that puts `folder` first in PATH, for any shell like sh, with the folder's name
/// quoted. A name with ':' cannot be in PATH and is an error.
Result<std::string> path_line(const std::filesystem::path& folder);

}  // namespace warpseq
