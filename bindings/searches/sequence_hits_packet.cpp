#include "bindings/searches/sequence_hits_packet.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bindings/searches/blastp_hits.h"
#include "bindings/searches/kept_databases.h"
#include "bindings/searches/sw_hits.h"
#include "engines/alignment_packet.h"
#include "formats/io/packet.h"
#include "reports/blast/blastp_report_text.h"
#include "reports/blast/searched_databases.h"

namespace warpseq {

constexpr CompositionMode last_value(CompositionMode) { return CompositionMode::kOptimized; }
constexpr BlastpLayout::HitOrder last_value(BlastpLayout::HitOrder) { return BlastpLayout::HitOrder::kCoverage; }
constexpr BlastpLayout::HspOrder last_value(BlastpLayout::HspOrder) { return BlastpLayout::HspOrder::kTargetStart; }

namespace {

constexpr std::string_view kHitsKind = "seqhits";

// The types of engines have descriptions of their own, for the partials of searches, which leave
// out what is in the databases. The types below hold the whole.

struct StoredScheme {
    std::string name;
    std::vector<std::int8_t> matrix;  // row by row
    GapCosts gaps;
};
/// The members that both engines have.
struct StoredRun {
    KeptFacts databases;
    StoredScheme scheme;
    double evalue = 0;
    CompositionMode composition = CompositionMode::kNone;
    std::string outfmt;
    bool has_header = false;
    std::uint64_t number = 0;
    std::string query_header;
    std::vector<ResidueCode> query_residues;
};
struct StoredSwHit {
    ReportedHit hit;
};
struct StoredStretch {
    QueryStretch stretch;
};
struct StoredHsp {
    Hsp hsp;
    std::vector<ResidueCode> aligned_target;
};
struct StoredBlastpHit {
    BlastpHit hit;  // without its HSPs
    std::string header;
    std::vector<StoredHsp> hsps;
};
struct StoredNames {
    BlastpNames::Database names;
};
struct StoredSw {
    std::vector<StoredSwHit> hits;
};
/// The members of blastp's results alone.
struct StoredBlastp {
    std::string version, databases, title;
    std::vector<StoredNames> each;
    double threshold = 0;
    std::uint32_t window_residues = 0;
    bool has_seg = false;
    SegParameters seg;
    bool soft_masking = false, has_lost_composition = false, is_ungapped = false;
    std::uint64_t search_space = 0;
    BlastpLayout layout;
    std::uint64_t whole_residues = 0;
    std::vector<StoredStretch> masked;
    bool has_ungapped = false;
    UngappedParameters ungapped = {};
    bool is_in_invalid_group = false;
    std::uint64_t effective_search_space = 0, length_adjustment = 0;
    std::vector<StoredBlastpHit> hits;
};
struct StoredResult {
    StoredRun run;
    bool is_sw = false;
    StoredSw sw;          // if is_sw, or else
    StoredBlastp blastp;  // this one
    SearchInputs inputs;
};

template <typename Packet>
void describe(Packet& packet, StoredScheme& stored) {
    packet(stored.name, stored.matrix, stored.gaps.open, stored.gaps.extend);
}

template <typename Packet>
void describe(Packet& packet, StoredRun& stored) {
    packet(stored.databases, stored.scheme, stored.evalue, stored.composition, stored.outfmt, stored.has_header,
           stored.number, stored.query_header, stored.query_residues);
}

template <typename Packet>
void describe(Packet& packet, StoredSwHit& stored) {
    ReportedHit& hit = stored.hit;
    packet(hit.hit.evalue, hit.hit.score_raw, hit.hit.database, hit.hit.rank, hit.hit.input_position, hit.target_header,
           hit.target_residues, hit.rule, hit.alignment, hit.aligned_target);
}

template <typename Packet>
void describe(Packet& packet, StoredStretch& stored) {
    packet(stored.stretch.begin, stored.stretch.end);
}

template <typename Packet>
void describe(Packet& packet, StoredHsp& stored) {
    Hsp& hsp = stored.hsp;
    packet(hsp.score_raw, hsp.query_begin, hsp.query_end, hsp.target_begin, hsp.target_end, hsp.query_seed,
           hsp.target_seed, hsp.evalue, hsp.runs, hsp.rule, stored.aligned_target);
}

template <typename Packet>
void describe(Packet& packet, StoredBlastpHit& stored) {
    BlastpHit& hit = stored.hit;
    packet(hit.database, hit.rank, hit.position, hit.evalue, stored.header, stored.hsps);
}

template <typename Packet>
void describe(Packet& packet, StoredNames& stored) {
    BlastpNames::Database& names = stored.names;
    std::uint64_t place = names.place;
    packet(names.title, names.taxid, names.has_parsed_ids, names.has_taxids, names.date, place);
    names.place = place;
}

template <typename Packet>
void describe(Packet& packet, StoredSw& stored) {
    packet(stored.hits);
}

template <typename Packet>
void describe(Packet& packet, StoredBlastp& stored) {
    SegParameters& seg = stored.seg;
    BlastpLayout& layout = stored.layout;
    packet(stored.version, stored.databases, stored.title, stored.each, stored.threshold, stored.window_residues,
           stored.has_seg, seg.window_residues, seg.low_bits, seg.high_bits, stored.soft_masking,
           stored.has_lost_composition, stored.is_ungapped, stored.search_space, layout.descriptions, layout.alignments,
           layout.line_length, layout.hit_order, layout.hsp_order, layout.is_html, layout.has_ncbi_lines);
    packet(stored.whole_residues, stored.masked, stored.has_ungapped, stored.ungapped.lambda, stored.ungapped.k,
           stored.ungapped.h, stored.is_in_invalid_group, stored.effective_search_space, stored.length_adjustment,
           stored.hits);
}

template <typename Packet>
void describe(Packet& packet, StoredResult& stored) {
    packet(stored.run, stored.is_sw);
    if (stored.is_sw) {
        packet(stored.sw);
    } else {
        packet(stored.blastp);
    }
    packet(stored.inputs);
}

StoredScheme stored(const ScoringScheme& scheme) {
    StoredScheme made{scheme.matrix.name(), {}, scheme.gaps};
    for (const auto& row : scheme.matrix.table()) made.matrix.insert(made.matrix.end(), row.begin(), row.end());
    return made;
}

Result<StoredResult> stored(const SwHits& hits) {
    const SwOptions& options = hits.run().options;
    StoredResult result;
    std::vector<KeptPlace> places;
    result.is_sw = true;
    for (const ReportedHit& hit : hits.hits()) {
        places.push_back({hit.hit.database, hit.hit.rank, hit.target_header});
        result.sw.hits.push_back({hit});
    }
    auto facts = kept_facts(*hits.run().databases, places);
    if (!facts.ok()) return facts.status();
    StoredRun& run = result.run;
    run.databases = *std::move(facts);
    result.inputs = hits.run().inputs;
    run.scheme = stored(options.settings.scheme);
    run.evalue = options.settings.evalue;
    run.composition = options.settings.composition;
    run.outfmt = options.outfmt;
    run.has_header = options.has_header;
    run.number = hits.number();
    run.query_header = hits.query().header;
    run.query_residues = hits.query().residues;
    return result;
}

StoredBlastpHit stored(const BlastpHit& hit, const std::string& header) {
    StoredBlastpHit made{{hit.database, hit.rank, hit.position, hit.evalue, {}, {}}, header, {}};
    for (std::size_t i = 0; i < hit.hsps.size(); ++i) made.hsps.push_back({hit.hsps[i], hit.aligned_targets[i]});
    return made;
}

/// Stores what reports show of a run of blastp.
void store(const BlastpSearchRun& run, StoredRun& common, StoredBlastp& stored_run) {
    const BlastpSettings& settings = run.options.settings;
    common.scheme = stored(settings.scheme);
    common.evalue = settings.evalue;
    common.composition = settings.composition;
    common.outfmt = run.options.outfmt;
    common.has_header = run.options.has_header;
    stored_run.version = run.names.version;
    stored_run.databases = run.names.databases;
    stored_run.title = run.names.title;
    for (const BlastpNames::Database& each : run.names.each) stored_run.each.push_back({each});
    stored_run.threshold = settings.threshold;
    stored_run.window_residues = settings.window_residues;
    stored_run.has_seg = settings.seg.has_value();
    if (settings.seg) stored_run.seg = *settings.seg;
    stored_run.soft_masking = settings.soft_masking;
    stored_run.has_lost_composition = settings.has_lost_composition;
    stored_run.is_ungapped = settings.ungapped;
    stored_run.search_space = settings.search_space;
    stored_run.layout = run.options.layout;
}

Result<StoredResult> stored(const BlastpHits& hits) {
    const BlastpSearchRun& run = hits.run();
    const BlastpResult found = hits.result();
    StoredResult result;
    StoredBlastp& blastp = result.blastp;
    std::vector<std::vector<std::uint64_t>> taxids;  // of each hit's definition lines
    for (std::size_t h = 0; h < found.hits.size(); ++h) {
        taxids.push_back(name_target(run.names, found.hits[h], found.headers[h]).taxids);
        blastp.hits.push_back(stored(found.hits[h], found.headers[h]));
    }
    std::vector<KeptPlace> places;
    for (std::size_t h = 0; h < found.hits.size(); ++h)
        places.push_back({found.hits[h].database, found.hits[h].rank, found.headers[h], taxids[h]});
    auto facts = kept_facts(*run.databases, places);
    if (!facts.ok()) return facts.status();
    result.run.databases = *std::move(facts);
    result.inputs = run.inputs;
    store(run, result.run, blastp);
    result.run.number = found.number;
    result.run.query_header = found.query.header;
    result.run.query_residues = found.query.residues;
    blastp.whole_residues = found.whole_residues;
    for (const QueryStretch& each : found.query.masked) blastp.masked.push_back({each});
    blastp.has_ungapped = found.query.ungapped.has_value();
    if (found.query.ungapped) blastp.ungapped = *found.query.ungapped;
    blastp.is_in_invalid_group = found.query.is_in_invalid_group;
    blastp.effective_search_space = found.effective_search_space;
    blastp.length_adjustment = found.length_adjustment;
    return result;
}

bool are_residues(std::span<const ResidueCode> codes) {
    return std::ranges::all_of(codes, [](ResidueCode code) { return code < kResidueCodes; });
}

// Each function can_be() tells whether all values are as reports need them. A packet may come from
// anywhere.

bool can_be(const StoredRun& run) {
    const auto is_cost = [](int cost) { return cost >= 0 && cost <= kHighestGapCost; };
    return run.scheme.matrix.size() == std::size_t{kResidueTableSize} * kResidueTableSize &&
           is_cost(run.scheme.gaps.open) && is_cost(run.scheme.gaps.extend) && are_residues(run.query_residues);
}

bool can_be_shown(const Alignment& alignment, std::uint64_t query_residues, std::uint64_t target_residues,
                  std::span<const ResidueCode> aligned_target) {
    return !alignment.runs.empty() && can_be(alignment, query_residues, target_residues, aligned_target);
}

bool can_be(const StoredSw& sw, std::uint64_t query_residues, const KeptDatabases& databases) {
    return std::ranges::all_of(sw.hits, [&](const StoredSwHit& stored) {
        const ReportedHit& hit = stored.hit;
        return databases.has(hit.hit.database, hit.hit.rank) &&
               can_be_shown(hit.alignment, query_residues, hit.target_residues, hit.aligned_target);
    });
}

bool can_be(const StoredBlastp& blastp, std::uint64_t query_residues, const KeptDatabases& databases) {
    if (blastp.layout.line_length == 0 || blastp.whole_residues < query_residues) return false;
    if (!blastp.each.empty() && blastp.each.size() != databases.size()) return false;
    const UngappedParameters& ungapped = blastp.ungapped;
    if (!std::isfinite(ungapped.lambda) || !std::isfinite(ungapped.k) || !std::isfinite(ungapped.h)) return false;
    for (const StoredStretch& each : blastp.masked)
        if (each.stretch.begin > each.stretch.end || each.stretch.end > query_residues) return false;
    return std::ranges::all_of(blastp.hits, [&](const StoredBlastpHit& stored) {
        const BlastpHit& hit = stored.hit;
        const auto is_right = [&](const StoredHsp& each) {
            const Hsp& hsp = each.hsp;
            return can_be_shown(
                {hsp.score_raw, hsp.query_begin, hsp.query_end, hsp.target_begin, hsp.target_end, hsp.runs},
                query_residues, databases.whole_residues(hit.database, hit.rank), each.aligned_target);
        };
        return databases.has(hit.database, hit.rank) && !stored.hsps.empty() &&
               std::ranges::all_of(stored.hsps, is_right);
    });
}

ScoringScheme restored(StoredScheme&& stored) {
    SubstitutionMatrix::Table table{};
    for (std::size_t q = 0; q < table.size(); ++q)
        std::ranges::copy(std::span(stored.matrix).subspan(q * kResidueTableSize, kResidueTableSize), table[q].begin());
    return {SubstitutionMatrix(std::move(stored.name), table), stored.gaps};
}

std::shared_ptr<const SequenceHits> restored(StoredRun&& stored, StoredSw&& sw, SearchInputs&& inputs,
                                             std::shared_ptr<const KeptDatabases> databases) {
    SwOptions options{.common = {},
                      .settings = {.scheme = restored(std::move(stored.scheme)),
                                   .evalue = stored.evalue,
                                   .composition = stored.composition},
                      .matrix_file = {},
                      .outfmt = std::move(stored.outfmt),
                      .has_header = stored.has_header};
    auto statistics = AlignmentStatistics::find(options.settings.scheme);
    auto run = std::make_shared<const SwSearchRun>(
        SwSearchRun{nullptr, std::move(databases), std::move(options), std::move(inputs), std::move(statistics)});
    Query query{.header = std::move(stored.query_header), .residues = std::move(stored.query_residues)};
    query.number = stored.number;
    query.whole_residues = query.residues.size();
    std::vector<ReportedHit> hits;
    for (StoredSwHit& each : sw.hits) hits.push_back(std::move(each.hit));
    return std::make_shared<const SwHits>(std::move(run), stored.number, std::move(query), std::move(hits));
}

BlastpOptions options_of(StoredRun& stored, const StoredBlastp& blastp) {
    BlastpSettings settings{.scheme = restored(std::move(stored.scheme))};
    settings.evalue = stored.evalue;
    settings.composition = stored.composition;
    settings.threshold = blastp.threshold;
    settings.window_residues = blastp.window_residues;
    if (blastp.has_seg) settings.seg = blastp.seg;
    settings.soft_masking = blastp.soft_masking;
    settings.has_lost_composition = blastp.has_lost_composition;
    settings.ungapped = blastp.is_ungapped;
    settings.search_space = blastp.search_space;
    BlastpOptions options{.common = {}, .settings = std::move(settings)};
    options.layout = blastp.layout;
    options.outfmt = std::move(stored.outfmt);
    options.has_header = stored.has_header;
    return options;
}

Result<std::shared_ptr<const SequenceHits>> restored(StoredRun&& stored, StoredBlastp&& blastp, SearchInputs&& inputs,
                                                     std::shared_ptr<const KeptDatabases> databases,
                                                     std::string_view origin) {
    BlastpOptions options = options_of(stored, blastp);
    auto statistics = blastp_statistics(options.settings);
    if (!statistics)
        return Status::invalid_input(std::string(origin) + ": damaged or forged: no statistics for its scores");
    BlastpNames names{.version = std::move(blastp.version),
                      .databases = std::move(blastp.databases),
                      .title = std::move(blastp.title)};
    for (StoredNames& each : blastp.each) names.each.push_back(std::move(each.names));
    WARPSEQ_TRY(find_taxa(*databases, false, names));
    BlastpQuery query;
    query.header = std::move(stored.query_header);
    query.residues = std::move(stored.query_residues);
    for (const StoredStretch& each : blastp.masked) query.masked.push_back(each.stretch);
    if (blastp.has_ungapped) query.ungapped = blastp.ungapped;
    if (blastp.has_ungapped && blastp.is_ungapped) query.own_statistics = statistics->without_gaps(blastp.ungapped);
    query.is_in_invalid_group = blastp.is_in_invalid_group;
    BlastpQueryResult result;
    result.effective_search_space = blastp.effective_search_space;
    result.length_adjustment = blastp.length_adjustment;
    for (StoredBlastpHit& each : blastp.hits) {
        BlastpHit& hit = result.hits.emplace_back(std::move(each.hit));
        for (StoredHsp& of_hit : each.hsps) {
            hit.hsps.push_back(std::move(of_hit.hsp));
            hit.aligned_targets.push_back(std::move(of_hit.aligned_target));
        }
        result.headers.push_back(std::move(each.header));
    }
    auto positives = positives_matrix(options.settings.scheme.matrix, kCodesWithoutPositives);
    auto run = std::make_shared<const BlastpSearchRun>(
        BlastpSearchRun{nullptr, std::move(databases), std::move(options), std::move(inputs), std::move(names),
                        *std::move(statistics), std::move(positives)});
    return std::shared_ptr<const SequenceHits>(std::make_shared<const BlastpHits>(
        std::move(run), stored.number, blastp.whole_residues, std::move(query), std::move(result)));
}

}  // namespace

Result<std::string> to_bytes(const SequenceHits& hits) {
    const auto* const sw = dynamic_cast<const SwHits*>(&hits);
    auto result = sw != nullptr ? stored(*sw) : stored(dynamic_cast<const BlastpHits&>(hits));
    if (!result.ok()) return result.status();
    PacketWriter packet;
    packet(*result);
    return packet.finish(kHitsKind);
}

Result<std::shared_ptr<const SequenceHits>> sequence_hits_from_bytes(std::string_view bytes, std::string_view origin) {
    auto packet = PacketReader::open(bytes, kHitsKind, origin);
    if (!packet.ok()) return packet.status();
    StoredResult result;
    (*packet)(result);
    WARPSEQ_TRY(packet->finish());
    packet->require(can_be(result.run));
    WARPSEQ_TRY(packet->finish());
    auto databases = KeptDatabases::of(std::move(result.run.databases), origin);
    if (!databases.ok()) return databases.status();
    const std::uint64_t residues = result.run.query_residues.size();
    packet->require(result.is_sw ? can_be(result.sw, residues, **databases)
                                 : can_be(result.blastp, residues, **databases));
    WARPSEQ_TRY(packet->finish());
    if (result.is_sw)
        return restored(std::move(result.run), std::move(result.sw), std::move(result.inputs), *std::move(databases));
    return restored(std::move(result.run), std::move(result.blastp), std::move(result.inputs), *std::move(databases),
                    origin);
}

}  // namespace warpseq
