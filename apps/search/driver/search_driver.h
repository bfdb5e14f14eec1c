// The one driver behind the commands that search databases: batches of queries in flight, their
// reports in order, what errors mean, times.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/common/progress.h"
#include "apps/search/driver/defline_choice.h"
#include "apps/search/driver/division.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "libcore/base/status.h"
#include "options/search/common_options.h"

namespace warpseq {

/// Queries on their way.
class SearchBatch {
   public:
    virtual ~SearchBatch() = default;
    /// Until nobody works for it any more, whatever came out.
    virtual void wait() noexcept = 0;
};

/// What one engine's command does in each step. It outlives its batches.
class SearchSteps {
   public:
    virtual ~SearchSteps() = default;

    /// Asked first.
    virtual SearchSpeed speed() const = 0;
    /// Called before open() where definition lines of merged ones are chosen: reports that show all
    /// lines show those.
    virtual void choose_deflines(std::shared_ptr<const DeflineChoice>) {}
    /// Opens outputs, engine and queries, and begins the report. What it is given outlives the
    /// steps.
    virtual Status open(const Session& session, const SearchControl& control, Division& division) = 0;
    /// So many are started before the first is waited for.
    virtual std::size_t batches_in_flight() const = 0;
    /// Reads and prepares the next batch and starts its scan; nullptr after the last one.
    virtual Result<std::unique_ptr<SearchBatch>> start_batch() = 0;
    /// Waits for the scan and finishes the batch: adds it to the report, or to the part. In the
    /// order of the batches.
    virtual Status report(SearchBatch& batch) = 0;
    /// Ends the report and makes it appear.
    virtual Status finish() = 0;
    /// What was noticed in the queries, a sentence each.
    virtual std::vector<std::string> warnings() const = 0;
    virtual void print_statistics(double seconds_to_open, double seconds_in_all) const = 0;
};

/// Runs a search from its beginning to its end. A query that cannot be read ends it after those
/// before it. Without a division the options say which.
Status run_search(std::unique_ptr<SearchSteps> steps, const CommonOptions& options, Observer& observer,
                  Division* given_division = nullptr);

/// Returns where the report goes, for the observer that draws progress.
TerminalObserver::Report report_place(const RunOptions& options);

/// The last thing that a program does which may have used a GPU: returns `status` for main() to
/// return, or, in a build with CUDA, ends the process with it. Reports are written and synced by
/// then; the CUDA run-time's own clean-up would only cost time.
int end_of_search(int status);

}  // namespace warpseq
