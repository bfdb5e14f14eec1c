// A search by the ranks of an MPI job.
//
// Each rank searches a share of the databases for each batch of queries, and helps other ranks with
// theirs when it is done. Partials are merged along a tree. Each batch has another rank as the
// tree's root, which makes results of the merged partial. Rank 0 writes the report. With a work
// folder, rank 0 keeps the results of each batch there. A later run, with any number of ranks, goes
// on after them. A search without databases is cut into pieces instead (mpi_pieces.h).
//
// All ranks wait for each other twice before they search. In open() they check that all see the
// same search. Rank 0 tells the others how many batches are done, and the choices of the first run
// that a later run has to repeat. In begin() they learn that all have opened their inputs and
// outputs. A rank that fails calls end() instead, in which it tells the others.
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

/// The division of a search between the ranks of an MPI job. Each rank has such an object.
class MpiDivision final : public Division {
   public:
    /// Makes the division between all ranks of `communicator`. It must be made after
    /// MPI_Init_thread() with MPI_THREAD_SERIALIZED, and destroyed before MPI_Finalize().
    explicit MpiDivision(MPI_Comm communicator);

    bool is_divided() const override { return true; }
    bool reports() const override { return rank_ == 0; }
    bool speaks() const override { return rank_ == 0; }
    int rank() const { return rank_; }
    /// Returns the ranks of this machine, which share its GPUs.
    Sharers sharers() const override { return sharers_; }
    bool takes_turns() const override { return true; }
    std::size_t batches_in_flight(std::size_t of_engine) const override;

    /// Waits for all ranks. Returns an error on all of them if one has failed before, and on each
    /// rank that does not see the same search.
    Result<bool> open(const DividedOptions& options, const Session& session) override;
    /// Waits for all ranks. Returns an error on all of them if one has failed before.
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
    /// Waits for all ranks, so that no report appears if one has failed.
    Status finish() override;

    /// Ends the job on all ranks, and returns this rank's exit status. `status` is the result of
    /// the search on this rank. If ranks fail before the search begins, the first of them prints
    /// its error, and the others return 0. If a rank fails later, it prints its error and ends the
    /// whole job.
    int end(const std::string& program, const Status& status);

   private:
    /// Progress of a batch: the rest of this rank's share, and the neighbours that it may still
    /// help.
    struct Helping {
        std::size_t units_given = 0;      // units of this rank's share, given to itself or to others
        std::size_t neighbours_left = 0;  // neighbours that may have work left; the next one is asked
        bool has_asked = false;
    };
    /// The results of a batch that are on their way from its root to rank 0.
    struct Delivery {
        std::deque<std::uint64_t> sizes_bytes;  // sizes of the results that rank 0 has not taken, in order
        std::uint64_t bytes = 0;                // their sum
    };
    /// The choices of the first run of a search that every later run repeats. Rank 0 keeps them in
    /// the folder.
    struct Plan {
        std::uint32_t seed = 0;               // 0 if no seed is drawn
        std::uint64_t batches_in_flight = 0;  // batches that share the memory, on which their size depends
    };

    /// A dealer of pieces by messages. With a work folder it keeps the results there.
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
    /// Returns the rank's number in the tree of a batch, in which the root has 0. of_tree() is the
    /// inverse.
    int in_tree(std::uint64_t batch, int rank) const { return (rank - root_of(batch) + ranks_) % ranks_; }
    int of_tree(std::uint64_t batch, int number) const { return (number + root_of(batch)) % ranks_; }
    bool is_done(std::uint64_t batch) const { return batch < done_; }
    PartLabel of_batch(std::uint64_t batch) const;
    /// Waits for all ranks. Returns Status::interrupted() if one has failed.
    Status meet();
    /// Waits for all ranks and makes the exchange. Called by begin() and by Pieces::begin().
    Status make_exchange();
    /// Returns the plan of an earlier run from the folder, or nothing if there is none or it is
    /// damaged.
    std::optional<Plan> read_plan() const;
    Status write_plan(const Plan& plan) const;
    /// Waits until rank 0 has taken so many results of a batch that `bytes` more may be sent.
    Status wait_for_room(std::uint64_t batch, Delivery& delivery, std::uint64_t bytes);
    Result<Packet> kept_results_of(std::uint64_t batch);
    /// Returns the numbers that all ranks pass, by rank.
    std::vector<int> gather(int number) const;
    Helping& helping(std::uint64_t batch);
    /// Returns the next unit of this rank's share for rank `taker`, which may be this rank. Returns
    /// nothing if no unit is left, or if another rank would take longer for the unit than this rank
    /// for all units that are left.
    std::optional<TargetShare> give_unit(std::uint64_t batch, int taker);
    void ask(std::uint64_t batch, Helping& helping);
    void note_report(std::uint64_t batches);

    MPI_Comm communicator_;
    int rank_ = 0, ranks_ = 1;
    std::vector<int> ranks_of_machine_;
    Sharers sharers_;
    const DatabaseSet* databases_ = nullptr;
    int strength_ = 1;  // relative speed of this rank
    bool has_gpus_ = false;
    Plan plan_;
    PartLabel label_;                              // label of the search; of_batch() adds a batch's number
    std::optional<std::filesystem::path> folder_;  // folder of the batches or pieces that are done; only on rank 0
    bool has_folder_ = false;                      // whether rank 0 has a folder
    std::uint64_t done_ = 0;                       // batches or pieces that were done before this run
    bool another_failed_ = false;                  // whether another rank failed before the search began
    bool has_begun_ = false;                       // whether the search has begun on all ranks, or never will

    std::vector<int> strengths_;                // strength_ of all ranks
    std::vector<TargetShare> units_;            // the units of this rank's share
    std::vector<std::uint64_t> unit_residues_;  // residues of each unit
    std::vector<int> neighbours_;               // ranks that this one helps, in this order
    std::mutex mutex_;
    std::condition_variable report_has_grown_;
    // The maps have batches as keys. An entry of the last three is used by its batch's thread
    // alone.
    std::map<std::uint64_t, Helping> helping_;        // guarded by the mutex; batches that are not in the report
    std::map<std::uint64_t, Delivery> deliveries_;    // guarded by the mutex
    std::map<std::uint64_t, PartWriter> being_kept_;  // guarded by the mutex
    std::map<std::uint64_t, PartReader> being_read_;  // guarded by the mutex
    std::uint64_t in_report_ = 0;                     // number of batches in the report; guarded by the mutex
    bool has_given_up_ = false;                       // guarded by the mutex
    Pieces dealer_{*this};
    std::optional<MpiPieces> pieces_;          // outlives the exchange's thread
    std::optional<MessageExchange> exchange_;  // destroyed first
};

}  // namespace warpseq
