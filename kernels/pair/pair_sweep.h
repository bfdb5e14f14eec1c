// Sweeps over the dynamic-programming matrix of two sequences. A sweep fills the matrix, or a block
// of it, and stores only some of its rows and columns: the row checkpoints and column checkpoints.
// It computes scores, but no path. Memory never holds m x n cells.
//
// The matrix. Rows are query residues q(1) .. q(m), columns are target residues t(1) .. t(n). Gap
// costs are those of libcore/scoring/scoring.h, and first = open + extend.
//
//     E(i, j) = max(E(i, j-1) - extend, H(i, j-1) - first)
//     F(i, j) = max(F(i-1, j) - extend, H(i-1, j) - first)
//     H(i, j) = max(H(i-1, j-1) + s(q(i), t(j)), E(i, j), F(i, j), and 0 if the sweep is local)
//
// E is for a gap in the query, where target residues stand alone. F is for a gap in the target,
// where query residues stand alone. The caller provides row 0 and column 0 (PairLine). Gotoh, J Mol
// Biol 162:705 (1982).
//
// The grid. The row checkpoints are the rows row_step, 2 row_step, ... and m. The column
// checkpoints are the columns column_step, 2 column_step, ... and n. They cut the matrix into
// blocks. Each block can be filled again from the checkpoints above and left of it.
//
//             0      column_step        n
//           0 +-----------+-------------+   top (given)
//             |  block 0  |   block 1   |
//    row_step +-----------+-------------+   row checkpoint 0
//             |  block 2  |   block 3   |
//           m +-----------+-------------+   row checkpoint 1
//   left (given)   column checkpoints 0 and 1
//
// A path is traced back through the blocks that it meets. Only these blocks are filled again, with
// a finer grid. This takes linear memory and little recomputation (FastLSA: Driga, Lu, Schaeffer,
// Szafron, Charter and Parsons, Algorithmica 45:337, 2006).
//
// Pruning. A local sweep may skip a cell if no alignment through it can reach the highest known
// score. That is the higher of SweepTask::reached_raw and the best score that the sweep itself has
// found. Values at skipped cells may be too low, but H is at least 0 there, and E and F are at
// least -first (CUDAlign 2.1: de Oliveira Sandes and de Melo). Every cell on an alignment of the
// highest score keeps its exact H, E and F. So neither the score nor the path depends on pruning.
// Apart from pruning, a grid is exact and the same for every back end.
//
// Scores are 32-bit integers in raw units. check_pair_bounds() tells before a sweep whether they
// suffice. Back ends may compute in narrower integers inside.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/scoring/border_cell.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The scoring of a pair of sequences. Residue codes are below kResidueTableSize. Sweeps do not
/// depend on the alphabet.
struct PairScoring {
    const ScoringScheme& scheme;
    bool local = false;  // H is clamped at 0, and maxima of blocks are kept
};

/// A border line: row 0 or column 0 of a matrix or block. Its cells (libcore/scoring/border_cell.h)
/// are either in the caller's memory, such as a part of a checkpoint, or those at the begin of a
/// whole matrix. The latter are computed when they are read and take no memory.
class PairLine {
   public:
    PairLine() = default;
    PairLine(std::span<const BorderCell> cells) : cells_(cells.data()), size_(cells.size()) {}
    PairLine(const std::vector<BorderCell>& cells) : PairLine(std::span<const BorderCell>(cells)) {}
    /// Returns row 0 or column 0 of a whole matrix, with `residues` + 1 cells. H is 0 in all cells
    /// if that begin is free (`free`). Otherwise cell i has minus the cost of a gap of i residues.
    static PairLine beginning(std::uint64_t residues, const GapCosts& gaps, bool free) {
        PairLine line;
        line.size_ = residues + 1;
        line.gaps_ = gaps;
        line.free_ = free;
        return line;
    }

    std::uint64_t size() const { return size_; }
    BorderCell operator[](std::uint64_t i) const { return cells_ != nullptr ? cells_[i] : at_beginning(first_ + i); }
    PairLine subspan(std::uint64_t first, std::uint64_t count) const {
        PairLine part = *this;
        if (cells_ != nullptr) part.cells_ += first;
        part.first_ += first;
        part.size_ = count;
        return part;
    }
    PairLine subspan(std::uint64_t first) const { return subspan(first, size_ - first); }
    PairLine first(std::uint64_t count) const { return subspan(0, count); }
    /// Copies to.size() cells, from cell `first` on.
    void copy(std::uint64_t first, std::span<BorderCell> to) const {
        for (std::uint64_t i = 0; i < to.size(); ++i) to[i] = (*this)[first + i];
    }

    /// Whether the cells are in memory, so that cells() has them. Otherwise is_free() and offset()
    /// say which cells they are.
    bool is_given() const { return cells_ != nullptr; }
    std::span<const BorderCell> cells() const { return {cells_, is_given() ? size_ : 0}; }
    bool is_free() const { return free_; }
    std::uint64_t offset() const { return first_; }  // residues before cell 0

   private:
    BorderCell at_beginning(std::uint64_t residues) const {
        const std::int32_t h =
            free_ || residues == 0 ? 0 : -gaps_.open - static_cast<std::int32_t>(residues) * gaps_.extend;
        return {h, h - gaps_.first()};
    }

    const BorderCell* cells_ = nullptr;
    std::uint64_t size_ = 0, first_ = 0;
    GapCosts gaps_{};
    bool free_ = false;
};

/// The result of checking a row or column by the rule of lines.
///
/// The rule of lines bounds the cells of a row or column of a matrix. From a cell to one k residues
/// further, H falls by at most open + k extend. It rises by at most open + k (max(0, highest score)
/// + extend). The gap of a cell is between H - first and H - extend, except in cell 0. All rows and
/// columns of an exact matrix keep the rule if its row 0 and column 0 do.
struct LineSteps {
    bool regular = true;                                              // whether the line keeps the rule
    std::int64_t highest = std::numeric_limits<std::int32_t>::min();  // highest rise of H from a cell to the next
};
LineSteps steps_of(const PairLine& line, const ScoringScheme& scheme);

/// A matrix or block to fill. The sequences, `top` and `left` stay valid and unchanged until the
/// sweep returns.
struct SweepTask {
    std::span<const ResidueCode> query;   // m >= 1 rows
    std::span<const ResidueCode> target;  // n >= 1 columns
    /// Row 0 with n + 1 cells, and column 0 with m + 1 cells. Both have the same h in cell 0, whose
    /// gap is not used. With pruning, both have to keep the rule of lines or to be parts of
    /// checkpoints of a sweep that pruned. Without pruning, cells may have any values within the
    /// bounds of scores, but the sweep is slow if they do not keep the rule.
    PairLine top, left;
    std::uint64_t row_step = 0;     // a multiple of the sweeper's row_granule(), or >= m
    std::uint64_t column_step = 0;  // >= 1
    /// A score that is known to be reached, for the pruning of a local sweep. It is reached in this
    /// matrix or, if this is a block, anywhere in the whole matrix. The whole matrix has
    /// `rows_beyond` rows and `columns_beyond` columns after this block. So an alignment through
    /// cell (i, j) of the block scores at most H(i, j) plus the highest score times
    /// min(m - i + rows_beyond, n - j + columns_beyond). With kNoPruning every cell is exact.
    std::int32_t reached_raw = 0;
    std::uint64_t rows_beyond = 0, columns_beyond = 0;
    static constexpr std::int32_t kNoPruning = -1;
    /// Numbers of rows and columns before this block in the whole matrix. Only some sweepers use
    /// them, such as that of kernels/pair/pair_sweep_forbidden.h.
    std::uint64_t first_row = 0, first_column = 0;
};

/// The grid of one sweep: its row checkpoints and column checkpoints. The sweeper decides whether
/// they are in host or device memory. Reading is thread-safe.
class PairGrid {
   public:
    virtual ~PairGrid() = default;

    std::uint64_t rows() const { return rows_; }
    std::uint64_t columns() const { return columns_; }
    std::uint64_t row_step() const { return row_step_; }
    std::uint64_t column_step() const { return column_step_; }
    std::uint64_t row_blocks() const { return (rows_ + row_step_ - 1) / row_step_; }
    std::uint64_t column_blocks() const { return (columns_ + column_step_ - 1) / column_step_; }

    /// Reads cells first .. first + cells.size() - 1 of row checkpoint `index`. It is row
    /// min((index + 1) * row_step, m) and has n + 1 cells. Cell 0 has the h of column 0 and an
    /// unspecified gap.
    virtual Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const = 0;
    /// Reads cells of column checkpoint `index` in the same way. It is column min((index + 1) *
    /// column_step, n) and has m + 1 cells.
    virtual Status read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                          std::span<BorderCell> cells) const = 0;
    /// Returns the highest H of each block, row by row, row_blocks() x column_blocks() values.
    /// Returns nothing unless the sweep is local.
    virtual std::span<const std::int32_t> block_maxima_raw() const = 0;
    /// Returns the bytes that the checkpoints take in host or device memory.
    virtual std::uint64_t memory_bytes() const;

   protected:
    PairGrid(const SweepTask& task)
        : rows_(task.query.size()),
          columns_(task.target.size()),
          row_step_(task.row_step),
          column_step_(task.column_step) {}
    PairGrid(std::uint64_t rows, std::uint64_t columns, std::uint64_t row_step, std::uint64_t column_step)
        : rows_(rows), columns_(columns), row_step_(row_step), column_step_(column_step) {}

   private:
    std::uint64_t rows_, columns_, row_step_, column_step_;
};

/// Returns the bytes that the checkpoints of a grid take.
std::uint64_t grid_bytes(std::uint64_t rows, std::uint64_t columns, std::uint64_t row_step, std::uint64_t column_step);

/// Returns rows x columns, or the highest 64-bit number if the product is above it.
std::uint64_t cell_count(std::uint64_t rows, std::uint64_t columns);

/// Callbacks by which a caller watches and ends a long sweep. They are called by one thread at a
/// time, at most a few times a second.
struct SweepControl {
    std::stop_token stop = {};                          // once it is requested, the sweep ends soon, with kInterrupted
    std::function<void(std::uint64_t cells)> progress;  // gets the cells of all tasks done since the last call
    /// Called during a sweep of one task when the first `row_blocks` rows of blocks are done. Their
    /// checkpoints and maxima can be read from `grid` while the sweep continues. If it returns an
    /// error, the sweep ends with that error.
    std::function<Status(const PairGrid& grid, std::uint64_t row_blocks)> rows_done;
};

/// A sweeper of one back end on one machine. Not thread-safe, except that any thread may read
/// finished grids while it sweeps.
class PairSweeper {
   public:
    virtual ~PairSweeper() = default;
    /// Returns the row granule for a matrix of rows x columns. Each row step has to be a multiple
    /// of it, or at least `rows`.
    virtual std::uint64_t row_granule(std::uint64_t rows, std::uint64_t columns) const = 0;
    /// Returns how many matrices of rows x columns one sweep fills in about the time of one matrix.
    /// This is more than 1 if one matrix leaves most of the machine idle.
    virtual std::uint64_t side_by_side(std::uint64_t rows, std::uint64_t columns) const {
        static_cast<void>(rows), static_cast<void>(columns);
        return 1;
    }
    /// Fills all tasks' matrices, side by side as far as the machine allows. Returns one grid per
    /// task, in order. Errors are kInterrupted, kOutOfMemory when the host's memory runs out, and
    /// kUnavailable when a device's memory runs out or the device fails.
    virtual Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                                 const SweepControl& control) = 0;
};

/// The highest absolute score that check_pair_bounds() allows. The rest of the 32-bit range leaves
/// room for sums of a score and a few gap costs.
inline constexpr std::int32_t kHighestPairScoreRaw = 2'130'706'431;  // 2^31 - 2^24 - 1
/// Checks that no score of a problem can leave +-kHighestPairScoreRaw. Otherwise it returns
/// kInvalidInput, and the message names the bound and what to change.
Status check_pair_bounds(std::uint64_t rows, std::uint64_t columns, const PairScoring& scoring);

/// Returns the sweeper of a CPU back end. `scoring.scheme` and `pool` have to outlive it. A sweep
/// of one task uses all threads of the pool. A sweep of many tasks gives each thread tasks of its
/// own.
std::unique_ptr<PairSweeper> make_cpu_pair_sweeper(CpuBackend backend, const PairScoring& scoring,
                                                   const ThreadPool& pool);

}  // namespace warpseq
