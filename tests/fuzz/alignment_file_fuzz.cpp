// Fuzz target: hostile files of alignments in every format, plain and compressed. Whatever the
// bytes, the reader must not crash, what it accepts must hold together, and how many bytes it gets
// at a time must not change what it reads or says.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/alignments/alignment_reader.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

struct Reading {
    std::vector<MultipleAlignment> alignments;
    std::string error;
    bool damaged = false;
};

void require_sound(const MultipleAlignment& alignment) {
    require(!alignment.rows.empty(), "there are rows");
    const std::size_t columns = alignment.columns();
    const auto fits = [&](const std::string& text) { return text.empty() || text.size() == columns; };
    for (const MultipleAlignment::Row& row : alignment.rows) {
        require(row.residues.size() == columns, "rows have the same columns");
        require(fits(row.posteriors) && fits(row.structure) && fits(row.surface), "annotation is for every column");
        for (const char c : row.residues)
            require((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_' || c == '~' ||
                        c == '*',
                    "rows hold letters and gaps");
    }
    require(fits(alignment.posterior_consensus) && fits(alignment.reference) && fits(alignment.mask) &&
                fits(alignment.structure) && fits(alignment.surface),
            "annotation of columns is for every column");
}

Reading read(const std::string& file, std::optional<AlignmentFormat> format, std::size_t block_bytes) {
    Reading reading;
    AlignmentReader reader(file, format, block_bytes);
    require_message(reader.letter_kind().status());
    for (;;) {
        MultipleAlignment alignment;
        const Result<bool> got = reader.next(alignment);
        if (!got.ok()) {
            reading.error = got.status().message();
            require(!reading.error.empty(), "an error says something");
            require(reader.fault().kind != AlignmentFault::Kind::kNone && !reader.fault().what.empty(),
                    "an error has a reason");
            reading.damaged = reader.fault().kind == AlignmentFault::Kind::kDamaged;
            break;
        }
        if (!*got) break;
        require_sound(alignment);
        reading.alignments.push_back(std::move(alignment));
    }
    require(!reading.error.empty() || !reading.alignments.empty(), "a file without an alignment is an error");
    return reading;
}

}  // namespace

/// The first byte says which format is asserted, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    constexpr unsigned kFormats = 11;
    std::optional<AlignmentFormat> format;
    if (data[0] >= 'a' && data[0] < 'a' + kFormats) format = static_cast<AlignmentFormat>(data[0] - 'a');
    const bool asserted = format.has_value();
    const MemoryFile input(text_of(data + (asserted ? 1 : 0), size - (asserted ? 1 : 0)));
    const Reading whole = read(input.path(), format, kDefaultBlockBytes);
    const Reading pieces = read(input.path(), format, 1 + size % 7);
    if (whole.damaged || pieces.damaged) return 0;
    require(whole.error == pieces.error && whole.alignments.size() == pieces.alignments.size(),
            "the block size changes nothing");
    return 0;
}
