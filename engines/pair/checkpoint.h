// A long alignment that can be interrupted: the sweep over the whole matrix with its finished rows
// of blocks kept in a file (formats/io/pair_checkpoint_file.h), from which a later run goes on.
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
    /// Makes the file, or continues one of the same problem. `task` is PairMatrix::task() of it;
    /// sequences and lines outlive the checkpoint and its grid. A file of other steps (another
    /// device, other limits) keeps its own. A task of one row of blocks (a score alone) is given
    /// several, so that there is something to go on from. Lines in memory take no more than
    /// `memory_bytes`, or than those of `task` where that is more: kUnavailable where a single row
    /// of the file's blocks does. kInterrupted: `stop`, if there is one, became true while the file
    /// was read.
    static Result<PairCheckpoint> open(const std::filesystem::path& file, const PairProblem& problem,
                                       const ScoringScheme& scheme, const SweepTask& task, const PairSweeper& sweeper,
                                       std::uint64_t memory_bytes, const std::stop_token& stop = {});

    /// Cells that earlier runs have done.
    std::uint64_t cells_done() const;
    /// Fills what the file lacks, as many rows of blocks at a time as memory allows, and adds it to
    /// the file as it is done. The grid of the whole matrix for PairMatrix::finish(); it reads all
    /// but the rows filled last from the file. Once. Of `control`, rows_done is not called. Errors:
    /// the sweeper's and the file's; either way the file keeps what is done.
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
