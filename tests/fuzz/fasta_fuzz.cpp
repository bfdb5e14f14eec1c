// Fuzz target: hostile FASTA, plain and compressed. Whatever the bytes, the reader must not crash,
// and how many of them it gets at a time must not change what it reads or says.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "formats/fasta/fasta.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

struct Reading {
    std::vector<std::pair<std::string, std::vector<ResidueCode>>> records;
    std::vector<std::uint64_t> lines;
    std::vector<std::string> left_out;
    std::string error;
    bool operator==(const Reading&) const = default;
};

Reading read(const std::string& file, bool skip_invalid, std::size_t block_bytes) {
    Reading reading;
    FastaOptions options;
    options.skip_invalid_records = skip_invalid;
    options.block_bytes = block_bytes;
    options.on_invalid_record = [&](const std::string& message) { reading.left_out.push_back(message); };
    FastaReader reader({file}, options);
    FastaRecord record;
    std::uint64_t residues = 0;
    for (;;) {
        const Result<bool> got = reader.next(record);
        if (!got.ok()) {
            reading.error = got.status().message();
            require(!reading.error.empty(), "an error says something");
            break;
        }
        if (!*got) break;
        for (const ResidueCode code : record.residues) require(code < kResidueCodes, "residues are residue codes");
        require(!identifier_of(record.header).empty(), "every record has an identifier");
        require(record.header.find('\0') == std::string::npos, "no header holds a NUL byte");
        residues += record.residues.size();
        reading.records.emplace_back(record.header, record.residues);
        reading.lines.push_back(record.line);
    }
    require(reader.counts().records == reading.records.size(), "records are counted");
    require(reader.counts().residues == residues, "residues are counted");
    require(reader.counts().skipped_invalid == reading.left_out.size(), "records left out are counted");
    require(skip_invalid || reading.left_out.empty(), "records are left out only where that is asked for");
    require(!reading.error.empty() || !reading.records.empty(), "a file without a record is an error");
    return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemoryFile input(text_of(data, size));
    const std::string file = input.path();
    for (const bool skip_invalid : {false, true}) {
        const Reading whole = read(file, skip_invalid, kDefaultBlockBytes);
        const Reading pieces = read(file, skip_invalid, 1 + size % 7);
        // How much of damaged compressed data comes out before the error depends on how much is
        // asked for.
        const auto damaged = [](const Reading& reading) {
            return reading.error.find("of the compressed file") != std::string::npos;
        };
        require(damaged(whole) || damaged(pieces) || whole == pieces, "the block size changes nothing");
    }
    return 0;
}
