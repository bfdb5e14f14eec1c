// The table of all commands of `warpseq`.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// A command of `warpseq`.
struct WarpseqCommand {
    std::string_view name;  // name of the command, and of links that run it as a program
    std::string_view help;  // a line of the help
    bool is_dropin;         // whether it stands in for another project's program and has a link in the drop-in folder
    /// Runs the whole program. argv[0] is the command's name, or the path of a link with that name.
    /// Returns the exit status or ends the process.
    int (*run)(int argc, char** argv);
    /// Returns the options of its command line. If it has commands of its own, returns the options
    /// of each of these.
    std::vector<CommandSyntax> (*syntax)();
};

/// Returns the commands in the order of the help.
std::span<const WarpseqCommand> warpseq_commands();

/// Returns the command of this name, or nullptr if there is none.
const WarpseqCommand* find_warpseq_command(std::string_view name);

}  // namespace warpseq
