#include "engines/blastp/blastp_engine.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "engines/alignment_packet.h"
#include "engines/targets/headers.h"
#include "formats/fasta/fasta.h"
#include "formats/io/packet.h"
#include "libcore/base/clock.h"
#include "libcore/scoring/frequency_ratios.h"
#include "libcore/scoring/word_rule.h"

namespace warpseq {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{64} << 20;

/// Limits of a batch on the CPU. The memory for hits grows with the number of queries. This many
/// queries are worth decoding the database again.
constexpr QueryBatchLimits kCpuBatch{.queries = 256, .residues = 128 << 10};

/// Bytes that the hits of all batches in flight may take together, by estimate.
constexpr std::uint64_t kFoundBytes = std::uint64_t{512} << 20;

/// Number of batches in flight with GPUs. They are small enough that the host finishes one while
/// the GPUs scan for the next ones.
constexpr std::size_t kGpuBatchesInFlight = 3;

constexpr std::string_view kPacketKind = "blastp", kResultsKind = "blastpre";

void note_pyrrolysine(const Query& query, Observer& observer) {
    const auto count = std::ranges::count(query.residues, kCodeO);
    if (count == 0) return;
    observer.note("warning: query " + std::string(identifier_of(query.header)) + ": " + std::to_string(count) +
                  " of its residues are O, pyrrolysine, and are scored as X");
}

using Candidates = std::vector<std::vector<Hit>>;  // by part

void append(Candidates& candidates, Candidates&& others) {
    for (std::size_t p = 0; p < candidates.size(); ++p) std::ranges::move(others[p], std::back_inserter(candidates[p]));
}

std::uint64_t shortest_residues(const DatabaseSet& databases) {
    std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t d = 0; d < databases.size(); ++d)
        shortest = std::min(shortest, databases.reader(d).lengths_residues().back());
    return std::max(shortest, BlastpParameters::kShortestTarget);
}

}  // namespace

template <typename Packet>
void describe(Packet& packet, Hsp& hsp) {
    packet(hsp.score_raw, hsp.query_begin, hsp.query_end, hsp.target_begin, hsp.target_end, hsp.query_seed,
           hsp.target_seed, hsp.evalue, hsp.runs, hsp.rule);
}
template <typename Packet>
void describe(Packet& packet, BlastpHit& hit) {
    packet(hit.database, hit.rank, hit.position, hit.evalue, hit.hsps, hit.aligned_targets);
}
template <typename Packet>
void describe(Packet& packet, BlastpQueryResult& result) {
    packet(result.hits, result.headers);
}

std::optional<AlignmentStatistics> blastp_statistics(const BlastpSettings& settings) {
    ScoringScheme scheme = settings.scheme;
    if (settings.ungapped)
        scheme.gaps = AlignmentStatistics::default_gap_costs(scheme.matrix.name()).value_or(scheme.gaps);
    return AlignmentStatistics::find(scheme);
}

BlastpEngine::BlastpEngine(const Session& session, BlastpSettings settings)
    : session_(session), settings_(std::move(settings)), statistics_(blastp_statistics(settings_)) {}

Status BlastpEngine::set_parameters() {
    const SubstitutionMatrix& matrix = settings_.scheme.matrix;
    if (!statistics_) return Status::invalid_input("no statistics for " + matrix.name() + " with these gap costs");
    const int word = settings_.word_residues;
    if (word < WordRule::kFewestResidues || word > WordRule::kMostResidues) {
        return Status::invalid_input("words of " + std::to_string(word) + " residues: expected " +
                                     std::to_string(WordRule::kFewestResidues) + " to " +
                                     std::to_string(WordRule::kMostResidues));
    }
    const bool compressed = word >= WordRule::kFewestCompressed;
    if (compressed && !frequency_ratios(matrix.name())) {
        return Status::invalid_input("matrix " + matrix.name() + " has no scores for words of " + std::to_string(word) +
                                     " residues");
    }
    parameters_.emplace(BlastpParameters{
        settings_.scheme, *statistics_,
        compressed ? WordRule::compressed(matrix, word, settings_.threshold, statistics_->ungapped().lambda)
                   : WordRule::uncompressed(matrix, word, settings_.threshold)});
    parameters_->window_residues = settings_.window_residues;
    parameters_->x_drop_ungapped_bits = settings_.x_drop_ungapped_bits;
    parameters_->x_drop_gapped_bits = settings_.x_drop_gapped_bits;
    parameters_->x_drop_final_bits = settings_.x_drop_final_bits;
    parameters_->evalue = settings_.evalue;
    parameters_->seg = settings_.seg;
    parameters_->soft_masking = settings_.soft_masking;
    parameters_->lower_case_masking = settings_.lower_case_masking;
    parameters_->backend = session_.settings().backend;
    parameters_->ungapped = settings_.ungapped;
    parameters_->smith_waterman = settings_.smith_waterman;
    const DatabaseSet& databases = session_.databases();
    if (settings_.cutoffs_by_shortest_target) {
        parameters_->cutoff_target_residues = databases.is_restricted()
                                                  ? std::max<std::uint64_t>(databases.shortest_searched_residues(), 1)
                                                  : shortest_residues(databases);
    }
    parameters_->database_sequences =
        settings_.database_sequences != 0 ? settings_.database_sequences : databases.searched_totals().sequences;
    if (settings_.ungapped && settings_.composition != CompositionMode::kNone)
        return Status::invalid_input("composition-based statistics need alignments with gaps");
    if (settings_.ungapped && settings_.smith_waterman)
        return Status::invalid_input("Smith-Waterman makes alignments with gaps");
    if (settings_.composition != CompositionMode::kNone) {
        parameters_->adjuster = CompositionAdjuster::create(matrix, settings_.composition);
        if (!parameters_->adjuster)
            return Status::invalid_input("matrix " + matrix.name() +
                                         " has no residue frequencies for composition-based statistics");
    }
    space_.database_residues =
        settings_.database_residues != 0 ? settings_.database_residues : databases.searched_totals().residues;
    space_.effective = settings_.search_space;
    space_.is_negative = settings_.has_negative_database;
    return {};
}

Result<std::unique_ptr<BlastpEngine>> BlastpEngine::create(const Session& session, BlastpSettings settings) {
    std::unique_ptr<BlastpEngine> engine(new BlastpEngine(session, std::move(settings)));
    WARPSEQ_TRY(engine->set_parameters());
    const SessionSettings& machine = session.settings();
    const BlastpParameters& parameters = *engine->parameters_;
    engine->search_.emplace(session.databases(), parameters, engine->space_, engine->settings_.limits, session.pool());
    engine->screen_.emplace(session.databases(), parameters, engine->space_,
                            machine.chunk_bytes != 0 ? machine.chunk_bytes : kChunkBytes, session.pool());
#if WARPSEQ_HAVE_CUDA
    // GPUs bound the scores of alignments with gaps only.
    if (!session.gpus().empty() && !parameters.ungapped) {
        SwGpuSettings gpu{session.gpu_scan_settings()};
        gpu.backend = machine.backend;
        engine->gpus_ =
            BlastpGpuScreen::create(session.databases(), parameters, engine->space_, gpu, SeedGpus::of_this_machine());
    }
#endif
    return engine;
}

std::size_t BlastpEngine::batches_in_flight() const { return gpus_ ? kGpuBatchesInFlight : 1; }

QueryBatchLimits BlastpEngine::batch_limits(std::size_t batches_in_flight) const {
    const bool as_on_gpus = gpus_ || session_.settings().same_batches;
    if (batches_in_flight == 0) batches_in_flight = as_on_gpus ? kGpuBatchesInFlight : 1;
    QueryBatchLimits limits = as_on_gpus ? BlastpGpuScreen::batch_limits(*parameters_) : kCpuBatch;
    limits.residues = session_.batch_residues(limits.residues);
    return limits.within(kFoundBytes / batches_in_flight, search_->found_bytes_per_query());
}

Result<BlastpBatch> BlastpEngine::prepare(std::vector<QueryWithParts> queries, const SearchControl& control) const {
    for (const QueryWithParts& query : queries) note_pyrrolysine(query.query, control.observer);
    BlastpBatch batch;
    batch.queries.resize(queries.size());
    const ThreadPool pool = session_.pool().with_stop(control.stop);
    WARPSEQ_TRY(pool.parallel_for(queries.size(), [&](std::uint64_t q, unsigned) {
        Query& query = queries[q].query;
        std::vector<QueryStretch> lower_case;
        for (const ResidueRange& range : query.lower_case) {
            lower_case.push_back({static_cast<std::uint32_t>(range.begin), static_cast<std::uint32_t>(range.end)});
        }
        batch.queries[q] = make_blastp_query(std::move(query.header), std::move(query.residues), std::move(lower_case),
                                             *parameters_, space_, queries[q].parts);
    }));
    std::set<std::uint64_t> searched_groups;
    for (std::size_t q = 0; q < queries.size(); ++q) {
        if (batch.queries[q].ungapped) searched_groups.insert(queries[q].group);
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
        BlastpQuery& query = batch.queries[q];
        query.is_in_invalid_group = !searched_groups.contains(queries[q].group);
        if (query.ungapped || query.residues.empty()) continue;
        control.observer.note("warning: query " + std::string(identifier_of(query.header)) +
                              " cannot be searched: its letters, apart from X and masked ones, give no score "
                              "statistics");
    }
    batch.parts = all_searched_parts(batch.queries);
    batch.scanned = scanned_parts(batch.parts);
    return batch;
}

std::future<Result<BlastpPartial>> BlastpEngine::start_scan(const BlastpBatch& batch, const TargetShare& share,
                                                            const SearchControl& control) {
    const std::span<const BlastpQuery* const> parts(batch.parts);
    const std::span<const Query> scanned(batch.scanned);
    if (parts.empty()) return std::async(std::launch::deferred, [] { return Result(BlastpPartial()); });
    if (gpus_) {
        auto of_host = std::make_shared<Candidates>(parts.size());
        const auto scan = [this, of_host, parts, scanned, stop = control.stop](const TargetShare& part,
                                                                               Progress& progress) -> Status {
            auto found = screen_->find_candidates(parts, scanned, part, progress, stop);
            if (!found.ok()) return found.status();
            append(*of_host, *std::move(found));
            return {};
        };
        auto candidates = gpus_->submit(parts, scanned, share, control,
                                        {.scan = scan, .units_per_cell = BlastpScreen::kUnits, .is_idle = [this] {
                                             return session_.pool().is_idle();
                                         }});
        return std::async(std::launch::deferred,
                          [this, parts, control, of_host, candidates = std::move(candidates)]() mutable {
                              return search_candidates(
                                  parts,
                                  [&] {
                                      auto found = candidates.get();
                                      if (found.ok()) append(*found, std::move(*of_host));
                                      return found;
                                  },
                                  control);
                          });
    }
    // On the CPU screening and searching use the same threads, so they run one after the other.
    return std::async(std::launch::deferred, [this, parts, scanned, share, control] {
        return search_candidates(
            parts,
            [&] {
                std::uint64_t residues = 0;
                for (const Query& query : scanned) residues += query.residues.size();
                const auto progress = control.observer.begin(
                    "Searching", BlastpScreen::kUnits * residues * residues_of(share, session_.databases()));
                return screen_->find_candidates(parts, scanned, share, *progress, control.stop);
            },
            control);
    });
}

template <class Screen>
Result<BlastpPartial> BlastpEngine::search_candidates(std::span<const BlastpQuery* const> parts, const Screen& screen,
                                                      const SearchControl& control) {
    return guarded([&]() -> Result<BlastpPartial> {
        BlastpCounts counts;
        auto start = Clock::now();
        const Result<std::vector<std::vector<Hit>>> candidates = screen();
        counts.screen_seconds = seconds_since(start);
        if (!candidates.ok()) return candidates.status();
        for (const auto& of_part : *candidates) counts.candidates += of_part.size();
        start = Clock::now();
        auto hits = search_->find_preliminary(parts, *candidates, control);
        counts.search_seconds = seconds_since(start);
        add(counts);
        if (!hits.ok()) return hits.status();
        return BlastpPartial{*std::move(hits)};
    });
}

void BlastpEngine::add(const BlastpCounts& counts) {
    const std::lock_guard lock(mutex_);
    counts_.candidates += counts.candidates;
    counts_.screen_seconds += counts.screen_seconds;
    counts_.search_seconds += counts.search_seconds;
}

Status BlastpEngine::merge(BlastpPartial& partial, BlastpPartial&& other) const {
    if (partial.hits.empty()) partial.hits.resize(other.hits.size());
    assert(partial.hits.size() == other.hits.size());
    for (std::size_t p = 0; p < partial.hits.size(); ++p) {
        std::ranges::move(other.hits[p], std::back_inserter(partial.hits[p]));
        keep_best(partial.hits[p], search_->scanned_targets());
        const auto twice = std::ranges::adjacent_find(partial.hits[p], {}, &BlastpHit::position);
        if (twice != partial.hits[p].end()) return found_twice(session_.databases(), twice->database, twice->rank);
    }
    return {};
}

Result<std::vector<BlastpQueryResult>> BlastpEngine::finish(const BlastpBatch& batch, BlastpPartial partial,
                                                            const SearchControl& control) {
    if (partial.hits.size() != batch.parts.size()) return Status::invalid_input("a partial of another batch");
    const auto start = Clock::now();
    auto hits = search_->trace_back(batch.queries, std::move(partial.hits), control);
    add({.search_seconds = seconds_since(start)});
    if (!hits.ok()) return hits.status();
    std::vector<BlastpQueryResult> results(batch.queries.size());
    for (std::size_t q = 0; q < results.size(); ++q) {
        results[q].hits = std::move((*hits)[q]);
        set_search_space(batch.queries[q], results[q]);
    }
    WARPSEQ_TRY(read_headers(results, control));
    return results;
}

void BlastpEngine::set_search_space(const BlastpQuery& query, BlastpQueryResult& result) const {
    if (!query.ungapped) return;
    const std::uint64_t residues = query.residues.size(), sequences = parameters_->database_sequences;
    const AlignmentStatistics& statistics = statistics_of(query, *statistics_);
    // If there is nothing to search, nothing was searched.
    if (space_.database_residues == 0 && space_.effective == 0) return;
    result.length_adjustment = statistics.length_adjustment(residues, space_.database_residues, sequences);
    result.effective_search_space =
        space_.effective != 0 ? space_.effective
                              : statistics.effective_search_space(residues, space_.database_residues, sequences);
}

Status BlastpEngine::read_headers(std::vector<BlastpQueryResult>& results, const SearchControl& control) const {
    std::vector<SequencePlace> places;
    std::vector<std::string*> header_of_place;
    for (BlastpQueryResult& result : results) {
        result.headers.resize(result.hits.size());
        for (std::size_t h = 0; h < result.hits.size(); ++h) {
            places.push_back({result.hits[h].database, result.hits[h].rank});
            header_of_place.push_back(&result.headers[h]);
        }
    }
    return for_each_header(session_.databases(), places, session_.pool().with_stop(control.stop),
                           [&](std::size_t i, std::string_view header) { *header_of_place[i] = header; });
}

std::string BlastpEngine::to_bytes(const BlastpPartial& partial) const {
    PacketWriter packet;
    packet(partial.hits);
    return packet.finish(kPacketKind);
}

Result<BlastpPartial> BlastpEngine::from_bytes(std::string_view bytes, const BlastpBatch& batch,
                                               std::string_view origin) const {
    auto packet = PacketReader::open(bytes, kPacketKind, origin);
    if (!packet.ok()) return packet.status();
    BlastpPartial partial;
    (*packet)(partial.hits);
    for (auto& of_part : partial.hits) std::ranges::for_each(of_part, set_evalue);
    packet->require(may_be_of(partial, batch));
    WARPSEQ_TRY(packet->finish());
    return partial;
}

std::string BlastpEngine::to_bytes(const std::vector<BlastpQueryResult>& results) const {
    PacketWriter packet;
    packet(results);
    return packet.finish(kResultsKind);
}

Result<std::vector<BlastpQueryResult>> BlastpEngine::results_from_bytes(std::string_view bytes,
                                                                        const BlastpBatch& batch,
                                                                        std::string_view origin) const {
    auto packet = PacketReader::open(bytes, kResultsKind, origin);
    if (!packet.ok()) return packet.status();
    std::vector<BlastpQueryResult> results;
    (*packet)(results);
    packet->require(results.size() == batch.queries.size());
    WARPSEQ_TRY(packet->finish());
    for (std::size_t q = 0; q < results.size(); ++q) {
        set_search_space(batch.queries[q], results[q]);
        packet->require(may_be_of(results[q], batch.queries[q]));
    }
    WARPSEQ_TRY(packet->finish());
    return results;
}

bool BlastpEngine::may_be_of(const BlastpQueryResult& result, const BlastpQuery& query) const {
    const DatabaseSet& databases = session_.databases();
    const auto may_be = [&](const BlastpHit& hit) {
        if (hit.database >= databases.size() || hit.rank >= databases.reader(hit.database).sequence_count() ||
            !databases.is_searched(hit.database, hit.rank) ||
            hit.position != search_->position_of(hit.database, hit.rank))
            return false;
        if (hit.hsps.empty() || hit.aligned_targets.size() != hit.hsps.size() || !(hit.evalue >= 0)) return false;
        const std::uint64_t target_residues = databases.reader(hit.database).lengths_residues()[hit.rank];
        for (std::size_t i = 0; i < hit.hsps.size(); ++i) {
            const Hsp& hsp = hit.hsps[i];
            const Alignment alignment{hsp.score_raw,    hsp.query_begin, hsp.query_end,
                                      hsp.target_begin, hsp.target_end,  hsp.runs};
            if (hsp.score_raw < 1 || !(hsp.evalue >= 0) || hsp.runs.empty()) return false;
            if (!can_be(alignment, query.residues.size(), target_residues, hit.aligned_targets[i])) return false;
        }
        return true;
    };
    const auto is_line = [](const std::string& header) { return header.find('\n') == std::string::npos; };
    return result.headers.size() == result.hits.size() && std::ranges::all_of(result.headers, is_line) &&
           result.hits.size() <= settings_.limits.max_targets && (query.ungapped || result.hits.empty()) &&
           std::ranges::all_of(result.hits, may_be);
}

bool BlastpEngine::may_be_of(const BlastpPartial& partial, const BlastpBatch& batch) const {
    if (partial.hits.size() != batch.parts.size()) return false;
    for (std::size_t p = 0; p < partial.hits.size(); ++p) {
        const std::vector<BlastpHit>& hits = partial.hits[p];
        if (hits.size() > search_->scanned_targets()) return false;
        if (!std::ranges::all_of(hits, [&](const BlastpHit& hit) { return may_be_of(hit, *batch.parts[p]); }))
            return false;
        const auto before = [](const BlastpHit& a, const BlastpHit& b) { return reported_before(a, b); };
        if (!std::ranges::is_sorted(hits, before)) return false;
        std::set<std::uint64_t> positions;
        for (const BlastpHit& hit : hits) positions.insert(hit.position);
        if (positions.size() != hits.size()) return false;
    }
    return true;
}

bool BlastpEngine::may_be_of(const BlastpHit& hit, const BlastpQuery& part) const {
    const DatabaseSet& databases = session_.databases();
    if (!part.finder || hit.database >= databases.size()) return false;
    const WsdbReader& reader = databases.reader(hit.database);
    if (hit.rank >= reader.sequence_count() || hit.position != search_->position_of(hit.database, hit.rank))
        return false;
    if (!databases.is_searched(hit.database, hit.rank)) return false;
    const std::uint64_t begin = part.begin_in_whole, end = begin + part.scored.size();
    const std::uint64_t target_residues = reader.lengths_residues()[hit.rank];
    const double evalue = parameters_->preliminary_evalue(space_);
    const std::int32_t least_raw = settings_.ungapped ? part.ungapped_cutoff_raw : part.cutoff_raw;
    const std::int64_t highest_raw = settings_.scheme.matrix.highest_raw();
    const auto may_be = [&](const Hsp& hsp) {
        if (!hsp.runs.empty() || hsp.rule) return false;  // these come with tracing back
        if (hsp.query_begin < begin || hsp.query_begin > hsp.query_end || hsp.query_end > end) return false;
        if (hsp.target_begin > hsp.target_end || hsp.target_end > target_residues) return false;
        if (hsp.query_seed < begin || hsp.query_seed >= end || hsp.target_seed >= target_residues) return false;
        // If the seed is a sequence's last residue, it is scored but lies outside the range
        // (kernels/seeds/gapped_extension.h).
        const auto pairs =
            static_cast<std::int64_t>(1 + std::min(hsp.query_end - hsp.query_begin, hsp.target_end - hsp.target_begin));
        if (hsp.score_raw < least_raw || hsp.score_raw > pairs * highest_raw) return false;
        return hsp.evalue >= 0 && hsp.evalue <= evalue;
    };
    return !hit.hsps.empty() && hit.aligned_targets.empty() && std::ranges::all_of(hit.hsps, may_be) &&
           std::ranges::is_sorted(hit.hsps, hsp_before);
}

BlastpCounts BlastpEngine::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

std::optional<BlastpGpuCounts> BlastpEngine::gpu_counts() const {
    if (!gpus_) return {};
    return gpus_->counts();
}

}  // namespace warpseq
