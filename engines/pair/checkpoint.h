// A checkpoint file of a long alignment, with which the alignment can be interrupted and continued.
// The sweep over the whole matrix stores its finished rows of blocks in a file
// (formats/io/pair_checkpoint_file.h). A later run continues from there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>

#include "formats/io/pair_checkpoint_file.h"
#include "kernels/pair/pair_alignment.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"

namespace warpseq {

class PairCheckpoint {
   public:
    /// Creates the file, or opens a file of the same problem to continue it. `task` is the
    /// problem's PairMatrix::task(). Its sequences, row 0 and column 0 have to outlive the
    /// checkpoint and its grid. A file that was made for another device or with other limits keeps
    /// its own row and column steps. If `task` has one row of blocks (as for a score alone), the
    /// file gets several, so that there is something to continue from. Row and column checkpoints
    /// in memory take no more than `memory_bytes`, or than those of `task` if that is more. Returns
    /// kUnavailable if a single row of the file's blocks takes more. Returns kInterrupted if `stop`
    /// is requested while the file is read.
    static Result<PairCheckpoint> open(const std::filesystem::path& file, const PairProblem& problem,
                                       const ScoringScheme& scheme, const SweepTask& task, const PairSweeper& sweeper,
                                       std::uint64_t memory_bytes, const std::stop_token& stop = {});

    /// Returns the number of cells that are done in the file.
    std::uint64_t cells_done() const;
    /// Fills the rows of blocks that the file lacks, as many at a time as memory allows. Adds each
    /// finished row to the file. Returns the grid of the whole matrix for PairMatrix::finish(). The
    /// grid reads all rows from the file, except those that were filled last. May be called once.
    /// Does not call control.rows_done. Returns errors of the sweeper and of the file. In both
    /// cases the file keeps the finished rows.
    Result<std::unique_ptr<PairGrid>> sweep(PairSweeper& sweeper, const SweepControl& control);

   private:
    PairCheckpoint(std::shared_ptr<PairCheckpointFile> file, const SweepTask& task, std::uint64_t memory_bytes)
        : file_(std::move(file)), task_(task), memory_bytes_(memory_bytes) {}

    std::uint64_t bytes_of_rows(std::uint64_t rows) const;
    std::uint64_t rows_at_once(const PairSweeper& sweeper, std::uint64_t rows_left) const;

    std::shared_ptr<PairCheckpointFile> file_;
    SweepTask task_;
    std::uint64_t memory_bytes_;
};

}  // namespace warpseq
