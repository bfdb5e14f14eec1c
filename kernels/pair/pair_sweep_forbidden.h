// A sweeper for sweeps in which some pairs of residues are forbidden
// (kernels/pair/pair_forbidden.h). It leaves most of the work to sweepers that know nothing of
// forbidden pairs.
//
// A matrix is cut into blocks. Blocks with forbidden pairs are cut into smaller ones, down to about
// 16,000 cells. Scalar code fills these small blocks if they have forbidden pairs, and the other
// sweepers fill all other blocks. Forbidden pairs lie along paths, so the scalar code fills few
// cells, about 200 for each pair.
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

/// A sweeper for local sweeps with forbidden pairs. first_row and first_column of a task have to be
/// set, since they tell which of its cells are forbidden. It never prunes, so its grids are exact.
class ForbiddingPairSweeper final : public PairSweeper {
   public:
    /// Keeps references to `forbidden`, `sweeper`, `pool` and scoring.scheme, which have to outlive
    /// it. Pairs may be added to `forbidden` between sweeps. `sweeper` has the same scoring. It
    /// fills the blocks of at least `least_cells` cells that have no forbidden pair. The pool's
    /// threads fill all other blocks.
    ForbiddingPairSweeper(const PairScoring& scoring, const ForbiddenPairs& forbidden, PairSweeper& sweeper,
                          std::uint64_t least_cells, CpuBackend backend, const ThreadPool& pool);

    std::uint64_t row_granule(std::uint64_t rows, std::uint64_t columns) const override;
    std::uint64_t side_by_side(std::uint64_t rows, std::uint64_t columns) const override;
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override;

    /// Updates the grid of `task` after pairs became forbidden. `waiting` has row_blocks x
    /// column_blocks values: 1 for the blocks with new pairs, else 0. All of them are 0 afterwards.
    /// A block is filled again if it is marked, or if its top row or left column has changed.
    /// Errors are the sweeper's. After an error the grid may not be used any more. Only stop and
    /// progress of `control` are used.
    Status fill_again(const SweepTask& task, HostPairGrid& grid, std::vector<std::uint8_t>& waiting,
                      const SweepControl& control);

   private:
    struct Piece;

    /// The value of `thread` for which fill() uses all threads of the pool. Otherwise fill() uses
    /// the sweeper of thread `thread` alone. It fills the blocks that `waiting` marks.
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
