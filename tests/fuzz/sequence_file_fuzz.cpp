// Fuzz target: hostile files of sequences in every format, plain and compressed. Whatever the
// bytes, the reader must not crash, what it reads must survive as a header, and how many bytes it
// gets at a time must not change what it reads or says.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/fasta/hmmer_fasta.h"
#include "formats/sequences/sequence_file.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

struct Reading {
    std::vector<std::string> titles;
    std::vector<std::vector<ResidueCode>> residues;
    std::string error;
    bool operator==(const Reading&) const = default;
};

Reading read(const std::string& file, const SequenceFileFormat& format, std::size_t block_bytes) {
    Reading reading;
    auto source = ByteSource::open(file, block_bytes);
    require(source.ok(), "the file can be opened");
    auto reader = SequenceFileReader::open(file, *std::move(source), format);
    require_message(reader.status());
    if (!reader.ok()) {
        reading.error = reader.status().message();
        return reading;
    }
    NamedSequence sequence;
    for (;;) {
        const Result<bool> got = reader->next(sequence);
        require_message(got.status());
        if (!got.ok()) reading.error = got.status().message();
        if (!got.ok() || !*got) return reading;
        require(std::ranges::all_of(sequence.residues, [](ResidueCode code) { return code < kResidueCodes; }),
                "residues are residue codes");
        const std::string header = header_of_title({sequence.name, sequence.description, sequence.accession});
        require(header.find_first_of("\r\n") == std::string::npos, "a header is one line");
        const HmmerTitle title = hmmer_title(header + sequence.unscored);
        require(title.name == sequence.name && title.description == sequence.description &&
                    title.accession == sequence.accession,
                "a header gives the title back");
        reading.titles.push_back(header + sequence.unscored);
        reading.residues.push_back(sequence.residues);
    }
}

}  // namespace

/// The first byte says which format is asserted, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    constexpr std::array<std::string_view, 10> kNames = {"fasta",     "embl", "genbank", "daemon", "hmmpgmd",
                                                         "stockholm", "afa",  "selex",   "phylip", "clustal"};
    const MemoryFile input(text_of(data + 1, size - 1));
    if (data[0] < 'a' || data[0] >= 'a' + kNames.size()) {
        const FastaDialect dialect = data[0] == 'H' ? FastaDialect::kHmmer : FastaDialect::kWarpseq;
        const SequenceFileKind kind = data[0] == '?' ? SequenceFileKind::kByContent : SequenceFileKind::kAsHmmer;
        static_cast<void>(read(input.path(), {.kind = kind, .dialect = dialect}, kDefaultBlockBytes));
        return 0;
    }
    const SequenceFileFormat format = *sequence_format_named(kNames[data[0] - 'a']);
    const Reading whole = read(input.path(), format, kDefaultBlockBytes);
    const Reading pieces = read(input.path(), format, 1 + size % 7);
    // How much of damaged compressed data comes out before the error depends on how much is asked
    // for.
    const auto damaged = [](const Reading& reading) {
        return reading.error.find("of the compressed file") != std::string::npos;
    };
    require(damaged(whole) || damaged(pieces) || whole == pieces, "the block size changes nothing");
    return 0;
}
