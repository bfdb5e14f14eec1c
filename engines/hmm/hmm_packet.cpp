#include "engines/hmm/hmm_packet.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>

#include "formats/io/packet.h"

namespace warpseq {
namespace {

constexpr std::string_view kPartialKind = "hmm";

}  // namespace

constexpr TraceState last_value(TraceState) { return TraceState::kDelete; }

// An alignment's begin and the states of its steps determine the node and the residue of each step,
// and the alignment's end. So packets leave these out.

template <typename Packet>
void describe(Packet& packet, TraceStep& step) {
    packet(step.state, step.posterior);
}

template <typename Packet>
void describe(Packet& packet, HmmDomain& domain) {
    packet(domain.envelope_from, domain.envelope_to, domain.alignment_from, domain.node_from);
    packet(domain.envelope_nats, domain.null2_nats, domain.bias_nats, domain.expected_accuracy);
    packet(domain.score_bits, domain.log_pvalue, domain.trace, domain.aligned_residues);
}

template <typename Packet>
void describe(Packet& packet, HmmHit& hit) {
    packet(hit.database, hit.rank, hit.input_position);
    packet(hit.score_bits, hit.uncorrected_bits, hit.log_pvalue, hit.expected_domains);
    packet(hit.regions, hit.clustered_regions, hit.overlapping_envelopes, hit.envelopes, hit.domains);
}

template <typename Packet>
void describe(Packet& packet, HmmStageCounts& counts) {
    packet(counts.passed_msv, counts.passed_bias, counts.passed_viterbi, counts.passed_forward);
}

namespace {

bool all_finite(std::initializer_list<double> numbers) {
    return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
}

/// Fills in what packets leave out. Returns false if this is no domain of the profile in a target
/// of `target_residues` residues.
bool complete(HmmDomain& domain, int nodes, std::int64_t target_residues) {
    if (std::isnan(domain.null2_nats) || !all_finite({domain.envelope_nats, domain.bias_nats, domain.expected_accuracy,
                                                      domain.score_bits, domain.log_pvalue}))
        return false;
    if (domain.envelope_from < 1 || domain.alignment_from < domain.envelope_from || domain.node_from < 1 ||
        domain.node_from > nodes || domain.envelope_to > target_residues || domain.alignment_from > domain.envelope_to)
        return false;
    if (domain.trace.empty() || domain.trace.front().state != TraceState::kMatch ||
        domain.trace.back().state != TraceState::kMatch)
        return false;
    domain.node_to = domain.node_from - 1;
    domain.alignment_to = domain.alignment_from - 1;
    for (TraceStep& step : domain.trace) {
        if (step.state != TraceState::kInsert && domain.node_to++ == nodes) return false;
        if (step.state != TraceState::kDelete && domain.alignment_to++ == domain.envelope_to) return false;
        step.node = domain.node_to;
        step.residue = domain.alignment_to;
        if (!(step.posterior >= 0) || !std::isfinite(step.posterior)) return false;
    }
    const auto aligned = static_cast<std::uint64_t>(domain.alignment_to - domain.alignment_from + 1);
    return domain.aligned_residues.size() == aligned &&
           std::ranges::all_of(domain.aligned_residues, [](ResidueCode code) { return code < kResidueCodes; });
}

bool complete(HmmHit& hit, int nodes, const DatabaseSet& databases) {
    if (!databases.has(hit.database, hit.rank, hit.input_position)) return false;
    hit.target_residues = databases.reader(hit.database).lengths_residues()[hit.rank];
    return all_finite({hit.score_bits, hit.uncorrected_bits, hit.log_pvalue, hit.expected_domains}) &&
           std::min({hit.regions, hit.clustered_regions, hit.overlapping_envelopes, hit.envelopes}) >= 0 &&
           !hit.domains.empty() && hit.domains.size() <= static_cast<std::size_t>(hit.envelopes) &&
           hit.domains.size() <= hit.target_residues && std::ranges::all_of(hit.domains, [&](HmmDomain& domain) {
               return complete(domain, nodes, static_cast<std::int64_t>(hit.target_residues));
           });
}

bool can_be(const HmmStageCounts& counts, const DatabaseSet& databases) {
    return std::max({counts.passed_msv, counts.passed_bias, counts.passed_viterbi, counts.passed_forward}) <=
           databases.searched_totals().sequences;
}

}  // namespace

std::string to_bytes(const HmmPartial& partial) {
    PacketWriter packet;
    packet(partial.hits, partial.counts);
    return packet.finish(kPartialKind);
}

Result<HmmPartial> hmm_partial_from_bytes(std::string_view bytes, const HmmBatch& batch, const DatabaseSet& databases,
                                          std::string_view origin) {
    auto packet = PacketReader::open(bytes, kPartialKind, origin);
    if (!packet.ok()) return packet.status();
    HmmPartial partial;
    (*packet)(partial.hits, partial.counts);
    WARPSEQ_TRY(packet->finish());
    packet->require(partial.hits.size() == batch.size() && partial.counts.size() == batch.size());
    for (std::size_t p = 0; p < std::min(partial.hits.size(), batch.size()); ++p) {
        std::vector<HmmHit>& hits = partial.hits[p];
        const int nodes = batch.profiles[p].length;
        packet->require(std::ranges::all_of(hits, [&](HmmHit& hit) { return complete(hit, nodes, databases); }));
        packet->require(std::ranges::adjacent_find(hits, std::ranges::greater_equal(), &HmmHit::place) == hits.end());
    }
    packet->require(
        std::ranges::all_of(partial.counts, [&](const HmmStageCounts& counts) { return can_be(counts, databases); }));
    WARPSEQ_TRY(packet->finish());
    return partial;
}

}  // namespace warpseq
