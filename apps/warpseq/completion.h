// Scripts that let shells complete the command lines of `warpseq`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apps/warpseq/commands.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The script for `shell`, which is bash, zsh or fish (another is a usage error): the commands,
/// those that they have, and their options, all from `commands`. Where no option begins, file names
/// are completed.
Result<std::string> completion_script(std::string_view shell, std::span<const WarpseqCommand> commands);

}  // namespace warpseq
