// The commands of `inspect`. Each takes the arguments from its own name on.
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
