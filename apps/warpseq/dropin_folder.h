// The folder of links to put first in PATH, so that old command lines run warpseq.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// Where the links stand, found from the place of this program's own file: beside it in a build
/// folder, below libexec where it is installed. An error where there is no such folder.
Result<std::filesystem::path> dropin_folder();

/// The line that puts `folder` first in PATH, for any shell like sh; quoted whatever the folder's
/// name holds. A name with ':' cannot stand in PATH: an error.
Result<std::string> path_line(const std::filesystem::path& folder);

}  // namespace warpseq
