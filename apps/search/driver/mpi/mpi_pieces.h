// Pieces of a search, dealt to the ranks of an MPI job as they ask for more, so that all have work
// until the end, however fast each is. Rank 0 deals them in order, and takes the results.
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

class MpiPieces {
   public:
    /// Of `count` pieces the first ones are done already. Before the exchange starts, which this
    /// one outlives.
    MpiPieces(MessageExchange& exchange, int rank, std::uint64_t count, std::uint64_t done);
    MpiPieces(const MpiPieces&) = delete;
    MpiPieces& operator=(const MpiPieces&) = delete;

    /// What this rank does next; nothing: no more. Waits while rank 0 has as many results as it can
    /// hold. One thread asks at a time. After give_up() the error is the exchange's
    /// status_of_end().
    Result<std::optional<std::uint64_t>> next();
    /// A piece's results, for rank 0.
    void add(std::uint64_t piece, std::string results);
    /// On rank 0: waits for them. One piece after the other. Errors as those of next().
    Result<std::string> results_of(std::uint64_t piece);
    /// Who waits, now or later, waits no longer.
    void give_up();

   private:
    struct Asker {
        int rank;
        std::uint64_t question;  // the rank's how many
    };

    /// These hold the mutex.
    bool can_answer() const;
    std::optional<std::uint64_t> deal();
    void answer_all();

    void take(std::uint64_t piece, std::string results);
    void ask();

    MessageExchange& exchange_;
    const int rank_;
    const std::uint64_t count_;
    std::uint64_t questions_ = 0;  // asked by this rank, which is not rank 0

    // Of rank 0, guarded by the mutex.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t dealt_;                           // the first so many pieces are dealt or done
    std::deque<Asker> askers_;                      // whom it cannot answer yet
    std::map<std::uint64_t, std::string> results_;  // of pieces that are not asked for yet
    std::uint64_t held_bytes_ = 0;                  // of these
    bool has_given_up_ = false;
};

}  // namespace warpseq
