// PairCheckpointFile: the file that `search pair --checkpoint` keeps, so that an interrupted
// alignment can continue.
//
// The file holds the finished rows of blocks of a pair's matrix. A row of blocks is called a band.
// The file stores a band as the row and column checkpoints that a sweep keeps of it
// (libcore/scoring/border_cell.h). The file only grows, one band at a time. The checksum of the
// last band is wrong if the program ended while it wrote the band. Such a band is ignored and
// written again.
//
//     header                    80 bytes: pair_checkpoint::Header.
//     band 0, 1, ...            One per row of blocks. The header's numbers give its size.
//         row checkpoint        columns + 1 cells of 8 bytes: the band's last row.
//         column checkpoints    for each column checkpoint, the cells of the band's rows.
//         maxima                local only: 4 bytes per block, padded to a multiple of 8 bytes.
//         checksum              8 bytes, the low half of XXH3-128 of the band's number
//                               (8 bytes) and all bytes of the band before.
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

/// The size of the matrix, and the steps in which checkpoints divide it
/// (kernels/pair/pair_sweep.h).
struct PairCheckpointShape {
    std::uint64_t rows = 0, columns = 0, row_step = 0, column_step = 0;
    bool local = false;  // whether there are maxima
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
    std::uint64_t identity[2];  // XXH3-128 of the data that identifies the problem, low and high half
    std::uint64_t reserved;     // 0
    std::uint64_t checksum;     // XXH3-64 of the bytes before
};
static_assert(sizeof(Header) == 80);

}  // namespace pair_checkpoint

/// A checkpoint file that is open for reading and writing. Reading is thread-safe while no band is
/// added. Errors name the file.
class PairCheckpointFile {
   public:
    /// The functions and data from which append() takes the checkpoints of a band; see PairGrid.
    struct Source {
        std::function<Status(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells)>
            read_row_checkpoint, read_column_checkpoint;
        std::span<const std::int32_t> maxima_raw;  // of the band's blocks
    };

    /// Opens a file and checks every band in it. If there is no file or an empty one, makes a new
    /// one with `shape`. `identity` is everything that scores depend on.
    ///
    /// Returns kInvalidInput, and leaves the file as it is, if the file is not a checkpoint or
    /// belongs to another problem. Returns kIo if the file cannot be opened, locked, read or
    /// written, or if another program is writing it. Returns kInterrupted if `stop` was requested.
    static Result<PairCheckpointFile> open(const std::filesystem::path& file,
                                           std::span<const std::span<const std::uint8_t>> identity,
                                           const PairCheckpointShape& shape, const std::stop_token& stop = {});
    ~PairCheckpointFile();
    PairCheckpointFile(PairCheckpointFile&&) noexcept;

    /// Returns the shape in the file. Its steps may differ from those given to open().
    const PairCheckpointShape& shape() const;
    /// Returns the number of finished rows of blocks.
    std::uint64_t bands() const;
    /// Adds the row of blocks with number bands(). Reads row checkpoint bands() from `source`, and
    /// those cells of all column checkpoints that are in the band's rows. Row numbers count from
    /// the first row of the whole matrix.
    Status append(const Source& source);

    /// Fills `cells` with the cells of row checkpoint `index` from column `first` on. `index` is
    /// less than bands().
    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const;
    /// Fills `cells` with the cells of column checkpoint `index` from row `first` on. The rows must
    /// be within 1 .. bands() * row_step.
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const;
    /// Returns the maxima of all blocks of the finished bands. Empty unless the alignment is local.
    std::span<const std::int32_t> maxima_raw() const;

   private:
    struct State;
    explicit PairCheckpointFile(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
