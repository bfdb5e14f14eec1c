// `search blastp`: options in, report out.
#pragma once

#include "libcore/base/status.h"

namespace warpseq {

Status run_blastp_command(int argc, char** argv);

}  // namespace warpseq
