// Hands a command on to the next program of the same name in PATH. The programs that warpseq stands
// in for also work on nucleotides, and warpseq does not: with the drop-ins first in PATH the
// original, behind them, gets such commands.
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// Replaces this process by the next program `name` in PATH, without a shell: with the same
/// arguments, standard streams, signal dispositions and environment but for one variable. Other
/// names, links and copies of warpseq are passed over: those of this file at once, others by that
/// variable, in which each program of a chain leaves the files that have had their turn. Returns
/// only where no program could be started. The error says `why` (no end of sentence), and that PATH
/// has no other one.
Status run_next_program(std::string_view name, char* const* argv, const std::string& why);

}  // namespace warpseq
