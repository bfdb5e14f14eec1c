// A running search of any engine, as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>

#include "bindings/python/src/arguments.h"
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
    /// Stops the search, while other threads of Python run.
    ~RunningSearch() {
        const GilRelease release;
        stream_.reset();
    }

    /// Returns the result for the next query, or null after the last one. Ctrl-C ends the search.
    std::shared_ptr<const Hits> next() {
        auto hits = value_of(run_stoppable([&] { return stream_->next(); }, [&] { stream_->request_stop(); }));
        if (hits == nullptr)
            for (const std::string& warning : stream_->warnings()) notes_->note(warning);
        notes_->issue();
        return hits;
    }
    /// Ends the search soon, from any thread.
    void stop() { stream_->request_stop(); }

   private:
    std::shared_ptr<NoteCollector> notes_;  // outlives the stream
    std::unique_ptr<ResultStream<Hits>> stream_;
};

}  // namespace warpseq::python
