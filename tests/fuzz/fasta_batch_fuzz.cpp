// Fuzz target: hostile FASTA, plain and compressed, read in batches as dbconv reads it. Records,
// counts, left-out records and errors must be those of the reader that takes one record after the
// other, wherever files are cut into pieces. Unwanted records must be counted alike.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/fasta/fasta_batch_reader.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/support/record_residues.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

struct Reading {
    std::vector<std::pair<std::string, std::vector<ResidueCode>>> records;
    std::vector<std::string> left_out;
    std::string error;
    std::vector<std::uint64_t> counts;
    std::vector<std::pair<std::string, std::string>> sources;
    bool operator==(const Reading&) const = default;
};

void note_end(const FastaCounts& counts, const std::vector<FastaSource>& sources, Reading& reading) {
    if (!reading.error.empty()) return;  // only the error is compared then
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
    note_end(reader.counts(), reader.sources(), reading);
    return reading;
}

void take_records(const RecordBatch& batch, Reading& reading) {
    for (const RecordBatch::Record& record : batch.records()) {
        const RecordView view = view_of_record(batch.bytes_of(record), record.residues);
        std::vector<ResidueCode> residues = testing::residues_of(view, record.residues);
        for (const ResidueCode code : residues) require(code < kResidueCodes, "residues are residue codes");
        require(!identifier_of(view.header).empty(), "every record has an identifier");
        reading.records.emplace_back(view.header, std::move(residues));
    }
}

Reading read_in_batches(const std::vector<std::filesystem::path>& files, bool skip_invalid, std::size_t piece_bytes,
                        bool leaves_some_out) {
    static const ThreadPool pool(2);
    Reading reading;
    FastaBatchOptions options;
    options.piece_bytes = piece_bytes;
    options.reading.block_bytes = piece_bytes;
    options.reading.skip_invalid_records = skip_invalid;
    options.reading.on_invalid_record = [&](const std::string& message) { reading.left_out.push_back(message); };
    if (leaves_some_out) options.wanted = [](std::string_view, std::uint64_t residues) { return residues % 2 == 0; };
    FastaBatchReader reader(files, options, pool);
    std::uint64_t asked = 0;
    const Status status = reader.read(
        [&](const RecordBatch& batch, auto&&...) -> Result<bool> {
            if (++asked % 3 == 0) return false;  // no room, once
            take_records(batch, reading);
            return true;
        },
        [] { return Status(); });
    require_message(status);
    if (!status.ok()) reading.error = status.message();
    note_end(reader.counts(), reader.sources(), reading);
    return reading;
}

bool is_damaged(const Reading& reading) { return reading.error.find("of the compressed file") != std::string::npos; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // The first byte says how the rest is read.
    if (size == 0) return 0;
    const bool skip_invalid = (data[0] & 1) != 0;
    const std::size_t piece_bytes = 1 + data[0] / 4 % 61;
    const MemoryFile input(text_of(data + 1, size - 1));
    std::vector<std::filesystem::path> files(1 + (data[0] >> 1 & 1), input.path());
    const Reading in_turn = read_in_turn(files, skip_invalid);
    const Reading in_batches = read_in_batches(files, skip_invalid, piece_bytes, false);
    // How much of damaged compressed data is read before the error differs. Records before an error
    // may have been handed on or not.
    if (is_damaged(in_turn) || is_damaged(in_batches)) return 0;
    // The message for a file that is not FASTA describes the bytes at hand, which are few here.
    const auto is_none = [](const Reading& reading) { return reading.error.find(": this file ") != std::string::npos; };
    require(in_turn.error == in_batches.error || (is_none(in_turn) && is_none(in_batches)), "the error is the same");
    if (!in_turn.error.empty()) return 0;
    require(in_turn == in_batches, "batches hold what the records are");
    Reading some = read_in_batches(files, skip_invalid, piece_bytes, true);
    Reading expected = in_turn;
    std::erase_if(expected.records, [](const auto& record) { return record.second.size() % 2 != 0; });
    require(some.records == expected.records, "what is wanted is handed on");
    return 0;
}
