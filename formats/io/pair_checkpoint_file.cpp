// PairCheckpointFile. The header file describes the layout of the file.
#include "formats/io/pair_checkpoint_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <stop_token>
#include <string>
#include <utility>

#include "formats/io/xxh3_state.h"

namespace warpseq {
namespace {

using pair_checkpoint::Header;
using pair_checkpoint::kMagic;
using pair_checkpoint::kVersion;

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kPieceCells = kPieceBytes / sizeof(BorderCell);
// These keep offsets within the file's 63 bits.
constexpr std::uint64_t kMostResidues = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62, kMostBandCells = kMostBytes / 32;

class Hash {
   public:
    Hash() { XXH3_128bits_reset(state_.get()); }
    void add(std::span<const std::uint8_t> bytes) { XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()); }
    void add(std::uint64_t number) { XXH3_128bits_update(state_.get(), &number, sizeof number); }
    XXH128_hash_t digest() const { return XXH3_128bits_digest(state_.get()); }

   private:
    Xxh3State state_ = make_xxh3_state();
};

std::uint64_t checksum_of(const Header& header) { return XXH3_64bits(&header, offsetof(Header, checksum)); }

}  // namespace

struct PairCheckpointFile::State {
    std::filesystem::path file;
    int descriptor = -1;
    PairCheckpointShape shape;
    std::uint64_t bands = 0;
    std::vector<std::int32_t> maxima_raw;

    ~State() {
        if (descriptor >= 0) close(descriptor);
    }

    std::uint64_t band_rows(std::uint64_t band) const {
        return std::min(shape.row_step, shape.rows - band * shape.row_step);
    }
    std::uint64_t row_checkpoint_bytes() const { return (shape.columns + 1) * sizeof(BorderCell); }
    std::uint64_t maxima_bytes() const {
        return shape.local ? (shape.column_blocks() * sizeof(std::int32_t) + 7) / 8 * 8 : 0;
    }
    std::uint64_t band_bytes(std::uint64_t rows) const {
        return row_checkpoint_bytes() + shape.column_blocks() * rows * sizeof(BorderCell) + maxima_bytes() +
               sizeof(std::uint64_t);
    }
    std::uint64_t band_offset(std::uint64_t band) const { return sizeof(Header) + band * band_bytes(shape.row_step); }

    Status fails_to(const char* what, int error) const {
        std::string advice;
        if (error == ENOSPC || error == EDQUOT) advice = "; free some space, or put the checkpoint elsewhere";
        if (error == EFBIG) advice = "; the limit on the size of files has been reached";
        return Status::io(file.string() + ": cannot " + what + " the checkpoint: " + std::strerror(error) + advice);
    }

    Status write_at(std::uint64_t offset_bytes, std::span<const std::uint8_t> bytes) const {
        while (!bytes.empty()) {
            const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return fails_to("write", errno);
            if (written == 0)
                return Status::io(file.string() + ": cannot write the checkpoint: the system writes no bytes");
            bytes = bytes.subspan(static_cast<std::size_t>(written));
            offset_bytes += static_cast<std::uint64_t>(written);
        }
        return {};
    }

    Status read_at(std::uint64_t offset_bytes, std::span<std::uint8_t> bytes) const {
        while (!bytes.empty()) {
            const ssize_t got = pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return fails_to("read", errno);
            if (got == 0) return Status::io(file.string() + ": the checkpoint became shorter while it was read");
            bytes = bytes.subspan(static_cast<std::size_t>(got));
            offset_bytes += static_cast<std::uint64_t>(got);
        }
        return {};
    }

    Status read_cells(std::uint64_t offset_bytes, std::span<BorderCell> cells) const {
        return read_at(offset_bytes, {reinterpret_cast<std::uint8_t*>(cells.data()), cells.size_bytes()});
    }

    // Counts the complete bands and keeps their maxima.
    Status find_bands(std::uint64_t file_bytes, const std::stop_token& stop) {
        std::vector<std::uint8_t> piece;
        for (; bands < shape.row_blocks(); ++bands) {
            std::uint64_t offset = band_offset(bands);
            std::uint64_t left_bytes = band_bytes(band_rows(bands)) - sizeof(std::uint64_t);
            if (file_bytes < offset || file_bytes - offset < left_bytes + sizeof(std::uint64_t)) return {};
            Hash hash;
            hash.add(bands);
            const std::uint64_t end_of_maxima = offset + left_bytes;
            while (left_bytes > 0) {
                if (stop.stop_requested()) return Status::interrupted();
                piece.resize(std::min(left_bytes, kPieceBytes));
                WARPSEQ_TRY(read_at(offset, piece));
                hash.add(piece);
                offset += piece.size();
                left_bytes -= piece.size();
            }
            std::uint64_t checksum = 0;
            WARPSEQ_TRY(read_at(offset, {reinterpret_cast<std::uint8_t*>(&checksum), sizeof checksum}));
            if (checksum != hash.digest().low64) return {};
            if (!shape.local) continue;
            const std::size_t known = maxima_raw.size();
            maxima_raw.resize(known + shape.column_blocks());
            WARPSEQ_TRY(
                read_at(end_of_maxima - maxima_bytes(), {reinterpret_cast<std::uint8_t*>(maxima_raw.data() + known),
                                                         shape.column_blocks() * sizeof(std::int32_t)}));
        }
        return {};
    }
};

PairCheckpointFile::PairCheckpointFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
PairCheckpointFile::~PairCheckpointFile() = default;
PairCheckpointFile::PairCheckpointFile(PairCheckpointFile&&) noexcept = default;

Result<PairCheckpointFile> PairCheckpointFile::open(const std::filesystem::path& file,
                                                    std::span<const std::span<const std::uint8_t>> identity,
                                                    const PairCheckpointShape& shape, const std::stop_token& stop) {
    Hash hash;
    for (const std::span<const std::uint8_t>& part : identity) {
        hash.add(part.size());
        hash.add(part);
    }
    const XXH128_hash_t digest = hash.digest();

    auto state = std::make_unique<State>();
    state->file = file;
    state->descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (state->descriptor < 0) return state->fails_to("open", errno);
    struct stat info {};
    if (fstat(state->descriptor, &info) != 0) return state->fails_to("open", errno);
    if (!S_ISREG(info.st_mode)) {
        return Status::io(file.string() + ": cannot hold a checkpoint: it is not a regular file");
    }
    // Two programs that write to one file would damage it.
    int locked = -1;
    do {
        locked = flock(state->descriptor, LOCK_EX | LOCK_NB);
    } while (locked != 0 && errno == EINTR);
    if (locked != 0 && errno == EWOULDBLOCK) {
        return Status::io(file.string() + ": another program is writing this checkpoint");
    }
    if (locked != 0) {
        return Status::io(file.string() + ": cannot lock the checkpoint: " + std::strerror(errno) +
                          "; put it on a file system that supports locks");
    }
    if (fstat(state->descriptor, &info) != 0) return state->fails_to("open", errno);
    const auto file_bytes = static_cast<std::uint64_t>(info.st_size);

    Header header{};
    const std::span<std::uint8_t> header_bytes{reinterpret_cast<std::uint8_t*>(&header), sizeof header};
    if (file_bytes == 0) {
        std::copy_n(kMagic, sizeof kMagic, header.magic);
        header.version = kVersion;
        header.local = shape.local ? 1 : 0;
        header.rows = shape.rows;
        header.columns = shape.columns;
        header.row_step = shape.row_step;
        header.column_step = shape.column_step;
        header.identity[0] = digest.low64;
        header.identity[1] = digest.high64;
        header.checksum = checksum_of(header);
        WARPSEQ_TRY(state->write_at(0, header_bytes));
        state->shape = shape;
        return PairCheckpointFile(std::move(state));
    }

    const auto refused = [&file](const std::string& why) {
        return Status::invalid_input(file.string() + ": " + why + "; name another file, or remove this one");
    };
    if (file_bytes < sizeof header)
        return refused("is not a checkpoint of search pair: it has only " + std::to_string(file_bytes) + " bytes");
    WARPSEQ_TRY(state->read_at(0, header_bytes));
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return refused("is not a checkpoint of search pair");
    if (header.version != kVersion) {
        return refused("is a checkpoint of version " + std::to_string(header.version) +
                       ", and this program reads version " + std::to_string(kVersion));
    }
    if (header.checksum != checksum_of(header)) return refused("is damaged: the header's checksum is wrong");
    if (header.identity[0] != digest.low64 || header.identity[1] != digest.high64 || header.rows != shape.rows ||
        header.columns != shape.columns || (header.local != 0) != shape.local) {
        return refused(
            "is the checkpoint of another alignment: its sequences, strand, scores, gap costs or mode differ");
    }
    // A forged file can have a right checksum. Steps that no sweep uses must not become sizes of
    // memory.
    if (header.rows > kMostResidues || header.columns > kMostResidues || header.row_step == 0 ||
        header.row_step > header.rows || header.column_step == 0 || header.column_step > header.columns) {
        return refused("is damaged: the size of its blocks is 0 or larger than the matrix");
    }
    if (header.local > 1 || header.reserved != 0) return refused("is damaged: its header has unknown flags");
    state->shape = {header.rows, header.columns, header.row_step, header.column_step, header.local != 0};
    if (state->shape.column_blocks() > kMostBandCells / header.row_step ||
        state->shape.row_blocks() > kMostBytes / state->band_bytes(header.row_step)) {
        return refused("is damaged: its blocks would not fit into a file");
    }
    WARPSEQ_TRY(state->find_bands(file_bytes, stop));
    return PairCheckpointFile(std::move(state));
}

const PairCheckpointShape& PairCheckpointFile::shape() const { return state_->shape; }
std::uint64_t PairCheckpointFile::bands() const { return state_->bands; }
std::span<const std::int32_t> PairCheckpointFile::maxima_raw() const { return state_->maxima_raw; }

Status PairCheckpointFile::append(const Source& source) {
    State& state = *state_;
    const std::uint64_t band = state.bands;
    assert(band < state.shape.row_blocks());
    Hash hash;
    hash.add(band);
    std::uint64_t offset = state.band_offset(band);
    const auto write = [&](std::span<const std::uint8_t> bytes) -> Status {
        hash.add(bytes);
        WARPSEQ_TRY(state.write_at(offset, bytes));
        offset += bytes.size();
        return {};
    };
    std::vector<BorderCell> cells;
    const auto write_checkpoint = [&](const auto& read, std::uint64_t index, std::uint64_t begin,
                                      std::uint64_t end) -> Status {
        for (std::uint64_t first = begin; first < end; first += kPieceCells) {
            cells.resize(std::min(kPieceCells, end - first));
            WARPSEQ_TRY(read(index, first, std::span(cells)));
            WARPSEQ_TRY(
                write({reinterpret_cast<const std::uint8_t*>(cells.data()), cells.size() * sizeof(BorderCell)}));
        }
        return {};
    };
    WARPSEQ_TRY(write_checkpoint(source.read_row_checkpoint, band, 0, state.shape.columns + 1));
    const std::uint64_t first_row = band * state.shape.row_step + 1, rows = state.band_rows(band);
    for (std::uint64_t index = 0; index < state.shape.column_blocks(); ++index) {
        WARPSEQ_TRY(write_checkpoint(source.read_column_checkpoint, index, first_row, first_row + rows));
    }
    if (state.shape.local) {
        std::vector<std::uint8_t> maxima(state.maxima_bytes());
        assert(source.maxima_raw.size() == state.shape.column_blocks());
        std::memcpy(maxima.data(), source.maxima_raw.data(), source.maxima_raw.size_bytes());
        WARPSEQ_TRY(write(maxima));
    }
    const std::uint64_t checksum = hash.digest().low64;
    WARPSEQ_TRY(write({reinterpret_cast<const std::uint8_t*>(&checksum), sizeof checksum}));
    state.maxima_raw.insert(state.maxima_raw.end(), source.maxima_raw.begin(), source.maxima_raw.end());
    ++state.bands;
    return {};
}

Status PairCheckpointFile::read_row_checkpoint(std::uint64_t index, std::uint64_t first,
                                               std::span<BorderCell> cells) const {
    assert(index < bands() && first + cells.size() <= state_->shape.columns + 1);
    return state_->read_cells(state_->band_offset(index) + first * sizeof(BorderCell), cells);
}

Status PairCheckpointFile::read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                                  std::span<BorderCell> cells) const {
    const PairCheckpointShape& shape = state_->shape;
    assert(first >= 1 && index < shape.column_blocks());
    while (!cells.empty()) {
        const std::uint64_t band = (first - 1) / shape.row_step, row = (first - 1) % shape.row_step;
        assert(band < bands());
        const std::uint64_t rows = state_->band_rows(band), count = std::min<std::uint64_t>(cells.size(), rows - row);
        const std::uint64_t offset =
            state_->band_offset(band) + state_->row_checkpoint_bytes() + (index * rows + row) * sizeof(BorderCell);
        WARPSEQ_TRY(state_->read_cells(offset, cells.first(count)));
        cells = cells.subspan(count);
        first += count;
    }
    return {};
}

}  // namespace warpseq
