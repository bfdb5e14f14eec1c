// A search by the ranks of an MPI job. Each rank searches a share of the databases for each batch
// of queries, and helps others with theirs when it is done. Partials are merged along a tree; its
// root, another rank for each batch, makes results of them, and rank 0 writes the report. With a
// folder to work in rank 0 keeps the results of each batch there, and a run that is begun again,
// with any number of ranks, goes on behind them. A search that has no databases is cut into pieces
// instead (mpi_pieces.h).
//
// Ranks meet twice before they search. In open() they find out whether all see the same search, and
// rank 0 tells what it alone can know: how much is done, and what a run that is begun again has to
// do as the first one did. In begin() they hear that all have opened what they need. A rank that
// fails goes to end(), where it meets the others instead.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apps/search/driver/division.h"
#include "apps/search/driver/mpi/message_exchange.h"
#include "apps/search/driver/mpi/mpi_pieces.h"
#include "formats/io/part_file.h"
#include "libcore/base/status.h"

namespace warpseq {

class MpiDivision final : public Division {
   public:
    /// Of all ranks of `communicator`, between MPI_Init_thread() with MPI_THREAD_SERIALIZED and
    /// MPI_Finalize().
    explicit MpiDivision(MPI_Comm communicator);

    bool is_divided() const override { return true; }
    bool reports() const override { return rank_ == 0; }
    bool speaks() const override { return rank_ == 0; }
    int rank() const { return rank_; }
    /// Ranks of a machine share its GPUs.
    Sharers sharers() const override { return sharers_; }
    bool takes_turns() const override { return true; }
    std::size_t batches_in_flight(std::size_t of_engine) const override;

    /// Waits for all ranks. An error on all of them where one has failed before, and on those that
    /// do not see the same search.
    Result<bool> open(const DividedOptions& options, const Session& session) override;
    /// Waits for all ranks. An error on all of them where one has failed before.
    Status begin() override;
    std::optional<TargetShare> first_share(std::uint64_t batch) override;
    Result<std::optional<TargetShare>> next_share(std::uint64_t batch) override;
    Result<std::vector<Packet>> partials_of(std::uint64_t batch) override;
    bool finishes(std::uint64_t batch) const override { return rank_ == root_of(batch); }
    Status pass_on(std::uint64_t batch, const std::string& partial) override;
    Status deliver(std::uint64_t batch, std::string results, bool is_last) override;
    Result<Packet> results_of(std::uint64_t batch) override;
    bool keeps(std::uint64_t batch) const override { return folder_.has_value() && !is_done(batch); }
    Status keep(std::uint64_t batch, const std::string& results, bool is_last) override;
    Status wait_for_report(std::uint64_t batch) override;
    PieceDealer* pieces() override { return &dealer_; }
    void give_up() override;
    /// Waits for all ranks, so that no report appears where one has failed.
    Status finish() override;

    /// After the search, on all ranks: the rank's exit status. Where ranks fail before the search
    /// begins the first of them says why, and the others end as if all were well; later the one
    /// that fails says it, and ends the job.
    int end(const std::string& program, const Status& status);

   private:
    /// The rest of this rank's share for a batch, and of the neighbours that it may help.
    struct Helping {
        std::size_t units_given = 0;      // of this rank's share, to itself or to others
        std::size_t neighbours_left = 0;  // who may have something; the next one is asked
        bool has_asked = false;
    };
    /// The results that are on their way from the root of a batch to rank 0.
    struct Delivery {
        std::deque<std::uint64_t> sizes_bytes;  // of what rank 0 has not taken, in order
        std::uint64_t bytes = 0;                // their sum
    };
    /// The choices of the first run of a search that every later run repeats. Rank 0 keeps them in
    /// the folder.
    struct Plan {
        std::uint32_t seed = 0;               // 0: none is drawn
        std::uint64_t batches_in_flight = 0;  // that share the memory: batches are as large as that leaves room for
    };

    /// Deals pieces by messages. With a folder to work in it keeps the results there.
    class Pieces final : public PieceDealer {
       public:
        explicit Pieces(MpiDivision& division) : division_(division) {}
        std::uint64_t processes() const override;
        /// Waits for all ranks, as MpiDivision::begin() does.
        Status begin(std::uint64_t count) override;
        Result<std::optional<std::uint64_t>> next() override { return division_.pieces_->next(); }
        Status add(std::uint64_t piece, std::string results) override {
            division_.pieces_->add(piece, std::move(results));
            return {};
        }
        Result<Packet> results_of(std::uint64_t piece) override;

       private:
        MpiDivision& division_;
    };

    int root_of(std::uint64_t batch) const { return static_cast<int>(batch % static_cast<std::uint64_t>(ranks_)); }
    /// The rank's number in the tree of a batch, where the root has 0, and back.
    int in_tree(std::uint64_t batch, int rank) const { return (rank - root_of(batch) + ranks_) % ranks_; }
    int of_tree(std::uint64_t batch, int number) const { return (number + root_of(batch)) % ranks_; }
    bool is_done(std::uint64_t batch) const { return batch < done_; }
    PartLabel of_batch(std::uint64_t batch) const;
    /// Waits for all ranks. Status::interrupted() where one has failed.
    Status meet();
    /// Waits for all ranks and makes the exchange. Called by begin() and by Pieces::begin().
    Status make_exchange();
    /// Returns the plan of an earlier run, from the folder; nothing if there is none or it is
    /// damaged.
    std::optional<Plan> read_plan() const;
    Status write_plan(const Plan& plan) const;
    /// Waits until there is room for so many bytes more among the results of a batch that rank 0
    /// has not taken.
    Status wait_for_room(std::uint64_t batch, Delivery& delivery, std::uint64_t bytes);
    Result<Packet> kept_results_of(std::uint64_t batch);
    /// Every rank's number.
    std::vector<int> gather(int number) const;
    Helping& helping(std::uint64_t batch);
    /// The next unit of this rank's share, if it is worth while that rank `taker`, this one or
    /// another, scans it.
    std::optional<TargetShare> give_unit(std::uint64_t batch, int taker);
    void ask(std::uint64_t batch, Helping& helping);
    void note_report(std::uint64_t batches);

    MPI_Comm communicator_;
    int rank_ = 0, ranks_ = 1;
    std::vector<int> ranks_of_machine_;
    Sharers sharers_;
    const DatabaseSet* databases_ = nullptr;
    int strength_ = 1;  // of this rank, compared with the others
    bool has_gpus_ = false;
    Plan plan_;
    PartLabel label_;                              // of the search; of a batch with its number
    std::optional<std::filesystem::path> folder_;  // of batches or pieces that are done: rank 0's
    bool has_folder_ = false;                      // so has rank 0
    std::uint64_t done_ = 0;                       // batches or pieces, before this run
    bool another_failed_ = false;                  // before the search began
    bool has_begun_ = false;                       // the search, on all ranks; or it never will

    std::vector<int> strengths_;                // of all ranks
    std::vector<TargetShare> units_;            // of this rank's share
    std::vector<std::uint64_t> unit_residues_;  // their residues
    std::vector<int> neighbours_;               // whom it helps, in this order
    std::mutex mutex_;
    std::condition_variable report_has_grown_;
    std::map<std::uint64_t, Helping> helping_;        // guarded by the mutex; batches that are not in the report
    std::map<std::uint64_t, Delivery> deliveries_;    // guarded by the mutex; each is its batch's thread's
    std::map<std::uint64_t, PartWriter> being_kept_;  // guarded by the mutex; likewise
    std::map<std::uint64_t, PartReader> being_read_;  // guarded by the mutex; likewise
    std::uint64_t in_report_ = 0;                     // batches; guarded by the mutex
    bool has_given_up_ = false;                       // guarded by the mutex
    Pieces dealer_{*this};
    std::optional<MpiPieces> pieces_;          // outlives the exchange's thread
    std::optional<MessageExchange> exchange_;  // goes first
};

}  // namespace warpseq
