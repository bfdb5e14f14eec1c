// Parts of a run of blastp that follow from its options: its description for reports, the
// definition lines to show, and advice about short queries.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engines/blastp/blastp_settings.h"
#include "engines/targets/database_set.h"
#include "libcore/statistics/karlin_altschul.h"
#include "options/blastp/blastp_options.h"
#include "options/search/defline_choice.h"
#include "reports/blast/blastp_report.h"
#include "reports/blast/searched_databases.h"

namespace warpseq {

/// Returns the description of a run with these options. It refers to all arguments.
BlastpRun report_run(const BlastpOptions& options, const DatabaseFacts& databases, const BlastpNames& names,
                     const AlignmentStatistics& statistics);

/// Returns the function for prepare_headers() that shows the lines that `lines` chooses. `choice`
/// is the restriction of the search, by the databases that were given. The databases have to
/// outlive the function. If `lines` is null, the function is empty, because all lines are shown
/// then.
ShownLines lines_chosen_by(std::shared_ptr<const DeflineChoice> lines, const TargetChoice& choice,
                           const DatabaseSet& databases);

/// Counts the queries for which the task blastp-short is made and that had no hits.
class ShortQueryAdvice {
   public:
    void add(std::size_t query_residues, std::size_t hits);
    /// Returns advice for the run with these settings, or nothing if there is none to give.
    std::optional<std::string> text(const BlastpSettings& settings) const;

   private:
    std::uint64_t without_hits_ = 0;
};

}  // namespace warpseq
