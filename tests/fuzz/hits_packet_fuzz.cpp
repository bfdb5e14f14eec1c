// Fuzz target: hostile hits of searches with sequences. An input is a packet
// (bindings/searches/sequence_hits_packet.h). Its checksum is corrected, because otherwise nearly
// every change would be refused at once. Reading must not crash or ask for absurd memory. Accepted
// hits are written in every format, and become the same packet again. The seeds are the states of
// small pickles of warpseq.Hits.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bindings/searches/sequence_hits_packet.h"
#include "formats/io/packet.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

constexpr const char* kFormats[] = {
    "0", "1",  "2",  "3",  "4",   "5", "6 std qseq sseq btop cigar staxid staxids ssciname sscinames sskingdoms",
    "7", "10", "15", "16", "json"};

/// Asks for all that objects show.
void look_at(const SequenceHits& hits) {
    require(!hits.facts().engine.empty(), "hits have an engine");
    static_cast<void>(hits.query_names());
    for (std::size_t h = 0; h < hits.size(); ++h) {
        static_cast<void>(hits.target(h));
        static_cast<void>(hits.taxa(h));
        static_cast<void>(hits.covered_residues(h));
        for (std::size_t i = 0; i < hits.hsp_count(h); ++i) {
            const FoundHsp hsp = hits.hsp(h, i);
            require(hsp.text().query.size() == hsp.counts().columns, "an alignment has its columns");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string packet = reseal_packet(std::string(text_of(data, size)));
    const auto hits = sequence_hits_from_bytes(packet, "it");
    if (!hits.ok()) {
        require_message(hits.status());
        return 0;
    }
    look_at(**hits);
    for (const char* format : kFormats) {
        const auto writer = (*hits)->writer(format, false, std::nullopt);
        if (!writer.ok()) continue;  // of the other engine
        (*writer)->begin();
        require_message((*writer)->add(**hits));
        (*writer)->end();
        static_cast<void>((*writer)->take());
    }
    const auto again = to_bytes(**hits);
    require(again.ok(), "hits are written again");
    return 0;
}
