// The scripts that let shells complete the command lines of `warpseq`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apps/warpseq/commands.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Returns the script for `shell`, which is bash, zsh or fish; another shell is a usage error. It
/// completes the commands, their own commands, and the options of all, as `commands` lists them.
/// Words that begin no option are completed as file names.
Result<std::string> completion_script(std::string_view shell, std::span<const WarpseqCommand> commands);

}  // namespace warpseq
