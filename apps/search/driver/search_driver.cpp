#include "apps/search/driver/search_driver.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <utility>

#include "libcore/base/clock.h"
#include "options/search/target_choice.h"

namespace warpseq {
namespace {

/// The batches that have been started. The destructor stops the search and waits for them, so that
/// no thread works for a batch that is destroyed.
class Batches {
   public:
    explicit Batches(std::stop_source& stop) : stop_(stop) {}
    ~Batches() {
        if (!in_flight_.empty()) stop_.request_stop();
        for (const auto& batch : in_flight_) batch->wait();
    }
    Batches(const Batches&) = delete;
    Batches& operator=(const Batches&) = delete;

    std::size_t size() const { return in_flight_.size(); }
    void push(std::unique_ptr<SearchBatch> batch) { in_flight_.push_back(std::move(batch)); }
    SearchBatch& front() { return *in_flight_.front(); }
    void pop() { in_flight_.pop_front(); }

   private:
    std::stop_source& stop_;
    std::deque<std::unique_ptr<SearchBatch>> in_flight_;
};

Status search_batches(SearchSteps& steps, Division& division, std::stop_source& stop) {
    Batches batches(stop);
    std::uint64_t reported = 0;  // batches reported so far
    Status started;
    for (bool more = true;;) {
        while (more && batches.size() < steps.batches_in_flight()) {
            auto batch = steps.start_batch();
            started = batch.status();
            more = batch.ok() && *batch;
            if (more) batches.push(*std::move(batch));
        }
        if (batches.size() == 0) return started;
        Status status = steps.report(batches.front());
        if (status.ok()) status = division.wait_for_report(reported++);
        if (!status.ok()) division.give_up();
        WARPSEQ_TRY(status);
        batches.pop();
    }
}

/// Returns an estimate of the queries' residues, or nodes of profiles, by the size of the file; 0
/// if it has none, as with standard input.
std::uint64_t estimate_query_residues(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return 0;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error) return 0;
    constexpr std::uint64_t kBytesOfNode = 400;  // of a profile, three lines of text
    return std::ifstream(file).peek() == 'H' ? bytes / kBytesOfNode : bytes;
}

/// Runs the steps in a session. The steps are destroyed before the session that they use.
Status run_steps(std::unique_ptr<RunSteps> given_steps, const DividedOptions& options, std::unique_ptr<Session> session,
                 Observer& heard, Division& division, Clock::time_point start) {
    auto steps = std::move(given_steps);
    const auto is_needed = division.open(options, *session);
    if (!is_needed.ok()) return is_needed.status();
    if (!*is_needed) {
        heard.note("this part has been searched already");
        return {};
    }
    if (!session->device_note().empty()) heard.note(session->device_note());
    std::stop_source stop;
    const SearchControl control{heard, stop.get_token()};
    double open_seconds = 0;
    const Status status = [&]() -> Status {
        const Status worked = [&]() -> Status {
            WARPSEQ_TRY(steps->open(*session, control, division));
            WARPSEQ_TRY(steps->begin(division));
            open_seconds = seconds_since(start);
            return steps->work(division, stop);
        }();
        // Other errors, such as a full disk or an interruption, leave no outputs.
        if (worked.code() == StatusCode::kInvalidInput) return steps->fail(worked);
        WARPSEQ_TRY(worked);
        WARPSEQ_TRY(session->verify_unchanged());
        WARPSEQ_TRY(division.finish());
        return division.reports() ? steps->finish() : Status();
    }();
    if (!status.ok()) return session->explain(status);
    for (const std::string& note : steps->notes()) heard.note(note);
    if (options.stats && division.speaks()) steps->print_statistics(open_seconds, seconds_since(start));
    if (!session->gpus().empty()) {
        // end_of_search() ends the process next. To free GPU memory piece by piece before that
        // would only cost a tenth of a second.
        static_cast<void>(steps.release());
        static_cast<void>(session.release());
    }
    return {};
}

}  // namespace

Status SearchSteps::work(Division& division, std::stop_source& stop) { return search_batches(*this, division, stop); }

std::vector<std::string> SearchSteps::notes() const {
    std::vector<std::string> notes = warnings();
    for (std::string& note : notes) note.insert(0, "warning: ");
    return notes;
}

Status run_search(std::unique_ptr<SearchSteps> given_steps, const CommonOptions& options, Observer& observer,
                  Division* given_division) {
    const auto start = Clock::now();
    std::unique_ptr<Division> of_options;
    if (given_division == nullptr) {
        auto made = make_division(options);
        if (!made.ok()) return made.status();
        of_options = *std::move(made);
    }
    Division& division = given_division != nullptr ? *given_division : *of_options;
    if (division.is_divided() && (options.query_file == "-" || std::ranges::count(options.database_files, "-") > 0))
        return Status::usage("all parts and ranks read the input, so it cannot be standard input");
    SessionSettings settings = session_settings(options);
    settings.database_files = options.database_files;
    settings.chunk_bytes = options.chunk_bytes;
    settings.query_residues = estimate_query_residues(options.query_file);
    settings.speed = given_steps->speed();
    settings.targets.keep_copies = options.cache;
    settings.targets.range = options.target_range;
    settings.targets.reading = options.target_reading;
    settings.targets.format = options.target_format;
    settings.targets.may_be_empty = options.targets_may_be_empty;
    settings.targets.records = options.target_records;
    settings.same_batches = division.is_divided();
    settings.sharers = division.sharers();
    Observer nobody;
    Observer& heard = division.speaks() ? observer : nobody;
    if (!division.scans()) settings.device = {DeviceRequest::Kind::kCpu, {}};
    if (!options.targets.is_everything()) {
        settings.choose_targets = target_chooser(options.targets, [&](std::shared_ptr<const DeflineChoice> lines) {
            given_steps->choose_deflines(std::move(lines));
        });
    }
    auto session = Session::open(settings, heard);
    if (!session.ok()) return given_steps->fail_without_databases(session.status());
    return run_steps(std::move(given_steps), options, *std::move(session), heard, division, start);
}

Status run_without_databases(std::unique_ptr<RunSteps> steps, const DividedOptions& options, Observer& observer,
                             Division& division) {
    const auto start = Clock::now();
    SessionSettings settings = session_settings(options);
    settings.sharers = division.sharers();
    // A traceback waits for hundreds of short sweeps, so its threads stay awake.
    settings.gpu_wait = cuda::GpuWait::kAwake;
    if (!division.scans()) settings.device = {DeviceRequest::Kind::kCpu, {}};
    auto session = Session::open(settings, observer);
    if (!session.ok()) return session.status();
    return run_steps(std::move(steps), options, *std::move(session), observer, division, start);
}

TerminalObserver::Report report_place(const RunOptions& options) {
    return options.output_file ? TerminalObserver::Report::kElsewhere : TerminalObserver::Report::kOnTerminal;
}

int end_of_search(int status) {
#if WARPSEQ_HAVE_CUDA
    std::_Exit(status);
#endif
    return status;
}

}  // namespace warpseq
