// The commands of `warpseq`: the one table of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "options/option_set.h"

namespace warpseq {

struct WarpseqCommand {
    std::string_view name;  // of the command, and of the program that a link of this name is
    std::string_view help;  // a line of the help
    bool is_dropin;         // stands in for another project's program of this name: has a link in the drop-in folder
    /// The whole program; argv[0] is the command's name, or what a link of that name was called as.
    /// Returns the exit status or ends the process.
    int (*run)(int argc, char** argv);
    /// What its command lines, or those of its own commands, may hold.
    std::vector<CommandSyntax> (*syntax)();
};

/// In the order of the help.
std::span<const WarpseqCommand> warpseq_commands();

/// nullptr where there is none of this name.
const WarpseqCommand* find_warpseq_command(std::string_view name);

}  // namespace warpseq
