// Fuzz target: hostile checkpoints of pairs. Opening must not crash or ask for absurd memory.
// Accepted bands can be read in full. One more band can be written after them and is read back.
// Checksums would make nearly every change fail at once, so each input is tried twice: as it is,
// and with the checksums of the header and of the bands corrected.
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/pair_checkpoint_file.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;
using pair_checkpoint::Header;

// The problem of the seeds, which are local and global.
constexpr std::uint64_t kRows = 25, kColumns = 30;
constexpr std::string_view kProblem = "a problem";

// Returns the size of a band. formats/io/pair_checkpoint_file.h defines its parts: row checkpoint,
// column checkpoints, maxima and checksum.
std::uint64_t band_bytes(const PairCheckpointShape& shape, std::uint64_t rows) {
    const std::uint64_t maxima_bytes = shape.local ? (shape.column_blocks() * 4 + 7) / 8 * 8 : 0;
    return (shape.columns + 1) * 8 + shape.column_blocks() * rows * 8 + maxima_bytes + 8;
}

/// Corrects the header's checksum and identity, and the checksums of all bands.
void put_right(std::vector<std::uint8_t>& bytes) {
    Header header;
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::copy_n(pair_checkpoint::kMagic, sizeof header.magic, header.magic);
    header.version = pair_checkpoint::kVersion;
    header.local &= 1;
    header.reserved = 0;
    header.rows = kRows;
    header.columns = kColumns;
    std::vector<std::uint8_t> identity(8 + kProblem.size());
    identity[0] = static_cast<std::uint8_t>(kProblem.size());
    std::copy(kProblem.begin(), kProblem.end(), identity.begin() + 8);
    const XXH128_hash_t digest = XXH3_128bits(identity.data(), identity.size());
    header.identity[0] = digest.low64;
    header.identity[1] = digest.high64;
    header.checksum = XXH3_64bits(&header, offsetof(Header, checksum));
    std::memcpy(bytes.data(), &header, sizeof header);
    const PairCheckpointShape shape{kRows, kColumns, header.row_step, header.column_step, header.local != 0};
    if (shape.row_step == 0 || shape.row_step > kRows || shape.column_step == 0 || shape.column_step > kColumns) return;
    std::uint64_t offset = sizeof header;
    for (std::uint64_t band = 0; band < shape.row_blocks(); ++band) {
        const std::uint64_t size = band_bytes(shape, std::min(shape.row_step, kRows - band * shape.row_step));
        if (bytes.size() - offset < size) return;
        std::vector<std::uint8_t> hashed(8 + size - 8);
        hashed[0] = static_cast<std::uint8_t>(band);
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), size - 8, hashed.begin() + 8);
        const std::uint64_t checksum = XXH3_128bits(hashed.data(), hashed.size()).low64;
        std::memcpy(bytes.data() + offset + size - 8, &checksum, sizeof checksum);
        offset += size;
    }
}

BorderCell cell_of(std::uint64_t index, std::uint64_t k) {
    return {static_cast<std::int32_t>(100 * index + k), -static_cast<std::int32_t>(k)};
}

// Everything that the file says it has.
void read_all(const PairCheckpointFile& file) {
    const PairCheckpointShape& shape = file.shape();
    require(shape.row_step >= 1 && shape.row_step <= kRows && shape.column_step >= 1 && shape.column_step <= kColumns,
            "blocks lie within the matrix");
    require(file.bands() <= shape.row_blocks(), "there are no more bands than rows of blocks");
    require(file.maxima_raw().size() == (shape.local ? file.bands() * shape.column_blocks() : 0),
            "there is a maximum for every block");
    std::vector<BorderCell> cells(kColumns + 1);
    for (std::uint64_t index = 0; index < file.bands(); ++index) {
        require(file.read_row_checkpoint(index, 0, cells).ok(), "row checkpoints of bands can be read");
    }
    cells.resize(std::min(kRows, file.bands() * shape.row_step));
    for (std::uint64_t index = 0; index < shape.column_blocks(); ++index) {
        require(file.read_column_checkpoint(index, 1, cells).ok(), "column checkpoints of bands can be read");
    }
}

void append_and_read(PairCheckpointFile& file) {
    const PairCheckpointShape& shape = file.shape();
    const std::uint64_t band = file.bands();
    if (band == shape.row_blocks()) return;
    PairCheckpointFile::Source source;
    source.read_row_checkpoint = source.read_column_checkpoint = [](std::uint64_t index, std::uint64_t first,
                                                                    std::span<BorderCell> cells) -> Status {
        for (std::uint64_t k = 0; k < cells.size(); ++k) cells[k] = cell_of(index, first + k);
        return {};
    };
    const std::vector<std::int32_t> maxima_raw(shape.local ? shape.column_blocks() : 0, 7);
    source.maxima_raw = maxima_raw;
    require(file.append(source).ok() && file.bands() == band + 1, "a band can be added");
    std::vector<BorderCell> cells(kColumns + 1);
    require(file.read_row_checkpoint(band, 0, cells).ok(), "it can be read");
    for (std::uint64_t k = 0; k < cells.size(); ++k)
        require(cells[k] == cell_of(band, k), "its row checkpoint comes back");
    const std::uint64_t first = band * shape.row_step + 1;
    cells.resize(std::min(shape.row_step, kRows - band * shape.row_step));
    for (std::uint64_t index = 0; index < shape.column_blocks(); ++index) {
        require(file.read_column_checkpoint(index, first, cells).ok(), "it can be read");
        for (std::uint64_t k = 0; k < cells.size(); ++k) {
            require(cells[k] == cell_of(index, first + k), "its column checkpoints come back");
        }
    }
    read_all(file);
}

void try_bytes(const std::vector<std::uint8_t>& bytes) {
    const std::span<const std::uint8_t> identity{reinterpret_cast<const std::uint8_t*>(kProblem.data()),
                                                 kProblem.size()};
    for (const bool local : {false, true}) {
        const MemoryFile input(text_of(bytes.data(), bytes.size()));
        const std::string path = input.path();
        std::uint64_t bands = 0;
        for (int round = 0; round < 2; ++round) {
            auto file = PairCheckpointFile::open(path, {&identity, 1}, {kRows, kColumns, 10, 8, local});
            if (!file.ok()) {
                require(round == 0 && !file.status().message().empty(), "only what is hostile is refused, with words");
                break;
            }
            require(round == 0 || file->bands() >= bands, "what was added is there when the file is opened again");
            read_all(*file);
            append_and_read(*file);
            bands = file->bands();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> bytes(data, data + size);
    try_bytes(bytes);
    put_right(bytes);
    try_bytes(bytes);
    return 0;
}
