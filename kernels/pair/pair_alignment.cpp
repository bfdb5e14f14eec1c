// Finds where the best alignment of two sequences ends, and traces its path back through grids of
// ever smaller blocks.
//
// Levels. Level 0 is the whole matrix with its grid. A path that stands at cell (i, j) is in one
// block of the last level. That block is cut off at (i, j). It is traced at once if it has few
// cells, and otherwise becomes the next level. A level is done when the path leaves it. So there
// are few levels at a time, each with checkpoints of its own, and all of them share
// limits.grid_bytes.
//
// Cost. With blocks of side s at one level, a path of a square matrix of side n meets about 2 n / s
// blocks. Each is cut off where the path enters it, so together they have about n s cells. Hence a
// grid of 64 checkpoints each way recomputes 1/64 of the matrix at the next level, on a machine
// that is as fast on blocks as on the whole. Blocks of a thousand rows are the least that sweepers
// fill at their full rate. Smaller ones pay off only where there are few of those.
//
// A GPU is not that fast on blocks. Below some hundred thousand rows the time of its sweep goes
// with the rows, not with the cells, because few of its multiprocessors have something to do. So it
// fills the blocks that the path will probably enter next side by side with the one that it is in.
// Paths mostly go on along their diagonal. A wrong guess costs time, and after one fewer blocks are
// guessed. Blocks of few cells are left to the CPU's threads, in the same way.
#include "kernels/pair/pair_alignment.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "kernels/pair/pair_sweep_forbidden.h"
#include "kernels/pair/pair_trace.h"
#include "kernels/smith_waterman/local_alignment.h"

namespace warpseq {
namespace {

constexpr double kCheckpointsEachWay = 64;
constexpr double kFewCheckpoints = 8;
constexpr std::uint64_t kLeastSide = PairTracer::kBlockSide, kFullRateSide = 1024;
// Blocks up to this size are traced rather than cut again. Tracing keeps one byte per cell.
constexpr std::uint64_t kTraceCells = 2 * kLeastSide * kLeastSide;
// Blocks up to this size are scanned for the end of a local alignment.
constexpr std::uint64_t kScanCells = std::uint64_t{64} * 64;
constexpr std::uint64_t kScanSide = 32;
constexpr std::uint64_t kMostBlocksAtOnce = 32;
// Cells of a checkpoint that are read at once where the whole of it is searched.
constexpr std::uint64_t kCheckpointPiece = std::uint64_t{1} << 16;

struct Steps {
    std::uint64_t row_step, column_step;
};

std::uint64_t rounded_up(std::uint64_t number, std::uint64_t granule) {
    return (number + granule - 1) / granule * granule;
}

// Returns steps of about `side`, such that blocks are of about the same size and row steps are
// multiples of the granule.
Steps steps_of(std::uint64_t rows, std::uint64_t columns, std::uint64_t side, std::uint64_t granule) {
    const auto even = [](std::uint64_t residues, std::uint64_t step) {
        const std::uint64_t blocks = (residues + step - 1) / step;
        return (residues + blocks - 1) / blocks;
    };
    return {std::min(rows, rounded_up(even(rows, side), granule)), even(columns, side)};
}

// Returns the share of the memory left that one level takes. The next levels have shorter
// checkpoints.
std::uint64_t share_of(std::uint64_t bytes) { return bytes / 4 * 3; }

double mean_side(std::uint64_t rows, std::uint64_t columns) {
    return std::sqrt(static_cast<double>(rows) * static_cast<double>(columns));
}

// Returns the least side of blocks into which a block is cut for tracing.
std::uint64_t least_side(std::uint64_t rows, std::uint64_t columns) {
    return std::clamp(static_cast<std::uint64_t>(mean_side(rows, columns) / kFewCheckpoints), kLeastSide,
                      kFullRateSide);
}

// Returns the steps of a grid whose blocks have a side of at least `least` and whose checkpoints
// fit `bytes`. It has at least two blocks in one direction, because lower levels have to end.
Steps plan_grid(std::uint64_t rows, std::uint64_t columns, std::uint64_t bytes, std::uint64_t granule,
                std::uint64_t least) {
    const std::uint64_t longest = std::max(rows, columns);
    std::uint64_t side = std::max(least, static_cast<std::uint64_t>(mean_side(rows, columns) / kCheckpointsEachWay));
    Steps steps = steps_of(rows, columns, side, granule);
    while (side < longest && grid_bytes(rows, columns, steps.row_step, steps.column_step) > bytes) {
        side += side / 8 + 1;
        steps = steps_of(rows, columns, side, granule);
    }
    if (steps.row_step == rows && steps.column_step == columns) {
        const std::uint64_t half_rows = rounded_up((rows + 1) / 2, granule), half_columns = (columns + 1) / 2;
        if (columns >= rows || half_rows >= rows) {
            steps.column_step = half_columns;
        } else {
            steps.row_step = half_rows;
        }
    }
    return steps;
}

// A block of the whole matrix, with the checkpoints above and left of it. Rows and columns are
// counted from 0.
struct Block {
    std::uint64_t row, column;  // residues before it
    std::span<const ResidueCode> query, target;
    PairLine top, left;

    std::uint64_t rows() const { return query.size(); }
    std::uint64_t columns() const { return target.size(); }
    std::uint64_t cells() const { return cell_count(rows(), columns()); }
    std::uint64_t line_bytes() const { return (rows() + columns() + 2) * sizeof(BorderCell); }
};

struct Lines {
    std::vector<BorderCell> top, left;
};

struct Level {
    Lines lines;  // row 0 and column 0 of the block; empty on level 0
    Block block;
    std::unique_ptr<PairGrid> grid;
    std::uint64_t used_bytes = 0;                   // by the blocks and grids of this level and those above
    std::vector<Level> ahead;                       // blocks of the grid that were filled before the path came to them
    std::uint64_t path_rows = 0, guessed_rows = 0;  // where the path was then, and how far the guess went
};

struct Cell {
    std::uint64_t row, column;
};

// Returns where the block of a level's grid begins that has `cell`, which is counted from 1, of the
// whole matrix.
Cell corner_of(const Level& level, Cell cell) {
    const std::uint64_t row_step = level.grid->row_step(), column_step = level.grid->column_step();
    return {level.block.row + (cell.row - level.block.row - 1) / row_step * row_step,
            level.block.column + (cell.column - level.block.column - 1) / column_step * column_step};
}

// Reads the block of a level's grid that has cell (row, column) of the whole matrix, counted from
// 1. The block is cut off after that cell.
Status read_block(const Level& level, std::uint64_t row, std::uint64_t column, Lines& lines, Block& block) {
    const Block& outer = level.block;
    const std::uint64_t last_row = row - outer.row, last_column = column - outer.column;
    const std::uint64_t row_block = (last_row - 1) / level.grid->row_step();
    const std::uint64_t column_block = (last_column - 1) / level.grid->column_step();
    const std::uint64_t first_row = row_block * level.grid->row_step(),
                        first_column = column_block * level.grid->column_step();
    const std::uint64_t rows = last_row - first_row, columns = last_column - first_column;
    lines.top.resize(columns + 1);
    lines.left.resize(rows + 1);
    if (row_block == 0) {
        outer.top.copy(first_column, lines.top);
    } else {
        WARPSEQ_TRY(level.grid->read_row_checkpoint(row_block - 1, first_column, lines.top));
    }
    if (column_block == 0) {
        outer.left.copy(first_row, lines.left);
    } else {
        WARPSEQ_TRY(level.grid->read_column_checkpoint(column_block - 1, first_row, lines.left));
    }
    lines.left[0].h = lines.top[0].h;
    block = {outer.row + first_row,
             outer.column + first_column,
             outer.query.subspan(first_row, rows),
             outer.target.subspan(first_column, columns),
             lines.top,
             lines.left};
    return {};
}

// The search for the path of one alignment and for its end. It is used once, by one thread.
class PathFinder {
   public:
    PathFinder(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits, PairSweeper& sweeper,
               CpuBackend backend, const SweepControl& control)
        : problem_(problem),
          scoring_{scheme, problem.local},
          limits_(limits),
          sweeper_(sweeper),
          backend_(backend),
          trace_pool_(limits.trace_threads) {
        control_.stop = control.stop;
        path_progress_ = control.progress;
    }

    // Finds the first cell, by column and then by row, of the local score in the grid of the whole
    // matrix.
    Result<Cell> find_local_end(const Level& whole, std::int32_t score_raw) {
        score_raw_ = score_raw;
        std::optional<Cell> found;
        WARPSEQ_TRY(find_first(whole, found));
        // Maxima may come from a checkpoint's file.
        if (!found) {
            return Status::unavailable("internal error: no cell of the matrix has the score of " +
                                       std::to_string(score_raw) + "; please report this");
        }
        return *found;
    }

    // Appends the path from `end` back to row 0, column 0 or where a local alignment begins.
    // Returns the cell where it ends.
    Result<Cell> trace(Level whole, Cell end, std::int32_t score_raw, std::vector<AlignmentRun>& runs) {
        score_raw_ = score_raw;
        std::vector<Level> levels;
        if (end.row > 0 && end.column > 0) levels.push_back(std::move(whole));
        PairTraceState state = PairTraceState::kH;
        Cell at = end;
        report_path(problem_.query.size() - at.row + problem_.target.size() - at.column);
        while (!levels.empty()) {
            Level& level = levels.back();
            if (at.row == level.block.row || at.column == level.block.column) {
                levels.pop_back();
                continue;
            }
            if (control_.stop.stop_requested()) return Status::interrupted();
            Level next;
            if (level.grid && take_ahead(level, at, next)) {
                levels.push_back(std::move(next));
                continue;
            }
            if (level.grid) {
                WARPSEQ_TRY(read_block(level, at.row, at.column, next.lines, next.block));
            } else {
                next.block = level.block;
                next.lines.top.resize(next.block.columns() + 1);
                next.lines.left.resize(next.block.rows() + 1);
                next.block.top.copy(0, next.lines.top);
                next.block.left.copy(0, next.lines.left);
                next.block.top = next.lines.top;
                next.block.left = next.lines.left;
            }
            if (level.grid && next.block.cells() > kTraceCells) {
                WARPSEQ_TRY(fill_with_those_ahead(level, next, at, end));
                levels.push_back(std::move(next));
                continue;
            }
            if (!tracer_) tracer_.emplace(backend_, scoring_);
            const Block& block = next.block;
            mark_forbidden(block);
            const TraceEnd traced =
                tracer_->trace({block.query, block.target, block.top.cells(), block.left.cells(), forbidden_cells_},
                               {at.row - block.row, at.column - block.column, state}, runs);
            const Cell came_from = at;
            at = {block.row + traced.at.row, block.column + traced.at.column};
            report_path(came_from.row - at.row + came_from.column - at.column);
            state = traced.at.state;
            if (traced.begins) break;
        }
        report_path(at.row + at.column);
        return at;
    }

   private:
    void report_path(std::uint64_t residues) const {
        if (path_progress_) path_progress_(residues);
    }

    // Returns the bytes that more checkpoints may take if `used_bytes` are in use.
    std::uint64_t left_bytes(const PairSweeper& sweeper, std::uint64_t used_bytes) const {
        const std::uint64_t left = limits_.grid_bytes - std::min(limits_.grid_bytes, used_bytes);
        return &sweeper == &sweeper_ ? left : std::min(left, limits_.cpu_grid_bytes);
    }

    // Sweeps the block of a level to come. `last` is where the alignments end that its scores may
    // count for.
    Status fill(Level& level, const Level& outer, std::uint64_t least, Cell last) {
        return fill({&level, 1}, used_bytes(outer), least, last, sweeper_of(level.block));
    }

    // Sweeps several blocks of one level. `bytes` are used by others.
    Status fill(std::span<Level> levels, std::uint64_t bytes, std::uint64_t least, Cell last, PairSweeper& sweeper) {
        for (const Level& level : levels) bytes += level.block.line_bytes();
        const std::uint64_t bytes_each = share_of(left_bytes(sweeper, bytes)) / levels.size();
        std::vector<SweepTask> tasks;
        for (const Level& level : levels) {
            const Block& block = level.block;
            const std::uint64_t granule = sweeper.row_granule(block.rows(), block.columns());
            const Steps steps = plan_grid(block.rows(), block.columns(), bytes_each, granule, least);
            SweepTask& task = tasks.emplace_back(
                SweepTask{block.query, block.target, block.top, block.left, steps.row_step, steps.column_step});
            task.reached_raw = scoring_.local && problem_.forbidden == nullptr ? score_raw_ : SweepTask::kNoPruning;
            task.rows_beyond = last.row - (block.row + block.rows());
            task.columns_beyond = last.column - (block.column + block.columns());
            task.first_row = block.row;
            task.first_column = block.column;
        }
        auto grids = sweeper.sweep(tasks, control_);
        if (!grids.ok()) return grids.status();
        for (std::size_t k = 0; k < levels.size(); ++k) {
            levels[k].grid = std::move((*grids)[k]);
            bytes += levels[k].grid->memory_bytes();
        }
        for (Level& level : levels) level.used_bytes = bytes;
        return {};
    }

    static std::uint64_t used_bytes(const Level& level) {
        std::uint64_t bytes = level.used_bytes;
        for (const Level& each : level.ahead) bytes += each.block.line_bytes() + each.grid->memory_bytes();
        return bytes;
    }

    // Sweeps `next`, the block of `outer` that the path enters at `at`. Sweeps with it the blocks
    // that the path will probably enter then, if the sweeper has room for them.
    Status fill_with_those_ahead(Level& outer, Level& next, Cell at, Cell end) {
        const std::uint64_t least = least_side(next.block.rows(), next.block.columns());
        const std::uint64_t row_step = outer.grid->row_step(), column_step = outer.grid->column_step();
        PairSweeper& sweeper = sweeper_of(next.block);
        const std::uint64_t most =
            &sweeper == &sweeper_ ? sweeper.side_by_side(row_step, column_step) : trace_pool_.threads();
        if (most < 2) return fill(next, outer, least, end);

        // The number of guesses depends on whether the path kept to the diagonal since the last
        // guess.
        if (outer.guessed_rows > 0) {
            const bool was_right = outer.path_rows - at.row >= outer.guessed_rows / 2;
            blocks_at_once_ = was_right ? 2 * blocks_at_once_ : blocks_at_once_ / 2;
            blocks_at_once_ = std::clamp<std::uint64_t>(blocks_at_once_, 2, kMostBlocksAtOnce);
        }
        const Steps steps = plan_grid(row_step, column_step, std::numeric_limits<std::uint64_t>::max(),
                                      sweeper.row_granule(row_step, column_step), least);
        const std::uint64_t bytes = used_bytes(outer);
        const std::uint64_t count =
            std::min({most, blocks_at_once_,
                      share_of(left_bytes(sweeper, bytes)) /
                          grid_bytes(row_step, column_step, steps.row_step, steps.column_step)});

        // Takes the blocks that the path's diagonal and two beside it meet, nearest first.
        std::vector<Level> blocks;
        blocks.push_back(std::move(next));
        const std::uint64_t rows_left = at.row - outer.block.row, columns_left = at.column - outer.block.column;
        const std::uint64_t stride = std::max<std::uint64_t>(1, std::min(row_step, column_step) / 16);
        std::uint64_t along = 0;
        for (; blocks.size() < count && along < std::min(rows_left, columns_left); along += stride) {
            for (const Cell beside : {Cell{0, 0}, Cell{stride, 0}, Cell{0, stride}}) {
                if (along + beside.row >= rows_left || along + beside.column >= columns_left) continue;
                const Cell corner = corner_of(outer, {at.row - along - beside.row, at.column - along - beside.column});
                const auto is_there = [corner](const Level& level) {
                    return level.block.row == corner.row && level.block.column == corner.column;
                };
                if (std::ranges::any_of(blocks, is_there) || std::ranges::any_of(outer.ahead, is_there)) continue;
                Level& guess = blocks.emplace_back();
                WARPSEQ_TRY(read_block(outer, std::min(at.row, corner.row + row_step),
                                       std::min(at.column, corner.column + column_step), guess.lines, guess.block));
            }
        }
        outer.path_rows = at.row;
        outer.guessed_rows = along;
        WARPSEQ_TRY(fill(blocks, bytes, least, end, sweeper));
        next = std::move(blocks.front());
        std::move(blocks.begin() + 1, blocks.end(), std::back_inserter(outer.ahead));
        return {};
    }

    // Takes the block that has a cell, if it was filled ahead. Gives up blocks that the path has
    // passed.
    static bool take_ahead(Level& level, Cell at, Level& taken) {
        std::erase_if(level.ahead,
                      [at](const Level& each) { return each.block.row >= at.row || each.block.column >= at.column; });
        const auto is_it = [at](const Level& each) {
            return at.row <= each.block.row + each.block.rows() &&
                   at.column <= each.block.column + each.block.columns();
        };
        const auto found = std::ranges::find_if(level.ahead, is_it);
        if (found == level.ahead.end()) return false;
        taken = std::move(*found);
        level.ahead.erase(found);
        return true;
    }

    PairSweeper& sweeper_of(const Block& block) {
        if (block.cells() >= limits_.least_sweeper_cells) return sweeper_;
        if (!cpu_sweeper_) {
            cpu_sweeper_ = make_cpu_pair_sweeper(backend_, scoring_, trace_pool_);
            if (problem_.forbidden != nullptr) {
                forbidding_sweeper_.emplace(scoring_, *problem_.forbidden, *cpu_sweeper_, limits_.least_sweeper_cells,
                                            backend_, trace_pool_);
            }
        }
        if (forbidding_sweeper_) return *forbidding_sweeper_;
        return *cpu_sweeper_;
    }

    // Marks the forbidden pairs of a small block in forbidden_cells_, which is empty if it has
    // none.
    void mark_forbidden(const Block& block) {
        forbidden_cells_.clear();
        const PairArea area{block.row, block.column, block.rows(), block.columns()};
        if (problem_.forbidden == nullptr || !problem_.forbidden->meets(area)) return;
        forbidden_cells_.resize(block.cells());
        problem_.forbidden->mark(area, forbidden_cells_);
    }

    // Looks for the local score in the level's grid, left of `found` if there is one. Only the
    // first column of blocks that has the score can have the cell. Each later block of that column
    // needs to be searched only left of the cell found.
    Status find_first(const Level& level, std::optional<Cell>& found) {
        const PairGrid& grid = *level.grid;
        const std::span<const std::int32_t> maxima_raw = grid.block_maxima_raw();
        const std::uint64_t row_blocks = grid.row_blocks(), column_blocks = grid.column_blocks();
        for (std::uint64_t column_block = 0; column_block < column_blocks; ++column_block) {
            const std::uint64_t first_column = level.block.column + column_block * grid.column_step() + 1;
            bool has_score = false;
            for (std::uint64_t row_block = 0; row_block < row_blocks; ++row_block) {
                if (maxima_raw[row_block * column_blocks + column_block] < score_raw_) continue;
                has_score = true;
                std::uint64_t last_column =
                    std::min(level.block.column + level.block.columns(), first_column - 1 + grid.column_step());
                if (found) {
                    if (found->column <= first_column) return {};
                    last_column = std::min(last_column, found->column - 1);
                }
                const std::uint64_t last_row =
                    level.block.row + std::min(level.block.rows(), (row_block + 1) * grid.row_step());
                if (control_.stop.stop_requested()) return Status::interrupted();
                Level next;
                WARPSEQ_TRY(read_block(level, last_row, last_column, next.lines, next.block));
                if (next.block.cells() <= kScanCells) {
                    scan(next.block, found);
                } else {
                    const std::uint64_t least = next.block.cells() > kTraceCells
                                                    ? least_side(next.block.rows(), next.block.columns())
                                                    : kScanSide;
                    WARPSEQ_TRY(fill(next, level, least, {problem_.query.size(), problem_.target.size()}));
                    WARPSEQ_TRY(find_first(next, found));
                }
            }
            if (has_score) return {};
        }
        return {};
    }

    // Looks for the local score in one small block that was read, column by column.
    void scan(const Block& block, std::optional<Cell>& found) {
        mark_forbidden(block);
        const auto is_forbidden = [&](std::size_t i, std::size_t j) {
            return !forbidden_cells_.empty() && forbidden_cells_[(i - 1) * block.columns() + j - 1] != 0;
        };
        const std::int32_t extend = scoring_.scheme.gaps.extend, first = scoring_.scheme.gaps.first();
        const std::span<const BorderCell> left = block.left.cells();
        std::vector<BorderCell> column(left.begin(), left.end());  // H(i, j - 1) and E(i, j)
        for (std::size_t j = 1; j <= block.columns(); ++j) {
            std::int32_t diagonal = column[0].h, f = block.top[j].gap;
            column[0].h = block.top[j].h;
            for (std::size_t i = 1; i <= block.rows(); ++i) {
                BorderCell& cell = column[i];
                const std::int32_t match = is_forbidden(i, j) ? 0
                                                              : diagonal + scoring_.scheme.matrix.score_raw(
                                                                               block.query[i - 1], block.target[j - 1]);
                const std::int32_t h = std::max({0, match, cell.gap, f});
                if (h == score_raw_) {
                    found = {block.row + i, block.column + j};
                    return;
                }
                diagonal = cell.h;
                f = std::max(f - extend, h - first);
                cell = {h, std::max(cell.gap - extend, h - first)};
            }
        }
    }

    const PairProblem& problem_;
    const PairScoring scoring_;
    const PairLimits& limits_;
    PairSweeper& sweeper_;
    const CpuBackend backend_;
    SweepControl control_;
    std::function<void(std::uint64_t)> path_progress_;
    std::int32_t score_raw_ = 0;
    std::uint64_t blocks_at_once_ = 8;
    ThreadPool trace_pool_;
    std::unique_ptr<PairSweeper> cpu_sweeper_;
    std::optional<ForbiddingPairSweeper> forbidding_sweeper_;
    std::vector<std::uint8_t> forbidden_cells_;
    std::optional<PairTracer> tracer_;
};

}  // namespace

struct PairMatrix::State {
    PairProblem problem;
    const ScoringScheme& scheme;
    PairLimits limits;
    PairLine top, left;
    SweepTask task;

    std::uint64_t rows() const { return problem.query.size(); }
    std::uint64_t columns() const { return problem.target.size(); }

    // Whether the pair is aligned by align_local(), without a sweep.
    bool is_local_unswept() const {
        return problem.local && problem.forbidden == nullptr && !limits.score_only &&
               cell_count(rows(), columns()) <= limits.most_cells_unswept;
    }

    // Reads cells of the last row. Without a grid, one sequence is empty, and the last row is row 0
    // or one cell of column 0.
    Status read_last_row(const PairGrid* grid, std::uint64_t first, std::span<BorderCell> cells) const {
        if (grid) return grid->read_row_checkpoint(grid->row_blocks() - 1, first, cells);
        for (BorderCell& cell : cells) cell = rows() == 0 ? top[first++] : left[rows()];
        return {};
    }
    Status read_last_column(const PairGrid* grid, std::uint64_t first, std::span<BorderCell> cells) const {
        if (grid) return grid->read_column_checkpoint(grid->column_blocks() - 1, first, cells);
        for (BorderCell& cell : cells) cell = columns() == 0 ? left[first++] : top[columns()];
        return {};
    }

    // Finds the best cell of (m, n), and of the last row and column where they are free.
    Status find_end(const PairGrid* grid, Cell& end, std::int32_t& score_raw) const {
        std::vector<BorderCell> piece(1);
        WARPSEQ_TRY(read_last_row(grid, columns(), piece));
        score_raw = piece[0].h;
        end = {rows(), columns()};
        const auto offer = [&](std::int32_t h, Cell cell) {
            if (h < score_raw) return;
            const bool earlier = cell.column != end.column ? cell.column < end.column : cell.row < end.row;
            if (h > score_raw || earlier) {
                score_raw = h;
                end = cell;
            }
        };
        if (problem.free_ends.target_end) {
            for (std::uint64_t first = 0; first <= columns(); first += kCheckpointPiece) {
                piece.resize(std::min(kCheckpointPiece, columns() + 1 - first));
                WARPSEQ_TRY(read_last_row(grid, first, piece));
                for (std::uint64_t k = 0; k < piece.size(); ++k) offer(piece[k].h, {rows(), first + k});
            }
        }
        if (problem.free_ends.query_end) {
            for (std::uint64_t first = 0; first <= rows(); first += kCheckpointPiece) {
                piece.resize(std::min(kCheckpointPiece, rows() + 1 - first));
                WARPSEQ_TRY(read_last_column(grid, first, piece));
                for (std::uint64_t k = 0; k < piece.size(); ++k) offer(piece[k].h, {first + k, columns()});
            }
        }
        return {};
    }

    // Finds the score and, unless local, where the alignment ends. Without a grid, one sequence is
    // empty.
    Status find_score(const PairGrid* grid, Cell& end, std::int32_t& score_raw) const {
        if (!problem.local) return find_end(grid, end, score_raw);
        const std::span<const std::int32_t> maxima_raw = grid->block_maxima_raw();
        score_raw = std::max(0, *std::max_element(maxima_raw.begin(), maxima_raw.end()));
        return {};
    }

    Result<Alignment> finish(std::unique_ptr<PairGrid> grid, PairSweeper& sweeper, CpuBackend trace_backend,
                             const SweepControl& control) const {
        if (is_local_unswept()) {
            LocalAlignmentLimits unlimited;
            unlimited.stop = control.stop;
            Alignment alignment =
                align_local(trace_backend, problem.query, problem.target, pair_scores(scheme), unlimited);
            if (control.stop.stop_requested()) return Status::interrupted();
            if (control.progress) control.progress(rows() + columns());
            return alignment;
        }
        Level whole;
        whole.block = {0, 0, problem.query, problem.target, top, left};
        whole.grid = std::move(grid);
        if (whole.grid) whole.used_bytes = whole.grid->memory_bytes();
        PathFinder finder(problem, scheme, limits, sweeper, trace_backend, control);

        const bool traced_at_once = !whole.grid && rows() > 0 && columns() > 0;
        std::int32_t score_raw = 0;
        Cell end{rows(), columns()};
        if (problem.local && !whole.grid) return Alignment{};
        if (!traced_at_once) WARPSEQ_TRY(find_score(whole.grid.get(), end, score_raw));
        if (problem.local && score_raw == 0) return Alignment{};
        if (limits.score_only) return Alignment{score_raw, 0, 0, 0, 0, {}};
        if (problem.local) {
            const Result<Cell> found = finder.find_local_end(whole, score_raw);
            if (!found.ok()) return found.status();
            end = *found;
        }

        Alignment alignment;
        const Result<Cell> traced = finder.trace(std::move(whole), end, score_raw, alignment.runs);
        if (!traced.ok()) return traced.status();
        Cell begin = *traced;
        const auto add_gap = [&alignment](AlignmentOperation operation, std::uint64_t& residues) {
            if (residues == 0) return;
            alignment.runs.push_back({operation, residues});
            residues = 0;
        };
        if (begin.row == 0 && !problem.local && !problem.free_ends.target_begin) {
            add_gap(AlignmentOperation::kDelete, begin.column);
        }
        if (begin.column == 0 && !problem.local && !problem.free_ends.query_begin) {
            add_gap(AlignmentOperation::kInsert, begin.row);
        }
        if (alignment.runs.empty()) return Alignment{};
        std::reverse(alignment.runs.begin(), alignment.runs.end());
        alignment.query_begin = begin.row;
        alignment.query_end = end.row;
        alignment.target_begin = begin.column;
        alignment.target_end = end.column;
        alignment.score_raw = traced_at_once ? rescore(alignment, problem.query, problem.target, scheme) : score_raw;
        return alignment;
    }
};

PairMatrix::PairMatrix(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits,
                       const PairSweeper& sweeper)
    : state_(new State{problem, scheme, limits, {}, {}, {}}) {
    const std::uint64_t m = problem.query.size(), n = problem.target.size();
    state_->top = PairLine::beginning(n, scheme.gaps, problem.local || problem.free_ends.target_begin);
    state_->left = PairLine::beginning(m, scheme.gaps, problem.local || problem.free_ends.query_begin);
    if (!needs_sweep()) return;
    SweepTask& task = state_->task;
    task = {problem.query, problem.target, state_->top, state_->left, m, n};
    if (limits.score_only || cell_count(m, n) <= kTraceCells) return;
    const Steps steps = plan_grid(m, n, share_of(limits.grid_bytes), sweeper.row_granule(m, n), least_side(m, n));
    task.row_step = steps.row_step;
    task.column_step = steps.column_step;
}

PairMatrix::~PairMatrix() = default;
PairMatrix::PairMatrix(PairMatrix&&) noexcept = default;

bool PairMatrix::needs_sweep() const {
    const PairProblem& problem = state_->problem;
    if (problem.query.empty() || problem.target.empty() || state_->is_local_unswept()) return false;
    const bool end_is_known = !problem.local && !problem.free_ends.query_end && !problem.free_ends.target_end;
    return !end_is_known || state_->limits.score_only ||
           cell_count(problem.query.size(), problem.target.size()) > kTraceCells;
}

const SweepTask& PairMatrix::task() const { return state_->task; }

Result<std::int32_t> PairMatrix::score_raw(const PairGrid& grid) const {
    Cell end{};
    std::int32_t score_raw = 0;
    WARPSEQ_TRY(state_->find_score(&grid, end, score_raw));
    return score_raw;
}

Result<Alignment> PairMatrix::finish(std::unique_ptr<PairGrid> grid, PairSweeper& sweeper, CpuBackend trace_backend,
                                     const SweepControl& control) const {
    try {
        return state_->finish(std::move(grid), sweeper, trace_backend, control);
    } catch (const std::bad_alloc&) {
        return Status::out_of_memory("not enough memory to trace back the alignment of a pair");
    }
}

Result<Alignment> align_pair(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits,
                             PairSweeper& sweeper, CpuBackend trace_backend, const SweepControl& control) {
    WARPSEQ_TRY(check_pair_bounds(problem.query.size(), problem.target.size(), {scheme, problem.local}));
    try {
        const PairMatrix matrix(problem, scheme, limits, sweeper);
        std::unique_ptr<PairGrid> grid;
        if (matrix.needs_sweep()) {
            auto grids = sweeper.sweep({&matrix.task(), 1}, control);
            if (!grids.ok()) return grids.status();
            grid = std::move((*grids)[0]);
        }
        SweepControl finishing;
        finishing.stop = control.stop;
        return matrix.finish(std::move(grid), sweeper, trace_backend, finishing);
    } catch (const std::bad_alloc&) {
        return Status::out_of_memory("not enough memory for the alignment of a pair");
    }
}

}  // namespace warpseq
