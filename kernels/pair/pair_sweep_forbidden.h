// Sweeps in which some pairs of residues are forbidden (kernels/pair/pair_forbidden.h). They are
// done by sweepers that know nothing of forbidden pairs.
//
// A matrix is cut into blocks. Blocks that have forbidden pairs are cut into smaller ones, down to
// a few thousand cells, which plain code fills. All others are left to the sweeper. Forbidden pairs
// lie along paths, so few of a block's cells are left to plain code, about 200 for each pair.
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

/// A sweeper for local sweeps with forbidden pairs. The first_row and first_column of a task say
/// where it is. Grids are exact: there is no pruning, whatever a task says.
class ForbiddingPairSweeper final : public PairSweeper {
   public:
    /// Keeps its references, which have to outlive it. Pairs may become forbidden between sweeps.
    /// `sweeper` has the same scoring. It fills blocks of `least_cells` and more that have no
    /// forbidden pair. The pool's threads fill all others.
    ForbiddingPairSweeper(const PairScoring& scoring, const ForbiddenPairs& forbidden, PairSweeper& sweeper,
                          std::uint64_t least_cells, CpuBackend backend, const ThreadPool& pool);

    std::uint64_t row_granule(std::uint64_t rows, std::uint64_t columns) const override;
    std::uint64_t side_by_side(std::uint64_t rows, std::uint64_t columns) const override;
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override;

    /// Brings the grid of `task` up to date after pairs became forbidden. Until then it was exact.
    /// `waiting` (row_blocks x column_blocks) is 1 for the blocks with these pairs, else 0, and is
    /// used up. A block is filled again if it waits or if what enters it has changed. Errors are
    /// the sweeper's; the grid is of no use then. Of `control`, stop and progress are used.
    Status fill_again(const SweepTask& task, HostPairGrid& grid, std::vector<std::uint8_t>& waiting,
                      const SweepControl& control);

   private:
    struct Piece;

    /// Fills the blocks that wait, by thread `thread` alone or, with kAllThreads, by all threads.
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
    std::vector<std::unique_ptr<ThreadPool>> single_threads_;  // one for each of the pool's threads
    std::vector<std::unique_ptr<PairSweeper>> narrow_;
};

}  // namespace warpseq
