// Sweeps that go on from a checkpoint. The rows in the file and the rows that were filled last are
// grids of different kinds. A StackedGrid shows them as one.
#include "engines/pair/checkpoint.h"

#include <algorithm>
#include <array>
#include <stop_token>
#include <utility>
#include <vector>

namespace warpseq {
namespace {

// Rows of blocks for a task that has none to go on from.
constexpr std::uint64_t kRowBlocks = 16;

// The finished rows of blocks in a file.
class StoredGrid final : public PairGrid {
   public:
    StoredGrid(std::shared_ptr<const PairCheckpointFile> file, std::uint64_t rows)
        : PairGrid(rows, file->shape().columns, file->shape().row_step, file->shape().column_step),
          file_(std::move(file)) {}

    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override {
        return file_->read_row_checkpoint(index, first, cells);
    }
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                  std::span<BorderCell> cells) const override {
        return file_->read_column_checkpoint(index, first, cells);
    }
    std::span<const std::int32_t> block_maxima_raw() const override {
        return file_->shape().local ? file_->maxima_raw().first(row_blocks() * column_blocks()) : file_->maxima_raw();
    }
    std::uint64_t memory_bytes() const override { return 0; }

   private:
    std::shared_ptr<const PairCheckpointFile> file_;
};

// Grids that stand one below the other. All have the same steps and whole rows of blocks, except
// the last one.
class StackedGrid final : public PairGrid {
   public:
    // `top` is row 0 of the whole matrix.
    StackedGrid(std::uint64_t rows, std::uint64_t columns, std::uint64_t row_step, std::uint64_t column_step,
                const PairLine& top, std::vector<std::unique_ptr<PairGrid>> parts)
        : PairGrid(rows, columns, row_step, column_step), top_(top), parts_(std::move(parts)) {
        for (const auto& part : parts_) {
            const std::span<const std::int32_t> maxima_raw = part->block_maxima_raw();
            maxima_raw_.insert(maxima_raw_.end(), maxima_raw.begin(), maxima_raw.end());
        }
    }

    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override {
        std::size_t part = 0;
        for (; index >= parts_[part]->row_blocks(); ++part) index -= parts_[part]->row_blocks();
        return parts_[part]->read_row_checkpoint(index, first, cells);
    }
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                  std::span<BorderCell> cells) const override {
        if (!cells.empty() && first == 0) {
            cells[0] = {top_[std::min(columns(), (index + 1) * column_step())].h, 0};
            cells = cells.subspan(1);
            first = 1;
        }
        for (std::size_t part = 0; !cells.empty(); first -= parts_[part]->rows(), ++part) {
            if (first > parts_[part]->rows()) continue;
            const std::uint64_t count = std::min<std::uint64_t>(cells.size(), parts_[part]->rows() + 1 - first);
            WARPSEQ_TRY(parts_[part]->read_column_checkpoint(index, first, cells.first(count)));
            cells = cells.subspan(count);
            first += count;
        }
        return {};
    }
    std::span<const std::int32_t> block_maxima_raw() const override { return maxima_raw_; }
    std::uint64_t memory_bytes() const override {
        std::uint64_t bytes = 0;
        for (const auto& part : parts_) bytes += part->memory_bytes();
        return bytes;
    }

   private:
    PairLine top_;
    std::vector<std::unique_ptr<PairGrid>> parts_;
    std::vector<std::int32_t> maxima_raw_;
};

template <typename T>
std::span<const std::uint8_t> bytes_of(const T& values) {
    return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(values[0])};
}

}  // namespace

Result<PairCheckpoint> PairCheckpoint::open(const std::filesystem::path& file, const PairProblem& problem,
                                            const ScoringScheme& scheme, const SweepTask& task,
                                            const PairSweeper& sweeper, std::uint64_t memory_bytes,
                                            const std::stop_token& stop) {
    const std::array<int, 7> numbers{scheme.gaps.open,
                                     scheme.gaps.extend,
                                     problem.local,
                                     problem.free_ends.query_begin,
                                     problem.free_ends.query_end,
                                     problem.free_ends.target_begin,
                                     problem.free_ends.target_end};
    const std::array<std::span<const std::uint8_t>, 4> identity{bytes_of(problem.query), bytes_of(problem.target),
                                                                bytes_of(scheme.matrix.table()), bytes_of(numbers)};
    const std::uint64_t m = task.query.size(), n = task.target.size();
    PairCheckpointShape shape{m, n, task.row_step, task.column_step, problem.local};
    if (shape.row_step >= m) {
        const std::uint64_t granule = sweeper.row_granule(m, n);
        shape.row_step = std::min(m, (m / kRowBlocks / granule + 1) * granule);
    }
    auto opened = PairCheckpointFile::open(file, identity, shape, stop);
    if (!opened.ok()) return opened.status();
    SweepTask whole = task;
    whole.row_step = opened->shape().row_step;
    whole.column_step = opened->shape().column_step;
    memory_bytes = std::max(memory_bytes, grid_bytes(m, n, task.row_step, task.column_step));
    PairCheckpoint checkpoint(std::make_shared<PairCheckpointFile>(std::move(*opened)), whole, memory_bytes);
    const std::uint64_t band_bytes = checkpoint.bytes_of_rows(std::min(m, whole.row_step));
    if (checkpoint.cells_done() < m * n && band_bytes > memory_bytes) {
        const auto shown = [](std::uint64_t bytes) { return std::to_string(bytes >> 10) + " KiB"; };
        return Status::unavailable(file.string() + ": a row of its blocks needs " + shown(band_bytes) +
                                   " of memory, but this run may use " + shown(memory_bytes) +
                                   "; allow more memory, or start again with another file");
    }
    return checkpoint;
}

std::uint64_t PairCheckpoint::cells_done() const {
    return std::min<std::uint64_t>(task_.query.size(), file_->bands() * task_.row_step) * task_.target.size();
}

// Returns the bytes of the checkpoints of a sweep of `rows` rows.
std::uint64_t PairCheckpoint::bytes_of_rows(std::uint64_t rows) const {
    return grid_bytes(rows, task_.target.size(), std::min(rows, task_.row_step), task_.column_step);
}

// Returns the rows for one sweep: as many rows of blocks as fit, or just one if the device's row
// steps do not divide the file's.
std::uint64_t PairCheckpoint::rows_at_once(const PairSweeper& sweeper, std::uint64_t rows_left) const {
    const std::uint64_t row_step = std::min(task_.row_step, rows_left);
    const std::uint64_t columns = task_.target.size();
    std::uint64_t rows = rows_left;
    if (bytes_of_rows(rows) > memory_bytes_) {
        const std::uint64_t first_bytes = bytes_of_rows(row_step);
        const std::uint64_t more_bytes = first_bytes - file_->shape().column_blocks() * sizeof(BorderCell);
        const std::uint64_t more = (memory_bytes_ - std::min(memory_bytes_, first_bytes)) / more_bytes;
        rows = std::min(rows_left, (1 + more) * row_step);
    }
    return task_.row_step % sweeper.row_granule(rows, columns) == 0 ? rows : row_step;
}

Result<std::unique_ptr<PairGrid>> PairCheckpoint::sweep(PairSweeper& sweeper, const SweepControl& control) {
    const std::uint64_t m = task_.query.size(), n = task_.target.size();
    const std::uint64_t column_blocks = file_->shape().column_blocks();
    std::unique_ptr<PairGrid> filled;
    std::vector<BorderCell> last_line;
    std::uint64_t row = std::min(m, file_->bands() * task_.row_step);  // rows that are done
    while (row < m) {
        filled.reset();
        const std::uint64_t rows = rows_at_once(sweeper, m - row);
        SweepTask task = task_;
        task.query = task_.query.subspan(row, rows);
        task.left = task_.left.subspan(row, rows + 1);
        task.row_step = std::min(task_.row_step, rows);
        task.rows_beyond = m - row - rows;
        if (row > 0) {
            last_line.resize(n + 1);
            WARPSEQ_TRY(file_->read_row_checkpoint(file_->bands() - 1, 0, last_line));
            task.top = last_line;
        }
        for (const std::int32_t reached_raw : file_->maxima_raw())
            task.reached_raw = std::max(task.reached_raw, reached_raw);

        const std::uint64_t bands_before = file_->bands();
        const auto keep = [&](const PairGrid& grid, std::uint64_t row_blocks) -> Status {
            while (file_->bands() < bands_before + row_blocks) {
                const std::uint64_t block_row = file_->bands() - bands_before;
                PairCheckpointFile::Source source;
                source.read_row_checkpoint = [&](std::uint64_t index, std::uint64_t first,
                                                 std::span<BorderCell> cells) {
                    return grid.read_row_checkpoint(index - bands_before, first, cells);
                };
                source.read_column_checkpoint = [&](std::uint64_t index, std::uint64_t first,
                                                    std::span<BorderCell> cells) {
                    return grid.read_column_checkpoint(index, first - row, cells);
                };
                if (!grid.block_maxima_raw().empty()) {
                    source.maxima_raw = grid.block_maxima_raw().subspan(block_row * column_blocks, column_blocks);
                }
                WARPSEQ_TRY(file_->append(source));
            }
            return {};
        };
        SweepControl keeping = control;
        keeping.rows_done = keep;
        auto grids = sweeper.sweep({&task, 1}, keeping);
        if (!grids.ok()) return grids.status();
        filled = std::move((*grids)[0]);
        WARPSEQ_TRY(keep(*filled, filled->row_blocks()));
        row += rows;
    }
    // Tracing back needs memory, too. The file has everything that is freed here.
    if (filled && filled->memory_bytes() > memory_bytes_ / 4 * 3) filled.reset();
    std::vector<std::unique_ptr<PairGrid>> parts;
    const std::uint64_t stored_rows = filled ? m - filled->rows() : m;
    if (stored_rows > 0) parts.push_back(std::make_unique<StoredGrid>(file_, stored_rows));
    if (filled) parts.push_back(std::move(filled));
    return std::unique_ptr<PairGrid>(
        std::make_unique<StackedGrid>(m, n, task_.row_step, task_.column_step, task_.top, std::move(parts)));
}

}  // namespace warpseq
