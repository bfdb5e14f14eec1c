// Checkpoints of a long alignment, which can then be interrupted. The sweep over the whole matrix
// keeps its finished rows of blocks in a file (formats/io/pair_checkpoint_file.h), and a later run
// goes on from there.
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
    /// Makes the file, or continues one of the same problem. `task` is the problem's
    /// PairMatrix::task(). Its sequences and lines have to outlive the checkpoint and its grid. A
    /// file with other steps, from another device or with other limits, keeps its own. A task of
    /// one row of blocks (a score alone) is given several, so that a later run can go on from them.
    /// Lines in memory take no more than `memory_bytes`, or than those of `task` if that is more.
    /// Returns kUnavailable if a single row of the file's blocks takes more. Returns kInterrupted
    /// if `stop` is requested while the file is read.
    static Result<PairCheckpoint> open(const std::filesystem::path& file, const PairProblem& problem,
                                       const ScoringScheme& scheme, const SweepTask& task, const PairSweeper& sweeper,
                                       std::uint64_t memory_bytes, const std::stop_token& stop = {});

    /// Returns the cells that earlier runs have done.
    std::uint64_t cells_done() const;
    /// Fills what the file lacks, as many rows of blocks at a time as memory allows, and adds it to
    /// the file as it is done. Returns the grid of the whole matrix for PairMatrix::finish(). The
    /// grid reads all rows but those filled last from the file. It is called once, and does not
    /// call control.rows_done. Returns errors of the sweeper and of the file; in both cases the
    /// file keeps what is done.
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
