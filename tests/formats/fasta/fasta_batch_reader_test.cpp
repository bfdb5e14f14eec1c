// FASTA read in pieces by several threads. Records, counts, errors and notes of left-out records
// are those of FastaReader, wherever the pieces are cut.
#include "formats/fasta/fasta_batch_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/record_residues.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;

namespace {

struct Reading {
    std::vector<std::pair<std::string, std::vector<ResidueCode>>> records;
    std::vector<std::string> left_out;
    std::vector<std::pair<std::string, std::string>> sources;
    std::string error;
    std::vector<std::uint64_t> counts;
    bool operator==(const Reading&) const = default;
};

void note_end(Reading& reading, const FastaCounts& counts, const std::vector<FastaSource>& sources) {
    reading.counts = {counts.records,         counts.residues, counts.gaps_removed,
                      counts.empty_sequences, counts.unnamed,  counts.skipped_invalid};
    for (const FastaSource& source : sources) reading.sources.emplace_back(source.name, source.xxh3_128);
}

Reading read_in_turn(const std::vector<std::filesystem::path>& files, bool skip_invalid) {
    Reading reading;
    FastaOptions options;
    options.skip_invalid_records = skip_invalid;
    options.on_invalid_record = [&](const std::string& message) { reading.left_out.push_back(message); };
    FastaReader reader(files, options);
    FastaRecord record;
    for (;;) {
        const auto more = reader.next(record);
        if (!more.ok()) reading.error = more.status().message();
        if (!more.ok() || !*more) break;
        reading.records.emplace_back(record.header, record.residues);
    }
    note_end(reading, reader.counts(), reader.sources());
    return reading;
}

void take_records(const RecordBatch& batch, Reading& reading) {
    for (const RecordBatch::Record& record : batch.records()) {
        const RecordView view = view_of_record(batch.bytes_of(record), record.residues);
        reading.records.emplace_back(view.header, testing::residues_of(view, record.residues));
    }
}

/// Reads files in batches. Every third batch is refused once, as if there were no room.
Reading read_in_batches(const std::vector<std::filesystem::path>& files, bool skip_invalid, unsigned threads,
                        std::size_t piece_bytes) {
    Reading reading;
    FastaBatchOptions options;
    options.piece_bytes = piece_bytes;
    options.reading.block_bytes = 7;
    options.reading.skip_invalid_records = skip_invalid;
    options.reading.on_invalid_record = [&](const std::string& message) { reading.left_out.push_back(message); };
    const ThreadPool pool(threads);
    FastaBatchReader reader(files, options, pool);
    std::uint64_t asked = 0, rooms_made = 0, refused = 0;
    const Status status = reader.read(
        [&](const RecordBatch& batch, PendingCopies&) -> Result<bool> {
            if (++asked % 3 == 0) {
                ++refused;
                return false;
            }
            take_records(batch, reading);
            return true;
        },
        [&]() -> Status {
            ++rooms_made;
            return {};
        });
    CHECK(rooms_made == refused);
    if (!status.ok()) reading.error = status.message();
    note_end(reading, reader.counts(), reader.sources());
    return reading;
}

void compare(const std::vector<std::filesystem::path>& files) {
    for (const bool skip_invalid : {false, true}) {
        const Reading expected = read_in_turn(files, skip_invalid);
        for (const unsigned threads : {1u, 3u}) {
            for (const std::size_t piece_bytes :
                 {std::size_t{1}, std::size_t{20}, std::size_t{150}, std::size_t{100000}}) {
                CAPTURE(skip_invalid);
                CAPTURE(threads);
                CAPTURE(piece_bytes);
                Reading found = read_in_batches(files, skip_invalid, threads, piece_bytes);
                CHECK(found.error == expected.error);
                CHECK(found.left_out == expected.left_out);
                // In front of an error, a whole piece of records is handed on or none of it.
                if (!expected.error.empty()) {
                    REQUIRE(found.records.size() <= expected.records.size());
                    CHECK(std::equal(found.records.begin(), found.records.end(), expected.records.begin()));
                } else {
                    CHECK(found == expected);
                }
            }
        }
    }
}

std::filesystem::path written(const testing::ScratchFolder& folder, const std::string& name, const std::string& text) {
    const auto file = folder.path(name);
    std::ofstream(file, std::ios::binary) << text;
    return file;
}

}  // namespace

TEST_CASE("pieces of plain and of odd files are read as the whole file is") {
    const testing::ScratchFolder folder;
    for (const char* text :
         {">a\nACD\n>b\nEF\n", ">a\r\nACD\r\n>b\r\nEF\r\n", ">a\rACD\r>b\rEF\r", ">a\rACD\n>b\nEF\n>c\nGH\n",
          ">a\nACD\n>b\rEF\n>c\nGH\n", "\n\n;comment\n>a\nAC\n>\nDE\n> \nFG\n>b\n\n>c\nH-I.K\n",
          "\xef\xbb\xbf>a\nACD\n>b\nEF", ">a\nACD\n>b\nE1F\n>c\nGH\n>d\nI>K\n>e\nLM\n", "ACD\n>a\nEF\n",
          "@a\nACD\n+\n!!!\n", "", "\n\n", ">a\n1\n>b\n2\n", ">a b > c\nAC\n;x\n>y\nDE\n;z\n\n>w\nFG"}) {
        CAPTURE(text);
        compare({written(folder, "one.fa", text)});
    }
}

TEST_CASE("random files, several of them, some of which are missing") {
    const testing::ScratchFolder folder;
    Random random(17);
    for (int round = 0; round < testing::fewer(150, 20); ++round) {
        std::vector<std::filesystem::path> files;
        const bool is_clean = random.below(2) == 0;
        for (std::uint64_t f = 0; f <= random.below(3); ++f) {
            std::string text;
            for (std::uint64_t i = 0; i < 1 + random.below(40); ++i) {
                text += ">s" + std::to_string(i) + (random.below(3) == 0 ? " what > it is\n" : "\n");
                for (std::uint64_t line = 0; line < random.below(4); ++line) {
                    for (std::uint64_t r = 0; r < random.below(60); ++r)
                        text += "ACDEFGHIKLMNPQRSTVWY-x*"[random.below(23)];
                    text += '\n';
                }
                if (is_clean || random.below(12) != 0) continue;
                constexpr std::array<std::string_view, 8> kOdd = {"A1C\n",       ">\nAC\n", "\r",       "A>C\n",
                                                                  ">x\ry\nAC\n", ";c\n",    ">\x01q\n", "\n\n"};
                text += kOdd[random.below(kOdd.size())];
            }
            files.push_back(written(folder, "f" + std::to_string(f) + ".fa", text));
        }
        if (random.below(10) == 0) files.push_back(folder.path("missing.fa"));
        CAPTURE(round);
        compare(files);
    }
}
