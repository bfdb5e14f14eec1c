// A search that hands over its results one query after the other. Bindings and servers run searches
// this way. The programs have a driver of their own, which writes reports and divides searches.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// A running search. `Hits` is the result for one query.
template <typename Hits>
class ResultStream {
   public:
    virtual ~ResultStream() = default;
    /// Returns the result for the next query, in the order of the queries, or null after the last
    /// one. Blocks until it is there. Must not be called from two threads at the same time. After
    /// an error the search is over.
    virtual Result<std::shared_ptr<const Hits>> next() = 0;
    /// Ends the search soon, from any thread. next() then returns Status::interrupted().
    void request_stop() { stop_.request_stop(); }
    /// Returns warnings about the queries so far, one sentence each.
    virtual std::vector<std::string> warnings() const = 0;

   protected:
    std::stop_token stop_token() const { return stop_.get_token(); }

   private:
    std::stop_source stop_;
};

}  // namespace warpseq
