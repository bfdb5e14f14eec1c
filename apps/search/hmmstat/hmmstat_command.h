// `search hmmstat`: prints a table with the figures of profiles.
#pragma once

#include "apps/search/driver/division.h"
#include "formats/io/output_sink.h"
#include "formats/profiles/hmm_file.h"
#include "libcore/base/status.h"
#include "options/option_values.h"

namespace warpseq {

/// Runs the command. An error is returned, not printed. A division is a usage error, because the
/// command is not divided.
Status run_hmmstat_command(const OptionValues& values, Division* division = nullptr);

/// Writes the table of all profiles that `profiles` has, as HMMER's hmmstat prints it. After an
/// error, the rows of the profiles before it have been written.
Status write_summaries(HmmFileReader& profiles, OutputSink& out);

}  // namespace warpseq
