// Fills the blocks of a grid in which some pairs are forbidden.
//
// Blocks depend on each other only through the checkpoints between them, so they are filled wave by
// wave. The blocks of a wave lie on a diagonal from the lower left to the upper right. The blocks
// above and left of them were filled in earlier waves. A filled block marks the block below it if
// its last row has changed, the block right of it if its last column has changed, and the block to
// the lower right if its last cell has changed.
#include "kernels/pair/pair_sweep_forbidden.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

namespace warpseq {
namespace {

// Blocks with forbidden pairs are cut into this many parts each way, of this side at least, until
// they have few cells.
constexpr std::uint64_t kPartsEachWay = 8, kLeastSide = 64;
constexpr std::uint64_t kPlainCells = std::uint64_t{128} * 128;

std::uint64_t step_of(std::uint64_t residues) {
    const std::uint64_t parts = std::clamp<std::uint64_t>(residues / kLeastSide, 1, kPartsEachWay);
    return (residues + parts - 1) / parts;
}

PairArea area_of(const SweepTask& task) {
    return {task.first_row, task.first_column, task.query.size(), task.target.size()};
}

// Replaces the cells of a checkpoint behind cell `first` by those of `cells` behind its cell 0.
// Returns whether they have changed.
bool replace(std::span<BorderCell> line, std::uint64_t first, std::span<const BorderCell> cells) {
    const auto old = line.subspan(first + 1, cells.size() - 1);
    if (std::equal(old.begin(), old.end(), cells.begin() + 1)) return false;
    std::copy(cells.begin() + 1, cells.end(), old.begin());
    return true;
}

}  // namespace

/// A block of a grid while it is filled, with its row 0 and column 0.
struct ForbiddingPairSweeper::Piece {
    std::uint64_t row_block, column_block;
    std::vector<BorderCell> top{}, left{};
    SweepTask task{};  // its grid is the block's last row and last column
    bool changes_below = false, changes_right = false, changes_corner = false;

    Piece(const SweepTask& outer, std::uint64_t at_row_block, std::uint64_t at_column_block)
        : row_block(at_row_block), column_block(at_column_block) {
        const std::uint64_t row = row_block * outer.row_step, column = column_block * outer.column_step;
        task.query = outer.query.subspan(row, std::min(outer.row_step, outer.query.size() - row));
        task.target = outer.target.subspan(column, std::min(outer.column_step, outer.target.size() - column));
        task.first_row = outer.first_row + row;
        task.first_column = outer.first_column + column;
        task.row_step = task.query.size();
        task.column_step = task.target.size();
        task.reached_raw = SweepTask::kNoPruning;
    }
    std::uint64_t cells() const { return cell_count(task.query.size(), task.target.size()); }

    /// Reads the block's row 0 and column 0. Called after the blocks above and left of it have been
    /// filled.
    void read_lines(const SweepTask& outer, HostPairGrid& grid) {
        const std::uint64_t row = row_block * outer.row_step, column = column_block * outer.column_step;
        top.resize(task.target.size() + 1);
        left.resize(task.query.size() + 1);
        if (row_block == 0) {
            outer.top.copy(column, top);
        } else {
            const auto line = grid.row_checkpoint(row_block - 1).subspan(column, top.size());
            std::copy(line.begin(), line.end(), top.begin());
        }
        if (column_block == 0) {
            outer.left.copy(row, left);
        } else {
            const auto line = grid.column_checkpoint(column_block - 1).subspan(row, left.size());
            std::copy(line.begin(), line.end(), left.begin());
        }
        left[0].h = top[0].h;
        task.top = top;
        task.left = left;
    }

    /// Stores the block's last row and column, from cell 0 on, and its highest score in the grid.
    /// Frees its row 0 and column 0.
    void store(HostPairGrid& grid, std::span<const BorderCell> below, std::span<const BorderCell> right,
               std::int32_t maximum_raw) {
        const auto row = grid.row_checkpoint(row_block);
        const auto column = grid.column_checkpoint(column_block);
        const std::uint64_t first_row = row_block * grid.row_step(), first_column = column_block * grid.column_step();
        const std::int32_t corner_before_raw = row[first_column + task.target.size()].h;
        changes_below = replace(row, first_column, below);
        changes_right = replace(column, first_row, right);
        changes_corner = below.back().h != corner_before_raw;
        grid.maxima_raw()[row_block * grid.column_blocks() + column_block] = maximum_raw;
        top = {};
        left = {};
    }
    Status store(HostPairGrid& grid, const PairGrid& filled) {
        std::vector<BorderCell> below(task.target.size() + 1), right(task.query.size() + 1);
        WARPSEQ_TRY(filled.read_row_checkpoint(filled.row_blocks() - 1, 0, below));
        WARPSEQ_TRY(filled.read_column_checkpoint(filled.column_blocks() - 1, 0, right));
        store(grid, below, right, *std::ranges::max_element(filled.block_maxima_raw()));
        return {};
    }
};

ForbiddingPairSweeper::ForbiddingPairSweeper(const PairScoring& scoring, const ForbiddenPairs& forbidden,
                                             PairSweeper& sweeper, std::uint64_t least_cells, CpuBackend backend,
                                             const ThreadPool& pool)
    : scoring_(scoring), forbidden_(forbidden), sweeper_(sweeper), least_cells_(least_cells), pool_(pool) {
    assert(scoring.local);
    for (unsigned thread = 0; thread < pool.threads(); ++thread) {
        single_threads_.push_back(std::make_unique<ThreadPool>(1));
        narrow_.push_back(make_cpu_pair_sweeper(backend, scoring, *single_threads_.back()));
    }
}

std::uint64_t ForbiddingPairSweeper::row_granule(std::uint64_t rows, std::uint64_t columns) const {
    return sweeper_.row_granule(rows, columns);
}
std::uint64_t ForbiddingPairSweeper::side_by_side(std::uint64_t rows, std::uint64_t columns) const {
    return sweeper_.side_by_side(rows, columns);
}

bool ForbiddingPairSweeper::has_forbidden(const SweepTask& task) const { return forbidden_.meets(area_of(task)); }

Result<std::vector<std::unique_ptr<PairGrid>>> ForbiddingPairSweeper::sweep(std::span<const SweepTask> tasks,
                                                                            const SweepControl& control) {
    try {
        std::vector<std::unique_ptr<PairGrid>> grids(tasks.size());
        std::vector<SweepTask> plain;
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            SweepTask task = tasks[k];
            task.reached_raw = SweepTask::kNoPruning;
            if (!has_forbidden(task)) {
                plain.push_back(task);
                continue;
            }
            auto grid = std::make_unique<HostPairGrid>(task, scoring_.local);
            std::vector<std::uint8_t> waiting(grid->row_blocks() * grid->column_blocks(), 1);
            WARPSEQ_TRY(fill(task, *grid, waiting, kAllThreads, control));
            grids[k] = std::move(grid);
        }
        if (plain.empty()) return grids;
        auto filled = sweeper_.sweep(plain, control);
        if (!filled.ok()) return filled.status();
        auto next = filled->begin();
        for (auto& grid : grids) {
            if (!grid) grid = std::move(*next++);
        }
        return grids;
    } catch (const std::bad_alloc&) {
        return Status::out_of_memory("not enough memory for rows and columns of a pair's matrix");
    }
}

Status ForbiddingPairSweeper::fill_again(const SweepTask& task, HostPairGrid& grid, std::vector<std::uint8_t>& waiting,
                                         const SweepControl& control) {
    try {
        return fill(task, grid, waiting, kAllThreads, control);
    } catch (const std::bad_alloc&) {
        return Status::out_of_memory("not enough memory for rows and columns of a pair's matrix");
    }
}

Status ForbiddingPairSweeper::fill(const SweepTask& task, HostPairGrid& grid, std::vector<std::uint8_t>& waiting,
                                   unsigned thread, const SweepControl& control) {
    assert(grid.row_step() == task.row_step && grid.column_step() == task.column_step);
    const std::uint64_t row_blocks = grid.row_blocks(), column_blocks = grid.column_blocks();
    const auto wait = [&](std::uint64_t row_block, std::uint64_t column_block) {
        if (row_block < row_blocks && column_block < column_blocks)
            waiting[row_block * column_blocks + column_block] = 1;
    };
    const bool all_threads = thread == kAllThreads;
    SweepControl silent;
    silent.stop = control.stop;
    for (std::uint64_t wave = 0; wave + 1 < row_blocks + column_blocks; ++wave) {
        std::vector<Piece> pieces;
        for (std::uint64_t row_block = wave - std::min(wave, column_blocks - 1);
             row_block <= std::min(wave, row_blocks - 1); ++row_block) {
            std::uint8_t& waits = waiting[row_block * column_blocks + wave - row_block];
            if (std::exchange(waits, std::uint8_t{0}) != 0) pieces.emplace_back(task, row_block, wave - row_block);
        }
        if (pieces.empty()) continue;
        if (control.stop.stop_requested()) return Status::interrupted();

        // Blocks for the sweeper come first, then large ones that are cut, then those that take a
        // thread each.
        const auto is_large = [&](const Piece& piece) { return all_threads && piece.cells() >= least_cells_; };
        const auto cut = std::partition(pieces.begin(), pieces.end(), [&](const Piece& piece) {
            return is_large(piece) && !has_forbidden(piece.task);
        });
        const auto small = std::partition(cut, pieces.end(), is_large);
        for (auto first = pieces.begin(); first != cut;) {
            const std::uint64_t at_once =
                std::max<std::uint64_t>(1, sweeper_.side_by_side(task.row_step, task.column_step));
            const auto end = first + std::min<std::ptrdiff_t>(cut - first, static_cast<std::ptrdiff_t>(at_once));
            std::vector<SweepTask> tasks;
            for (auto piece = first; piece != end; ++piece) {
                piece->read_lines(task, grid);
                tasks.push_back(piece->task);
            }
            auto filled = sweeper_.sweep(tasks, control);
            if (!filled.ok()) return filled.status();
            for (const auto& part : *filled) WARPSEQ_TRY((first++)->store(grid, *part));
        }
        for (auto piece = cut; piece != small; ++piece) {
            WARPSEQ_TRY(fill_piece(task, grid, *piece, kAllThreads, control));
        }
        if (!all_threads || pieces.end() - small < 2) {
            for (auto piece = small; piece != pieces.end(); ++piece) {
                WARPSEQ_TRY(fill_piece(task, grid, *piece, all_threads ? 0 : thread, silent));
            }
        } else {
            const auto count = static_cast<std::uint64_t>(pieces.end() - small);
            WARPSEQ_TRY(pool_.parallel_for(count, [&](std::uint64_t index, unsigned by_thread) {
                return fill_piece(task, grid, small[static_cast<std::ptrdiff_t>(index)], by_thread, silent);
            }));
        }
        if (all_threads && control.progress && small != pieces.end()) {
            control.progress(
                std::accumulate(small, pieces.end(), std::uint64_t{0},
                                [](std::uint64_t cells, const Piece& piece) { return cells + piece.cells(); }));
        }
        for (const Piece& piece : pieces) {
            if (piece.changes_below) wait(piece.row_block + 1, piece.column_block);
            if (piece.changes_right) wait(piece.row_block, piece.column_block + 1);
            if (piece.changes_corner) wait(piece.row_block + 1, piece.column_block + 1);
        }
    }
    return {};
}

// Fills a block by one thread, or by all of them if the block is large.
Status ForbiddingPairSweeper::fill_piece(const SweepTask& task, HostPairGrid& grid, Piece& piece, unsigned thread,
                                         const SweepControl& control) {
    piece.read_lines(task, grid);
    if (!has_forbidden(piece.task)) {
        auto filled = narrow_[thread]->sweep({&piece.task, 1}, control);
        return filled.ok() ? piece.store(grid, *filled->front()) : filled.status();
    }
    SweepTask inner = piece.task;
    if (piece.cells() <= kPlainCells) {
        HostPairGrid filled(inner, scoring_.local);
        fill_plainly(inner, filled);
        return piece.store(grid, filled);
    }
    inner.row_step = step_of(inner.query.size());
    inner.column_step = step_of(inner.target.size());
    HostPairGrid filled(inner, scoring_.local);
    std::vector<std::uint8_t> waiting(filled.row_blocks() * filled.column_blocks(), 1);
    WARPSEQ_TRY(fill(inner, filled, waiting, thread, control));
    return piece.store(grid, filled);
}

void ForbiddingPairSweeper::fill_plainly(const SweepTask& task, HostPairGrid& grid) const {
    constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::min() / 2;
    const std::size_t m = task.query.size(), n = task.target.size();
    const std::int32_t extend = scoring_.scheme.gaps.extend, first = scoring_.scheme.gaps.first();
    std::vector<std::uint8_t> forbidden(m * n);
    forbidden_.mark(area_of(task), forbidden);
    const std::span<BorderCell> row = grid.row_checkpoint(0), column = grid.column_checkpoint(0);
    const std::int32_t left_of_last_row_raw = row[0].h;
    task.top.copy(0, row);  // H(i - 1, j) and F(i, j), overwritten by H(i, j) and F(i + 1, j)
    std::int32_t maximum_raw = 0;
    for (std::size_t i = 1; i <= m; ++i) {
        const SubstitutionMatrix::Row& scores = scoring_.scheme.matrix.row(task.query[i - 1]);
        const std::uint8_t* const is_forbidden = forbidden.data() + (i - 1) * n;
        std::int32_t diagonal = row[0].h, e = task.left[i].gap;
        row[0].h = task.left[i].h;
        for (std::size_t j = 1; j <= n; ++j) {
            BorderCell& cell = row[j];
            const std::int32_t match = is_forbidden[j - 1] != 0 ? kNever : diagonal + scores[task.target[j - 1]];
            const std::int32_t h = std::max(std::max(match, 0), std::max(e, cell.gap));
            diagonal = cell.h;
            e = std::max(e - extend, h - first);
            cell = {h, std::max(cell.gap - extend, h - first)};
            maximum_raw = std::max(maximum_raw, h);
        }
        column[i] = {row[n].h, e};
    }
    row[0] = {left_of_last_row_raw, 0};
    grid.maxima_raw()[0] = maximum_raw;
}

}  // namespace warpseq
