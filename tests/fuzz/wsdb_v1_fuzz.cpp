// Fuzz target: hostile databases of version 1, as dbconv reads them. Each input is tried twice: as it is, and with all checksums that can
// be found put right. What is handed out is letters under headers of one line, and its positions are those of an input.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/wsdb_layout.h"
#include "formats/wsdb_v1_reader.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/support/wsdb_v1_checksums.h"

namespace {

using namespace warpseq;
using fuzz::require;

void try_bytes(const std::vector<std::uint8_t>& bytes) {
    const fuzz::MemoryFile file({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const auto opened = WsdbV1File::open(file.path());
    fuzz::require_message(opened.status());
    if (!opened.ok()) return;
    std::uint64_t sequences = 0, residues = 0, longest = ~std::uint64_t{0};
    const Status status = read_wsdb_v1(*opened, [&](const WsdbV1Sequence& sequence) {
        require(std::ranges::all_of(sequence.residues, [](ResidueCode code) { return code < kResidueCodes; }),
                "letters alone are handed out");
        require(sequence.header.find_first_of("\r\n") == std::string_view::npos, "a header is a line");
        require(sequence.position < opened->header().sequences, "positions are usable");
        require(sequence.residues.size() <= longest, "lengths descend");
        longest = sequence.residues.size();
        residues += longest;
        ++sequences;
        return Status();
    });
    fuzz::require_message(status);
    require(!status.ok() || (sequences == opened->header().sequences && residues == opened->header().residues),
            "what is whole is handed out as a whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> bytes(data, data + size);
    try_bytes(bytes);
    warpseq::testing::put_v1_checksums_right(bytes);
    try_bytes(bytes);
    return 0;
}
