// A search by the ranks of an MPI job: each one searches a share of the databases, their partials are merged along a tree, and
// rank 0 makes the report. With a folder to work in rank 0 keeps what is merged of each batch of queries there, and a run that is
// begun again, with any number of ranks, goes on behind them.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apps/search/division.h"
#include "libcore/base/status.h"

namespace warpseq {

class MpiDivision final : public Division {
   public:
    /// Of all ranks of `communicator`, between MPI_Init_thread() with MPI_THREAD_SERIALIZED and MPI_Finalize().
    explicit MpiDivision(MPI_Comm communicator);

    bool is_divided() const override { return true; }
    bool reports() const override { return rank_ == 0; }
    bool speaks() const override { return rank_ == 0; }
    int rank() const { return rank_; }
    /// Ranks of a machine share its GPUs.
    Sharers sharers() const override { return sharers_; }

    Result<bool> open(const CommonOptions& options, const DatabaseSet& databases) override;
    /// Waits for all ranks. An error on all of them where one has failed before, or they do not see the same search.
    Status begin() override;
    Result<std::vector<Packet>> packets_of(std::uint64_t batch) override;
    void give_up() override;
    bool is_done(std::uint64_t batch) const override { return batch < done_; }
    bool keeps() const override { return folder_.has_value(); }
    Status keep(std::uint64_t batch, const std::string& packet) override;
    Status add(const std::string& packet) override;
    /// Waits for all ranks, so that no report appears where one has failed.
    Status finish() override;

    /// After the search, on all ranks: the rank's exit status. Where ranks fail before the search begins the first of them says
    /// why, and the others end as if all were well; later the one that fails says it, and ends the job.
    int end(const std::string& program, const Status& status);

   private:
    PartLabel of_batch(std::uint64_t batch) const;
    /// Every rank's number.
    std::vector<int> gather(int number) const;

    MPI_Comm communicator_;
    int rank_ = 0, ranks_ = 1;
    Sharers sharers_;
    std::vector<int> children_;  // in the tree of merges
    int parent_ = 0;
    PartLabel label_;                              // of the search; of a batch with its number
    std::optional<std::filesystem::path> folder_;  // of batches that are done: rank 0's
    std::uint64_t done_ = 0;                       // batches, before this run
    bool another_failed_ = false;                  // before the search began
    bool has_met_ = false;        // open() or end() has heard of all ranks whether the search can begin
    std::mutex mutex_;            // MPI is called by one thread at a time
    std::uint64_t reported_ = 0;  // batches, done before or not
    std::uint64_t added_ = 0;     // batches
    std::mutex turn_mutex_;
    std::condition_variable turn_;
    std::uint64_t received_ = 0;  // batches
    bool has_given_up_ = false;
};

}  // namespace warpseq
