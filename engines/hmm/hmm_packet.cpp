#include "engines/hmm/hmm_packet.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>

#include "engines/hmm/hmm_thresholds.h"
#include "formats/packet.h"

namespace warpseq {
namespace {

constexpr std::string_view kPartialKind = "hmm", kResultsKind = "hmmres";

}  // namespace

constexpr TraceState last_value(TraceState) { return TraceState::kDelete; }

// Where an alignment begins and its steps' states say the node and the residue of each, and where it ends.

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

template <typename Packet>
void describe(Packet& packet, HmmThresholds& limit) {
    packet(limit.by_evalue, limit.domain_by_evalue, limit.include_by_evalue, limit.include_domain_by_evalue);
    packet(limit.evalue, limit.domain_evalue, limit.bits, limit.domain_bits);
    packet(limit.include_evalue, limit.include_domain_evalue, limit.include_bits, limit.include_domain_bits);
}

// What finish_report() and names add to hits and domains follows the hits as they are in partials.
template <typename Packet>
void describe(Packet& packet, HmmReport& report) {
    packet(report.hits, report.reported, report.included, report.counts, report.thresholds);
    packet(report.targets_z, report.domains_z, report.z_given, report.domain_z_given);
    for (HmmHit& hit : report.hits) {
        packet(hit.target_name, hit.target_accession, hit.target_description);
        packet(hit.sort_key, hit.best_domain, hit.reported_domains, hit.included_domains, hit.reported, hit.included);
        for (HmmDomain& domain : hit.domains) packet(domain.reported, domain.included);
    }
}

namespace {

bool all_finite(std::initializer_list<double> numbers) {
    return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
}

/// Fills in what packets leave out. False where this is no domain of the profile in a target of so many residues.
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
           databases.sequence_count();
}

/// A line of a table is to stay one.
bool is_one_line(const std::string& text) { return text.find('\n') == std::string::npos; }

/// Whether what results have beyond partials agrees with itself. The hit is complete otherwise.
bool is_finished(const HmmHit& hit) {
    if (!std::isfinite(hit.sort_key) || !is_one_line(hit.target_name) || !is_one_line(hit.target_accession) ||
        !is_one_line(hit.target_description))
        return false;
    if (static_cast<std::size_t>(hit.best_domain) >= hit.domains.size()) return false;  // negative: huge
    const auto is_flagged_as_hit = [&](const HmmDomain& domain) {
        return (hit.reported || !domain.reported) && (hit.included || !domain.included);
    };
    return (hit.reported || !hit.included) && std::ranges::all_of(hit.domains, is_flagged_as_hit) &&
           std::ranges::count_if(hit.domains, &HmmDomain::reported) == hit.reported_domains &&
           std::ranges::count_if(hit.domains, &HmmDomain::included) == hit.included_domains;
}

/// Fills in what packets leave out. False where these are no results of the profile.
bool complete(HmmReport& report, const ProfileHmm& profile, const HmmThresholds& thresholds,
              const DatabaseSet& databases) {
    if (!can_be(report.counts, databases) || report.thresholds != thresholds) return false;
    set_totals(report.counts, profile, databases);
    if (!all_finite({report.targets_z, report.domains_z}) || std::min(report.targets_z, report.domains_z) < 0)
        return false;
    const auto count = [&](bool HmmHit::*flag) {
        return static_cast<std::uint64_t>(std::ranges::count_if(report.hits, flag));
    };
    return std::ranges::all_of(
               report.hits,
               [&](HmmHit& hit) { return complete(hit, profile.length, databases) && is_finished(hit); }) &&
           std::ranges::adjacent_find(report.hits, std::not_fn(printed_before)) == report.hits.end() &&
           count(&HmmHit::reported) == report.reported && count(&HmmHit::included) == report.included;
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

std::string to_bytes(const std::vector<HmmReport>& reports) {
    PacketWriter packet;
    packet(reports);
    return packet.finish(kResultsKind);
}

Result<std::vector<HmmReport>> hmm_results_from_bytes(std::string_view bytes, const HmmBatch& batch,
                                                      const DatabaseSet& databases, std::string_view origin) {
    auto packet = PacketReader::open(bytes, kResultsKind, origin);
    if (!packet.ok()) return packet.status();
    std::vector<HmmReport> reports;
    (*packet)(reports);
    packet->require(reports.size() == batch.size());
    WARPSEQ_TRY(packet->finish());
    for (std::size_t p = 0; p < batch.size(); ++p)
        packet->require(complete(reports[p], batch.profiles[p], batch.thresholds[p], databases));
    WARPSEQ_TRY(packet->finish());
    return reports;
}

}  // namespace warpseq
