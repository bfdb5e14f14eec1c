// Sweeps in which some pairs of residues are forbidden (kernels/pair/pair_forbidden.h), by sweepers
// that know nothing of that.
//
// A matrix is cut into blocks, and those that have forbidden pairs into smaller ones, down to a few
// thousand cells, which plain code fills. All others are left to the sweeper. Forbidden pairs lie
// along paths, so that of a block's cells few are left to plain code: about 200 for each pair.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.h"
#include "kernels/pair/host_pair_grid.h"
#include "kernels/pair/pair_forbidden.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Local sweeps only. Tasks' first_row and first_column say where they are. Grids are exact: there
/// is no pruning, whatever a task says.
class ForbiddingPairSweeper final : public PairSweeper {
   public:
    /// References outlive it; pairs may become forbidden between sweeps. `sweeper`, of the same
    /// scoring, fills blocks of `least_cells` and more that have no forbidden pair, and the pool's
    /// threads all others.
    ForbiddingPairSweeper(const PairScoring& scoring, const ForbiddenPairs& forbidden, PairSweeper& sweeper,
                          std::uint64_t least_cells, CpuBackend backend, const ThreadPool& pool);

    std::uint64_t row_granule(std::uint64_t rows, std::uint64_t columns) const override;
    std::uint64_t side_by_side(std::uint64_t rows, std::uint64_t columns) const override;
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override;

    /// Brings the grid of `task` up to date, which was exact until pairs in the blocks that are
    /// `waiting` (row_blocks x column_blocks, 1 or 0) became forbidden. Blocks are filled again
    /// where they wait or what enters them has changed; `waiting` is used up. Errors are the
    /// sweeper's; the grid is of no use then. Of `control`, stop and progress.
    Status fill_again(const SweepTask& task, HostPairGrid& grid, std::vector<std::uint8_t>& waiting,
                      const SweepControl& control);

   private:
    struct Piece;

    /// Fills blocks that wait, by thread `thread` alone or, with kAllThreads, by all of them.
    static constexpr unsigned kAllThreads = ~0U;
    Status fill(const SweepTask& task, HostPairGrid& grid, std::vector<std::uint8_t>& waiting, unsigned thread,
                const SweepControl& control);
    Status fill_piece(const SweepTask& task, HostPairGrid& grid, Piece& piece, unsigned thread,
                      const SweepControl& control);
    void fill_plainly(const SweepTask& task, HostPairGrid& grid) const;
    bool has_forbidden(const SweepTask& task) const;

    PairScoring scoring_;
    const ForbiddenPairs& forbidden_;
    PairSweeper& sweeper_;
    std::uint64_t least_cells_;
    const ThreadPool& pool_;
    std::vector<std::unique_ptr<ThreadPool>> single_threads_;  // of each of the pool's threads
    std::vector<std::unique_ptr<PairSweeper>> narrow_;
};

}  // namespace warpseq
