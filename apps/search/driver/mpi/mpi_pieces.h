// The pieces of a search, dealt to the ranks of an MPI job as they ask for more. So all ranks have
// work until the end, though some may be faster than others. Rank 0 deals the pieces in order and
// takes the results.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "apps/search/driver/mpi/message_exchange.h"
#include "libcore/base/status.h"

namespace warpseq {

/// One rank's access to the pieces.
class MpiPieces {
   public:
    /// Prepares `count` pieces, of which the first `done` are done already. Called before the
    /// exchange starts. This object outlives the exchange's thread.
    MpiPieces(MessageExchange& exchange, int rank, std::uint64_t count, std::uint64_t done);
    MpiPieces(const MpiPieces&) = delete;
    MpiPieces& operator=(const MpiPieces&) = delete;

    /// Returns the piece that this rank does next, or nothing if no piece is left. Waits while rank
    /// 0 has as many results as it can hold. One thread at a time may call it. After give_up() it
    /// returns the exchange's status_of_end().
    Result<std::optional<std::uint64_t>> next();
    /// Passes a piece's results to rank 0.
    void add(std::uint64_t piece, std::string results);
    /// Waits for the results of a piece and returns them. Called on rank 0, for one piece after
    /// another. Errors are as in next().
    Result<std::string> results_of(std::uint64_t piece);
    /// Ends all waiting, now and later.
    void give_up();

   private:
    struct Asker {
        int rank;
        std::uint64_t question;  // number of the question, counted by that rank
    };

    /// The caller of these functions holds the mutex.
    bool can_answer() const;
    std::optional<std::uint64_t> deal();
    void answer_all();

    void take(std::uint64_t piece, std::string results);
    void ask();

    MessageExchange& exchange_;
    const int rank_;
    const std::uint64_t count_;
    std::uint64_t questions_ = 0;  // questions that this rank has asked; rank 0 asks none

    // The state of rank 0, guarded by the mutex.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t dealt_;                           // number of pieces, from the first on, that are dealt or done
    std::deque<Asker> askers_;                      // questions that rank 0 cannot answer yet
    std::map<std::uint64_t, std::string> results_;  // results of pieces that results_of() has not been called for
    std::uint64_t held_bytes_ = 0;                  // bytes of these results
    bool has_given_up_ = false;
};

}  // namespace warpseq
