// `search blastp`: reads the options, searches and writes the report.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/blastp/blastp_options.h"
#include "reports/blast/blastp_report.h"

namespace warpseq {

/// Searches and writes the report. An error is returned, not printed. `division` is this process's
/// share of the search. If it is nullptr, the options say what the share is (make_division()).
Status run_blastp_command(const OptionValues& values, Division* division = nullptr);

/// Does the same with options that have been read. `names` has the names that the report prints for
/// the program and the databases. Progress and notes go to `observer`.
Status run_blastp_search(const BlastpOptions& options, const BlastpNames& names, Observer& observer,
                         Division* division = nullptr);

}  // namespace warpseq
