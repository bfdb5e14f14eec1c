// Fuzz target: hostile hits of profile searches. An input is a packet
// (bindings/searches/hmm_hits_packet.h). Its checksum is corrected, because otherwise nearly every
// change would be refused at once. Reading must not crash or ask for absurd memory. Accepted hits
// are written in every format, and become a packet again. The seeds are the states of small pickles
// of warpseq.HmmHits.
#include <cstddef>
#include <cstdint>
#include <string>

#include "bindings/searches/hmm_hits_packet.h"
#include "bindings/searches/hmm_writer.h"
#include "formats/io/packet.h"
#include "reports/hmmer/hmm_alignment_display.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

constexpr const char* kFormats[] = {
    "0",         "6 std qcovs qcovhsp cigar qseq sseq staxid staxids ssciname sscinames",
    "7",         "10",
    "json",      "tblout",
    "domtblout", "pfamtblout",
    "stockholm", "afa"};

/// Asks for all that objects show.
void look_at(const HmmHits& hits) {
    for (const HmmHit& hit : hits.report.hits)
        for (const HmmDomain& domain : hit.domains) {
            const HmmAlignmentLines lines = draw_alignment(hits.query.model_of(hit), domain);
            require(lines.model.size() == lines.target.size(), "an alignment has its columns");
        }
    static_cast<void>(alignment_of(hits));
    for (const auto& earlier : hits.earlier_rounds) look_at(*earlier);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string packet = reseal_packet(std::string(text_of(data, size)));
    const auto hits = hmm_hits_from_bytes(packet, "it");
    if (!hits.ok()) {
        require_message(hits.status());
        return 0;
    }
    look_at(**hits);
    for (const char* format : kFormats) {
        auto writer = HmmWriter::of((*hits)->run, format, false);
        require(writer.ok(), "every format can be written");
        std::string text;
        writer->begin(text);
        require(writer->add(**hits, text).ok(), "hits of one search are written");
        writer->end(text);
    }
    require(to_bytes(**hits).ok(), "hits are written again");
    return 0;
}
