// The driver behind the commands that search databases. It keeps batches of queries in flight,
// reports them in order, and handles errors and times.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "apps/common/progress.h"
#include "apps/search/driver/division.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "libcore/base/status.h"
#include "options/search/common_options.h"
#include "options/search/defline_choice.h"

namespace warpseq {

/// A batch of queries whose scan has started.
class SearchBatch {
   public:
    virtual ~SearchBatch() = default;
    /// Blocks until the scan has ended. Ignores its result.
    virtual void wait() noexcept = 0;
};

/// The steps of a run of one command.
class RunSteps {
   public:
    virtual ~RunSteps() = default;

    /// Opens outputs and inputs that are not open yet, and begins the report. The arguments outlive
    /// the steps.
    virtual Status open(const Session& session, const SearchControl& control, Division& division) = 0;
    /// Does the work of this process. Requests a stop of `stop` if a part of it fails.
    virtual Status work(Division& division, std::stop_source& stop) = 0;
    /// Waits for the other processes of a divided search. Called between open() and work().
    virtual Status begin(Division& division) { return division.begin(); }
    /// Ends the report and makes it appear. Called in the process that reports.
    virtual Status finish() = 0;
    /// Returns the error of a run that has failed with `error`. Called once if open(), begin() or
    /// work() has found wrong input. Outputs that are to stay as they are can be ended here.
    virtual Status fail(const Status& error) { return error; }
    /// Returns notes about the run, to be printed at its end.
    virtual std::vector<std::string> notes() const = 0;
    /// Prints the figures of --stats.
    virtual void print_statistics(double seconds_to_open, double seconds_in_all) const = 0;
};

/// The steps of a search of databases by one engine. They outlive their batches.
class SearchSteps : public RunSteps {
   public:
    Status work(Division& division, std::stop_source& stop) final;
    std::vector<std::string> notes() const final;

    /// Returns the engine's speed. Called before any other function.
    virtual SearchSpeed speed() const = 0;
    /// Does what fail() does if the databases cannot be opened. Called instead of open().
    virtual Status fail_without_databases(const Status& error) { return error; }
    /// Takes the chosen definition lines, for reports that show several lines of a merged sequence.
    /// Called before open() if definition lines are chosen.
    virtual void choose_deflines(std::shared_ptr<const DeflineChoice>) {}
    /// Returns the maximum number of batches in flight.
    virtual std::size_t batches_in_flight() const = 0;
    /// Reads and prepares the next batch and starts its scan. Returns nullptr after the last one.
    virtual Result<std::unique_ptr<SearchBatch>> start_batch() = 0;
    /// Waits for the scan and adds the finished batch to the report or to the part. Called in the
    /// order of the batches.
    virtual Status report(SearchBatch& batch) = 0;
    /// Returns a sentence for each remark about the queries.
    virtual std::vector<std::string> warnings() const = 0;
};

/// Runs a search from its beginning to its end. If a query cannot be read, the queries before it
/// are searched and then the search ends with the error. If `given_division` is nullptr, the
/// options say how the search is divided (make_division()).
Status run_search(std::unique_ptr<SearchSteps> steps, const CommonOptions& options, Observer& observer,
                  Division* given_division = nullptr);

/// Runs the steps of a command that searches no databases. Its session has only devices and
/// threads. `division` is the one that the options name.
Status run_without_databases(std::unique_ptr<RunSteps> steps, const DividedOptions& options, Observer& observer,
                             Division& division);

/// Returns where the report goes, for the observer that draws progress.
TerminalObserver::Report report_place(const RunOptions& options);

/// Ends a program that may have used a GPU. Called last. `status` is the exit status. A build with
/// CUDA ends the process at once. Reports are written and synced by then, and the CUDA run-time's
/// own clean-up would only cost time. A build without CUDA returns `status`, for main() to return.
int end_of_search(int status);

}  // namespace warpseq
