// `search blastp`: options in, report out.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/blastp/blastp_options.h"
#include "reports/blast/blastp_report.h"

namespace warpseq {

/// Without a division the command line says which.
Status run_blastp_command(const OptionValues& values, Division* division = nullptr);

/// A search with options that have been read, to its end. `names` is what the report calls itself
/// and the databases.
Status run_blastp_search(const BlastpOptions& options, const BlastpNames& names, Observer& observer,
                         Division* division = nullptr);

}  // namespace warpseq
