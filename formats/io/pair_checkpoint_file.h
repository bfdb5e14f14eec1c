// The file that `search pair --checkpoint` keeps: the finished rows of blocks of a pair's matrix,
// as the row and column checkpoints that a sweep keeps of them (libcore/scoring/border_cell.h), so
// that an interrupted alignment goes on from the last one. It only grows, a band at a time; a band
// that was cut short by whatever ended the program is found by its checksum, ignored and written
// again.
//
//     header                    80 bytes: pair_checkpoint::Header
//     band 0, 1, ...            one per row of blocks; its size follows from the header's numbers:
//         row checkpoint        columns + 1 cells of 8 bytes: the band's last row
//         column checkpoints    for each column checkpoint the band's rows' cells
//         maxima                local: 4 bytes per block, a multiple of 8 in all
//         checksum              8 bytes, low half of XXH3-128 of the band's number (8 bytes) and all its bytes before
//
// All numbers are little-endian.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/scoring/border_cell.h"

namespace warpseq {

/// The matrix and how checkpoints cut it; see kernels/pair/pair_sweep.h.
struct PairCheckpointShape {
    std::uint64_t rows = 0, columns = 0, row_step = 0, column_step = 0;
    bool local = false;  // there are maxima
    bool operator==(const PairCheckpointShape&) const = default;

    std::uint64_t row_blocks() const { return (rows + row_step - 1) / row_step; }
    std::uint64_t column_blocks() const { return (columns + column_step - 1) / column_step; }
};

namespace pair_checkpoint {

static_assert(std::endian::native == std::endian::little, "cells are written as they stand in memory");

inline constexpr char kMagic[8] = {'w', 's', 'p', 'a', 'i', 'r', 'c', 'p'};
inline constexpr std::uint32_t kVersion = 1;

struct Header {
    char magic[8];
    std::uint32_t version;
    std::uint32_t local;  // 0 or 1
    std::uint64_t rows, columns, row_step, column_step;
    std::uint64_t identity[2];  // XXH3-128 of what tells the problem, low and high half
    std::uint64_t reserved;     // 0
    std::uint64_t checksum;     // XXH3-64 of the bytes before
};
static_assert(sizeof(Header) == 80);

}  // namespace pair_checkpoint

/// Reading is thread-safe while no band is added. Errors name the file.
class PairCheckpointFile {
   public:
    /// Where the checkpoints of a band to write come from; see PairGrid.
    struct Source {
        std::function<Status(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells)>
            read_row_checkpoint, read_column_checkpoint;
        std::span<const std::int32_t> maxima_raw;  // of the band's blocks
    };

    /// Continues a file, every band of which is checked, or makes a new one with `shape` if there
    /// is none or an empty one. `identity` is everything that scores depend on. kInvalidInput: no
    /// checkpoint, or of another problem, which it leaves as it is; kIo: cannot be opened, locked,
    /// read or written, or another program writes it; kInterrupted: `stop`, if there is one, became
    /// true.
    static Result<PairCheckpointFile> open(const std::filesystem::path& file,
                                           std::span<const std::span<const std::uint8_t>> identity,
                                           const PairCheckpointShape& shape, const std::stop_token& stop = {});
    ~PairCheckpointFile();
    PairCheckpointFile(PairCheckpointFile&&) noexcept;

    /// The file's own, whose steps may be others than those asked for.
    const PairCheckpointShape& shape() const;
    /// Finished rows of blocks.
    std::uint64_t bands() const;
    /// Adds row of blocks bands(). Of `source` it reads row checkpoint bands(), and of column
    /// checkpoints the band's rows, counted from the first of the whole matrix.
    Status append(const Source& source);

    /// Cells of row checkpoint `index` < bands().
    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const;
    /// Cells of a column checkpoint, within rows 1 .. bands() * row_step.
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const;
    /// Of all blocks of the finished bands; empty unless local.
    std::span<const std::int32_t> maxima_raw() const;

   private:
    struct State;
    explicit PairCheckpointFile(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
