// Checkpoint files. Written bands are read back. Cut and damaged files continue after their last
// whole band. Other files are refused.
#include "formats/io/pair_checkpoint_file.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <xxhash.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr PairCheckpointShape kShape{25, 30, 10, 8, true};  // 3 x 4 blocks, neither even
constexpr std::uint64_t kBandBytes = 31 * 8 + 4 * 10 * 8 + 16 + 8;

BorderCell row_cell(std::uint64_t index, std::uint64_t k) {
    return {static_cast<std::int32_t>(1000 * index + k), -static_cast<std::int32_t>(k)};
}
BorderCell column_cell(std::uint64_t index, std::uint64_t k) {
    return {-static_cast<std::int32_t>(1000 * index + k), static_cast<std::int32_t>(k * k)};
}

Result<PairCheckpointFile> open(const std::filesystem::path& file, std::string_view problem = "a problem",
                                const PairCheckpointShape& shape = kShape, const std::stop_token& stop = {}) {
    const std::span<const std::uint8_t> identity{reinterpret_cast<const std::uint8_t*>(problem.data()), problem.size()};
    return PairCheckpointFile::open(file, {&identity, 1}, shape, stop);
}

Status append(PairCheckpointFile& file) {
    PairCheckpointFile::Source source;
    source.read_row_checkpoint = [](std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) -> Status {
        for (std::uint64_t k = 0; k < cells.size(); ++k) cells[k] = row_cell(index, first + k);
        return {};
    };
    source.read_column_checkpoint = [](std::uint64_t index, std::uint64_t first,
                                       std::span<BorderCell> cells) -> Status {
        for (std::uint64_t k = 0; k < cells.size(); ++k) cells[k] = column_cell(index, first + k);
        return {};
    };
    const auto band = static_cast<std::int32_t>(file.bands());
    const std::int32_t maxima_raw[4]{band, band + 10, band + 20, band + 30};
    source.maxima_raw = maxima_raw;
    return file.append(source);
}

// The contents of the file's bands.
void check_content(const PairCheckpointFile& file) {
    for (std::uint64_t index = 0; index < file.bands(); ++index) {
        std::vector<BorderCell> cells(20);
        REQUIRE(file.read_row_checkpoint(index, 3, cells).ok());
        for (std::uint64_t k = 0; k < cells.size(); ++k) CHECK(cells[k] == row_cell(index, 3 + k));
    }
    const std::uint64_t rows = std::min(kShape.rows, file.bands() * kShape.row_step);
    if (rows == 0) return;
    for (std::uint64_t index = 0; index < kShape.column_blocks(); ++index) {
        std::vector<BorderCell> cells(rows);
        REQUIRE(file.read_column_checkpoint(index, 1, cells).ok());
        for (std::uint64_t k = 0; k < rows; ++k) CHECK(cells[k] == column_cell(index, 1 + k));
        // Across the border of two bands.
        if (rows < 12) continue;
        cells.resize(5);
        REQUIRE(file.read_column_checkpoint(index, 8, cells).ok());
        for (std::uint64_t k = 0; k < 5; ++k) CHECK(cells[k] == column_cell(index, 8 + k));
    }
    REQUIRE(file.maxima_raw().size() == 4 * file.bands());
    for (std::uint64_t k = 0; k < file.maxima_raw().size(); ++k) {
        CHECK(file.maxima_raw()[k] == static_cast<std::int32_t>(k / 4 + k % 4 * 10));
    }
}

// Made with this many bands.
void make(const std::filesystem::path& path, int bands) {
    auto file = open(path);
    REQUIRE(file.ok());
    for (int band = 0; band < bands; ++band) REQUIRE(append(*file).ok());
}

std::string message(const Result<PairCheckpointFile>& result) { return result.ok() ? "" : result.status().message(); }

void flip_byte(const std::filesystem::path& path, std::uint64_t offset_bytes) {
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(offset_bytes));
    const char byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(static_cast<std::streamoff>(offset_bytes));
    stream.put(byte);
    REQUIRE(stream.flush().good());
}

}  // namespace

TEST_CASE("bands come back, and a file goes on where it stopped") {
    const ScratchFolder folder;
    const auto path = folder.path("a.checkpoint");
    for (std::uint64_t bands = 0; bands <= 3; ++bands) {
        auto file = open(path);
        REQUIRE(file.ok());
        CHECK(file->bands() == bands);
        CHECK(file->shape() == kShape);
        check_content(*file);
        if (bands == 3) break;
        REQUIRE(append(*file).ok());
        check_content(*file);
    }
    CHECK(std::filesystem::file_size(path) == 80 + 3 * kBandBytes - 4 * 5 * 8);  // the last band has 5 rows
}

TEST_CASE("a file keeps its own steps") {
    const ScratchFolder folder;
    make(folder.path("a"), 2);
    const auto file = open(folder.path("a"), "a problem", {25, 30, 5, 5, true});
    REQUIRE(file.ok());
    CHECK(file->shape() == kShape);
    CHECK(file->bands() == 2);
}

TEST_CASE("a band that is cut short or damaged is written again") {
    const ScratchFolder folder;
    const auto path = folder.path("a");
    for (const std::uint64_t lost_bytes : {std::uint64_t{1}, std::uint64_t{8}, kBandBytes - 1, kBandBytes}) {
        std::filesystem::remove(path);
        make(path, 2);
        std::filesystem::resize_file(path, 80 + 2 * kBandBytes - lost_bytes);
        auto file = open(path);
        REQUIRE(file.ok());
        CHECK(file->bands() == 1);
        check_content(*file);
        REQUIRE(append(*file).ok());
        REQUIRE(append(*file).ok());
        check_content(*file);
    }
    for (const std::uint64_t offset :
         {std::uint64_t{80}, 80 + kBandBytes / 2, 80 + kBandBytes - 20, 80 + kBandBytes - 1}) {
        std::filesystem::remove(path);
        make(path, 2);
        flip_byte(path, offset);
        auto file = open(path);
        REQUIRE(file.ok());
        CHECK(file->bands() == 0);  // what follows a damaged band is of no use
    }
}

TEST_CASE("other files are refused and left alone") {
    const ScratchFolder folder;
    const auto path = folder.path("a");
    make(path, 1);
    CHECK(message(open(path, "b problem")).find("is the checkpoint of another alignment") != std::string::npos);
    CHECK(message(open(path, "a problem", {25, 31, 10, 8, true})).find("another alignment") != std::string::npos);
    CHECK(message(open(path, "a problem", {25, 30, 10, 8, false})).find("another alignment") != std::string::npos);
    CHECK(open(path, "b problem").status().code() == StatusCode::kInvalidInput);
    flip_byte(path, 20);
    CHECK(message(open(path)).find("the header's checksum is wrong") != std::string::npos);
    flip_byte(path, 20);
    flip_byte(path, 8);
    CHECK(message(open(path)).find("a checkpoint of version 0, and this program reads version 1") != std::string::npos);
    flip_byte(path, 8);
    CHECK(open(path).ok());

    const auto fasta = folder.write("a.fasta", ">a\n" + std::string(200, 'A') + "\n");
    CHECK(message(open(fasta)).find("a.fasta: is not a checkpoint of search pair") != std::string::npos);
    CHECK(std::filesystem::file_size(fasta) == 204);
    CHECK(message(open(folder.write("short", "short"))).find("it has only 5 bytes") != std::string::npos);
    CHECK(message(open(folder.path(""))).find("cannot open the checkpoint") != std::string::npos);
    CHECK(message(open(folder.path("no/such/folder"))).find("cannot open the checkpoint") != std::string::npos);
    CHECK(message(open("/dev/full")).find("/dev/full: cannot hold a checkpoint: it is not a regular file") == 0);
}

TEST_CASE("a header that no sweep writes is refused, though its checksum is right") {
    using pair_checkpoint::Header;
    const ScratchFolder folder;
    const auto path = folder.path("a");
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    const auto opens_with = [&](const auto& change) {
        std::filesystem::remove(path);
        make(path, 2);
        std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
        Header header;
        stream.read(reinterpret_cast<char*>(&header), sizeof header);
        change(header);
        header.checksum = XXH3_64bits(&header, offsetof(Header, checksum));
        stream.seekp(0);
        stream.write(reinterpret_cast<const char*>(&header), sizeof header);
        REQUIRE(stream.flush().good());
        return message(open(path));
    };
    CHECK(opens_with([](Header&) {}).empty());
    for (const std::uint64_t step : {std::uint64_t{0}, kShape.rows + 1, kMost, std::uint64_t{1} << 40}) {
        CAPTURE(step);
        CHECK(opens_with([&](Header& header) { header.row_step = step; }).find("a: is damaged") != std::string::npos);
    }
    for (const std::uint64_t step : {std::uint64_t{0}, kShape.columns + 1, kMost, std::uint64_t{1} << 40}) {
        CAPTURE(step);
        CHECK(opens_with([&](Header& h) { h.column_step = step; }).find("a: is damaged") != std::string::npos);
    }
    CHECK(opens_with([](Header& header) { header.local = 2; }).find("unknown flags") != std::string::npos);
    CHECK(opens_with([](Header& header) { header.reserved = 1; }).find("unknown flags") != std::string::npos);
    // The smallest steps are no damage: the bands do not fit them, so there are none.
    CHECK(opens_with([](Header& header) { header.row_step = header.column_step = 1; }).empty());
    const auto file = open(path);
    REQUIRE(file.ok());
    CHECK(file->bands() == 0);
}

TEST_CASE("blocks that would fill more than a file can hold are refused") {
    const ScratchFolder folder;
    const std::uint64_t most = std::uint64_t{1} << 40;
    {
        const auto file = open(folder.path("a"), "a problem", {most, most, most, 1, false});
        REQUIRE(file.ok());
    }
    CHECK(message(open(folder.path("a"), "a problem", {most, most, most, most, false}))
              .find("would not fit into a file") != std::string::npos);
}

TEST_CASE("a stop ends reading, and nothing is lost") {
    const ScratchFolder folder;
    make(folder.path("a"), 2);
    std::stop_source stop;
    stop.request_stop();
    CHECK(open(folder.path("a"), "a problem", kShape, stop.get_token()).status().code() == StatusCode::kInterrupted);
    const auto file = open(folder.path("a"));
    REQUIRE(file.ok());
    CHECK(file->bands() == 2);
}

TEST_CASE("two programs do not write one file") {
    const ScratchFolder folder;
    const auto first = open(folder.path("a"));
    REQUIRE(first.ok());
    CHECK(message(open(folder.path("a"))).find("another program is writing this checkpoint") != std::string::npos);
}

TEST_CASE("a full disk is an error, and what was written before stays") {
    const ScratchFolder folder;
    const auto path = folder.path("a");
    make(path, 1);
    {
        auto file = open(path);
        REQUIRE(file.ok());
        rlimit before{};
        REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit small = before;
        small.rlim_cur = 80 + kBandBytes + 100;
        REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
        const Status status = append(*file);
        REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
        std::signal(SIGXFSZ, handler);
        CHECK(status.code() == StatusCode::kIo);
        CHECK(status.message().find("a: cannot write the checkpoint") != std::string::npos);
    }
    auto file = open(path);
    REQUIRE(file.ok());
    CHECK(file->bands() == 1);
    REQUIRE(append(*file).ok());
    check_content(*file);
}
