// A running search of any engine, as Python holds it.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "bindings/python/src/arguments.h"
#include "bindings/python/src/session.h"
#include "bindings/searches/result_stream.h"

namespace warpseq::python {

/// A stream of results, with the notes of its session. Notes and warnings about the queries become
/// warnings of Python.
template <typename Hits>
class RunningSearch {
   public:
    RunningSearch(std::shared_ptr<NoteCollector> notes, std::unique_ptr<ResultStream<Hits>> stream)
        : notes_(std::move(notes)), stream_(std::move(stream)) {}
    RunningSearch(RunningSearch&&) = default;
    /// Stops the search, while other threads of Python run. A forked process lacks the threads that
    /// would be waited for, so it leaves the search as it is.
    ~RunningSearch() {
        if (process_ != getpid()) {
            static_cast<void>(stream_.release());
            return;
        }
        const GilRelease release;
        stream_.reset();
    }

    /// Returns the result for the next query, or null after the last one. Ctrl-C ends the search.
    /// Warnings about the queries are issued behind the last result, or before the error that ends
    /// the search. Throws in a forked process.
    std::shared_ptr<const Hits> next() {
        check_process(process_);
        if (stream_ == nullptr) return nullptr;
        auto hits = run_stoppable([&] { return stream_->next(); }, [&] { stream_->request_stop(); });
        if (!hits.ok() || *hits == nullptr)
            for (const std::string& warning : stream_->warnings()) notes_->note(warning);
        if (hits.ok() && *hits == nullptr) {
            // This frees what the search holds, such as its queries' file in memory.
            const GilRelease release;
            stream_.reset();
        }
        notes_->issue();
        return value_of(std::move(hits));
    }

   private:
    std::shared_ptr<NoteCollector> notes_;  // outlives the stream
    std::unique_ptr<ResultStream<Hits>> stream_;
    pid_t process_ = getpid();  // that has started the search
};

}  // namespace warpseq::python
