// The commands of `inspect`. argv[0] is the command's name. Each prints its result or writes it to
// a file. An error is returned, not printed.
#pragma once

#include "libcore/base/status.h"

namespace warpseq {

Status run_info_command(int argc, char** argv);
Status run_stats_command(int argc, char** argv);
Status run_validate_command(int argc, char** argv);
Status run_fetch_command(int argc, char** argv);
Status run_fasta_command(int argc, char** argv);
Status run_compare_command(int argc, char** argv);
Status run_salvage_command(int argc, char** argv);

}  // namespace warpseq
