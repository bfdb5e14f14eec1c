// Hands a command on to the next program of the same name in PATH. The programs that the drop-ins
// replace also work on nucleotides, and warpseq does not. If the drop-ins come first in PATH and
// the original programs later, the original programs get such commands.
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// Replaces this process by the next program `name` in PATH, without a shell. That program gets the
/// same arguments, standard streams, signal dispositions and environment, except for one variable.
/// The variable lists the files that have been started for this command so far. They are passed
/// over, and so are links to this program's own file. So if the next program is another copy of
/// warpseq, it hands the command on in turn, and no file is started twice.
///
/// Returns only if no program could be started. The error contains `why` (without the end of a
/// sentence) and says that PATH has no other program of this name.
Status run_next_program(std::string_view name, char* const* argv, const std::string& why);

}  // namespace warpseq
