#include "bindings/searches/hmm_hits_packet.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/searches/kept_databases.h"
#include "formats/io/packet.h"

namespace warpseq {

constexpr HmmHit::Change last_value(HmmHit::Change) { return HmmHit::Change::kLost; }
constexpr TraceState last_value(TraceState) { return TraceState::kDelete; }
constexpr HmmQueryKind last_value(HmmQueryKind) { return HmmQueryKind::kScanned; }
constexpr AlignmentFormat last_value(AlignmentFormat) { return AlignmentFormat::kPhylips; }

namespace {

constexpr std::string_view kHitsKind = "hmmhits";

// The types of engines have descriptions of their own, for the partials of searches
// (engines/hmm/hmm_packet.cpp), which leave out names and flags. The types below hold the whole.

struct StoredStep {
    TraceStep step;
};
struct StoredDomain {
    HmmDomain domain;  // without its trace
    std::vector<StoredStep> trace;
};
struct StoredModel {
    HmmModel model;
};
struct StoredHit {
    HmmHit hit;  // without its domains and its model
    std::vector<StoredDomain> domains;
    std::optional<StoredModel> model;
};
struct StoredProfile {
    ProfileHmm hmm;
};
struct StoredGiven {
    HmmRun::Given given;
};
/// A result with its query, or one of its rounds.
struct StoredHits {
    HmmQuery query;
    std::optional<StoredModel> model;  // the query's
    std::optional<StoredProfile> hmm;
    HmmReport report;  // without its hits
    std::vector<StoredHit> hits;
    std::optional<StoredProfile> own_profile;
    bool is_round = false;
    HmmRoundFacts round;
};
struct StoredRun {
    HmmRun run;  // without its options
    std::vector<StoredGiven> given;
    HmmQueryKind kind = HmmQueryKind::kProfile;
};
struct StoredResult {
    StoredRun run;
    KeptFacts databases;
    std::vector<StoredHits> rounds;  // the last one is the result
    SearchInputs inputs;
};

template <typename Packet, typename T, std::size_t n>
void numbers(Packet& packet, std::array<T, n>& values) {
    for (T& value : values) packet(value);
}

template <typename Packet>
void thresholds(Packet& packet, HmmThresholds& limits) {
    packet(limits.by_evalue, limits.domain_by_evalue, limits.include_by_evalue, limits.include_domain_by_evalue,
           limits.evalue, limits.domain_evalue, limits.bits, limits.domain_bits, limits.include_evalue,
           limits.include_domain_evalue, limits.include_bits, limits.include_domain_bits);
}

template <typename Packet>
void describe(Packet& packet, StoredStep& stored) {
    TraceStep& step = stored.step;
    packet(step.state, step.node, step.residue, step.posterior);
}

template <typename Packet>
void describe(Packet& packet, StoredDomain& stored) {
    HmmDomain& domain = stored.domain;
    packet(domain.envelope_from, domain.envelope_to, domain.alignment_from, domain.alignment_to, domain.node_from,
           domain.node_to, domain.envelope_nats, domain.null2_nats, domain.bias_nats, domain.expected_accuracy,
           domain.score_bits, domain.log_pvalue, domain.reported, domain.included, stored.trace,
           domain.aligned_residues);
}

template <typename Packet>
void describe(Packet& packet, StoredModel& stored) {
    HmmModel& model = stored.model;
    std::vector<std::uint8_t> likely(model.likely.begin(), model.likely.end());
    packet(model.name, model.accession, model.description, model.length, model.consensus, model.reference,
           model.structure, likely);
    model.likely.assign(likely.begin(), likely.end());
    thresholds(packet, model.thresholds);
}

template <typename Packet>
void describe(Packet& packet, StoredHit& stored) {
    HmmHit& hit = stored.hit;
    packet(hit.database, hit.rank, hit.input_position, hit.target_name, hit.target_accession, hit.target_description,
           hit.target_residues, hit.score_bits, hit.uncorrected_bits, hit.log_pvalue, hit.sort_key,
           hit.expected_domains, hit.regions, hit.clustered_regions, hit.overlapping_envelopes, hit.envelopes,
           hit.best_domain, hit.reported_domains, hit.included_domains, hit.reported, hit.included, hit.change,
           stored.domains, stored.model);
}

/// Describes what alignments need of a profile. Its probabilities stay behind.
template <typename Packet>
void describe(Packet& packet, StoredProfile& stored) {
    ProfileHmm& hmm = stored.hmm;
    packet(hmm.name, hmm.accession, hmm.description, hmm.length, hmm.consensus, hmm.reference, hmm.mask, hmm.structure,
           hmm.map);
}

template <typename Packet>
void describe(Packet& packet, StoredGiven& stored) {
    HmmRun::Given& given = stored.given;
    packet(given.name, given.value, given.label, given.shown, given.is_default, given.is_layout);
}

template <typename Packet>
void describe(Packet& packet, StoredHits& stored) {
    HmmQuery& query = stored.query;
    HmmReport& report = stored.report;
    HmmStageCounts& counts = report.counts;
    HmmRoundFacts& round = stored.round;
    packet(query.name, query.accession, query.description, query.length, query.is_of_one_sequence, stored.model,
           stored.hmm, stored.hits, report.reported, report.included, report.targets_z, report.domains_z,
           report.z_given, report.domain_z_given, report.models_are_targets);
    thresholds(packet, report.thresholds);
    packet(counts.models, counts.nodes, counts.targets, counts.residues, counts.passed_msv, counts.passed_bias,
           counts.passed_viterbi, counts.passed_forward, stored.own_profile, stored.is_round, round.number,
           round.alignment_rows, round.rows_before, round.targets_before, round.new_targets, round.converged,
           round.is_last);
}

template <typename Packet>
void describe(Packet& packet, StoredRun& stored) {
    HmmRun& run = stored.run;
    HmmReportProgram& program = run.program;
    packet(program.name, program.banner, program.credits, program.version, program.author, program.folder, program.date,
           run.scans_models, run.query_file, run.database_names, run.command_line, run.outputs_at, stored.given,
           run.msv_pvalue, run.viterbi_pvalue, run.forward_pvalue, run.show_accessions, run.show_alignments,
           run.text_width, run.alignment_format, stored.kind);
}

StoredHit stored(const HmmHit& hit) {
    StoredHit made{hit, {}, {}};
    for (HmmDomain& domain : made.hit.domains) {
        StoredDomain& each = made.domains.emplace_back();
        for (const TraceStep& step : domain.trace) each.trace.push_back({step});
        each.domain = std::move(domain);
    }
    if (hit.model) made.model = StoredModel{*hit.model};
    return made;
}

StoredHits stored(const HmmHits& hits) {
    StoredHits made;
    made.query = hits.query;
    if (hits.query.model) made.model = StoredModel{*hits.query.model};
    if (hits.hmm) made.hmm = StoredProfile{*hits.hmm};
    for (const HmmHit& hit : hits.report.hits) made.hits.push_back(stored(hit));
    made.report = hits.report;
    if (hits.own_profile) made.own_profile = StoredProfile{*hits.own_profile};
    made.is_round = hits.round.has_value();
    if (hits.round) made.round = *hits.round;
    return made;
}

HmmHit restored(StoredHit&& stored) {
    HmmHit hit = std::move(stored.hit);
    for (StoredDomain& each : stored.domains) {
        HmmDomain& domain = hit.domains.emplace_back(std::move(each.domain));
        for (const StoredStep& step : each.trace) domain.trace.push_back(step.step);
    }
    if (stored.model) hit.model = std::make_shared<const HmmModel>(std::move(stored.model->model));
    return hit;
}

std::shared_ptr<HmmHits> restored(StoredHits&& stored, const std::shared_ptr<const HmmSearchRun>& run) {
    auto hits = std::make_shared<HmmHits>();
    hits->run = run;
    hits->query = std::move(stored.query);
    if (stored.model) hits->query.model = std::make_shared<const HmmModel>(std::move(stored.model->model));
    if (stored.hmm) hits->hmm = std::make_shared<const ProfileHmm>(std::move(stored.hmm->hmm));
    hits->report = std::move(stored.report);
    for (StoredHit& hit : stored.hits) hits->report.hits.push_back(restored(std::move(hit)));
    if (stored.own_profile) hits->own_profile = std::make_shared<const ProfileHmm>(std::move(stored.own_profile->hmm));
    if (stored.is_round) hits->round = stored.round;
    return hits;
}

/// Returns the facts about the databases of hits, and about the sequences that they found. In a
/// search for models the hits are models.
Result<KeptFacts> facts_about(const HmmHits& hits) {
    std::vector<std::string> headers;  // of the places
    std::vector<KeptPlace> places;
    const auto add = [&](const HmmHits& each) {
        for (const HmmHit& hit : each.report.hits) {
            headers.push_back(hit.target_name + (hit.target_description.empty() ? "" : " " + hit.target_description));
            places.push_back({hit.database, hit.rank});
        }
    };
    if (hits.run->kind != HmmQueryKind::kScanned) {
        for (const auto& earlier : hits.earlier_rounds) add(*earlier);
        add(hits);
    }
    for (std::size_t i = 0; i < places.size(); ++i) places[i].header = headers[i];
    return kept_facts(*hits.run->databases, places);
}

/// Whether the annotation of a profile fits its length.
bool is_whole(const ProfileHmm& hmm) {
    if (hmm.length < 1) return false;
    const auto nodes = static_cast<std::size_t>(hmm.length);
    const auto fits = [&](std::size_t size) { return size == 0 || size == nodes; };
    return hmm.consensus.size() == nodes && fits(hmm.reference.size()) && fits(hmm.mask.size()) &&
           fits(hmm.structure.size()) && fits(hmm.map.size());
}

/// Whether a domain lies within a query of this length, which is a profile or a sequence.
bool is_within(const HmmDomain& domain, std::uint64_t query_length, bool is_profile) {
    const std::int64_t from = is_profile ? domain.node_from : domain.alignment_from;
    const std::int64_t to = is_profile ? domain.node_to : domain.alignment_to;
    return from >= 1 && from <= to && static_cast<std::uint64_t>(to) <= query_length;
}

/// Whether all hits have the parts that outputs show. A packet may come from anywhere.
bool can_be_shown(const HmmHits& hits, const KeptDatabases& databases) {
    if (hits.round && hits.own_profile == nullptr) return false;
    const bool has_sequences = hits.run->kind != HmmQueryKind::kScanned;
    if (has_sequences && hits.hmm == nullptr) return false;
    if (hits.query.length == 0 && !hits.report.hits.empty()) return false;
    for (const auto& profile : {hits.hmm, hits.own_profile})
        if (profile != nullptr && !is_whole(*profile)) return false;
    if (hits.hmm != nullptr && hits.query.model != nullptr && hits.hmm->length != hits.query.model->length)
        return false;
    if (hits.hmm != nullptr && hits.own_profile != nullptr && hits.hmm->length != hits.own_profile->length)
        return false;
    if (has_sequences && hits.query.length != static_cast<std::uint64_t>(hits.hmm->length)) return false;
    for (const HmmHit& hit : hits.report.hits) {
        if (has_sequences && !databases.has(hit.database, hit.rank)) return false;
        const HmmModel* const model = hit.model ? hit.model.get() : hits.query.model.get();
        if (model == nullptr || hit.best_domain < 0 || static_cast<std::size_t>(hit.best_domain) >= hit.domains.size())
            return false;
        const auto nodes = static_cast<std::size_t>(model->length);
        if (model->length < 1 || model->consensus.size() != nodes || model->likely.size() % nodes != 0 ||
            model->likely.size() / nodes < kResidueCodes ||
            (!model->reference.empty() && model->reference.size() != nodes) ||
            (!model->structure.empty() && model->structure.size() != nodes))
            return false;
        for (const HmmDomain& domain : hit.domains) {
            if (domain.reported && !is_within(domain, has_sequences ? nodes : hits.query.length, has_sequences))
                return false;
            for (const TraceStep& step : domain.trace) {
                // A probability may exceed 1 by rounding.
                if (!(step.posterior >= -1 && step.posterior <= 2)) return false;
                if (step.residue < -1 || domain.alignment_from < -1) return false;
                const std::int64_t residue = step.residue - domain.alignment_from;
                if (step.node < 1 || step.node > model->length || residue < -1 ||
                    residue >= std::ssize(domain.aligned_residues))
                    return false;
                if (step.state != TraceState::kDelete && residue < 0) return false;
            }
            for (const ResidueCode code : domain.aligned_residues)
                if (code >= kResidueCodes) return false;
        }
    }
    return true;
}

}  // namespace

Result<std::string> to_bytes(const HmmHits& hits) {
    StoredResult result;
    auto facts = facts_about(hits);
    if (!facts.ok()) return facts.status();
    result.databases = *std::move(facts);
    const HmmRun& run = hits.run->options.run;
    result.run = {run, {}, hits.run->kind};
    result.inputs = hits.run->inputs;
    for (const HmmRun::Given& given : run.given) result.run.given.push_back({given});
    for (const auto& earlier : hits.earlier_rounds) result.rounds.push_back(stored(*earlier));
    result.rounds.push_back(stored(hits));
    PacketWriter packet;
    packet(result.run, result.databases, result.rounds, result.inputs);
    return packet.finish(kHitsKind);
}

Result<std::shared_ptr<const HmmHits>> hmm_hits_from_bytes(std::string_view bytes, std::string_view origin) {
    auto packet = PacketReader::open(bytes, kHitsKind, origin);
    if (!packet.ok()) return packet.status();
    StoredResult result;
    (*packet)(result.run, result.databases, result.rounds, result.inputs);
    packet->require(!result.rounds.empty() && result.run.run.outputs_at <= result.run.run.command_line.size());
    WARPSEQ_TRY(packet->finish());
    auto databases = KeptDatabases::of(std::move(result.databases), origin);
    if (!databases.ok()) return databases.status();
    auto run = std::make_shared<HmmSearchRun>();
    run->databases = *databases;
    run->options.run = std::move(result.run.run);
    for (StoredGiven& given : result.run.given) run->options.run.given.push_back(std::move(given.given));
    run->kind = result.run.kind;
    run->inputs = std::move(result.inputs);
    std::vector<std::shared_ptr<HmmHits>> rounds;
    for (StoredHits& each : result.rounds) {
        rounds.push_back(restored(std::move(each), run));
        packet->require(result.rounds.size() == 1 || rounds.back()->round.has_value());
        packet->require(can_be_shown(*rounds.back(), **databases));
    }
    WARPSEQ_TRY(packet->finish());
    for (std::size_t r = 0; r + 1 < rounds.size(); ++r) rounds.back()->earlier_rounds.push_back(rounds[r]);
    return std::shared_ptr<const HmmHits>(rounds.back());
}

}  // namespace warpseq
