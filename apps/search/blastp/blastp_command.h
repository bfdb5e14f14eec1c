// `search blastp`: reads the options, searches and writes the report.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/blastp/blastp_options.h"
#include "reports/blast/blastp_report.h"

namespace warpseq {

/// Runs the command. Without a division the command line names it.
Status run_blastp_command(const OptionValues& values, Division* division = nullptr);

/// Runs a search with options that have been read. `names` holds the report's name of itself and of
/// the databases.
Status run_blastp_search(const BlastpOptions& options, const BlastpNames& names, Observer& observer,
                         Division* division = nullptr);

}  // namespace warpseq
