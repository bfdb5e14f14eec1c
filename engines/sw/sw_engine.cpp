#include "engines/sw/sw_engine.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <utility>

#include "engines/alignment_packet.h"
#include "formats/io/packet.h"

namespace warpseq {
namespace {

/// Bytes that the hits of all batches in flight take together, by estimate.
constexpr std::uint64_t kHitBytes = std::uint64_t{256} << 20;

/// Number of batches in flight with GPUs. They are small enough that the host finishes one while
/// the GPUs score the next ones.
constexpr std::size_t kGpuBatchesInFlight = 3;
constexpr QueryBatchLimits kGpuBatch{.queries = 64, .residues = 16 << 10};

/// Number of hits from which on no further query joins a window.
constexpr std::size_t kHitsPerWindow = 4096;

constexpr std::string_view kPacketKind = "sw", kResultsKind = "swwindow";

/// Whether hits are in the order of a report, none twice, and no more than the limit, if there is
/// one.
template <typename Hits, typename HitOf>
bool is_list(const Hits& hits, std::uint64_t limit, const HitOf& hit_of) {
    const auto in_order = [&](const auto& a, const auto& b) { return reported_before(hit_of(a), hit_of(b)); };
    return (limit == 0 || hits.size() <= limit) &&
           std::ranges::adjacent_find(hits, std::not_fn(in_order)) == hits.end();
}

}  // namespace

template <typename Packet>
void describe(Packet& packet, Hit& hit) {
    packet(hit.evalue, hit.score_raw, hit.database, hit.rank, hit.input_position);
}
template <typename Packet>
void describe(Packet& packet, ReportedHit& hit) {
    packet(hit.hit, hit.target_header, hit.rule, hit.alignment, hit.aligned_target);
}

SwEngine::SwEngine(const Session& session, SwSettings settings)
    : session_(session), settings_(std::move(settings)), statistics_(AlignmentStatistics::find(settings_.scheme)) {}

Result<std::unique_ptr<SwEngine>> SwEngine::create(const Session& session, SwSettings settings) {
    std::unique_ptr<SwEngine> engine(new SwEngine(session, std::move(settings)));
    const bool adjusted = engine->settings_.composition != CompositionMode::kNone;
    const std::string& matrix = engine->settings_.scheme.matrix.name();
    SwSearchSettings host;
    if (adjusted) {
        host.adjuster = CompositionAdjuster::create(engine->settings_.scheme.matrix, engine->settings_.composition);
        if (!host.adjuster)
            return Status::invalid_input("matrix " + matrix +
                                         " has no residue frequencies for composition-based statistics");
    }
    if (!engine->statistics_ && (adjusted || !std::isinf(engine->settings_.evalue)))
        return Status::invalid_input("no E-value statistics for " + matrix + " with these gap costs");
    host.backend = session.settings().backend;
    if (session.settings().chunk_bytes != 0) host.chunk_bytes = session.settings().chunk_bytes;
    host.evalue = engine->settings_.evalue;
    host.max_hits = engine->settings_.max_hits;
    host.space.database_residues = engine->settings_.database_residues != 0
                                       ? engine->settings_.database_residues
                                       : session.databases().searched_totals().residues;
    engine->host_.emplace(session.databases(), engine->settings_.scheme, engine->statistics_, host, session.pool());
#if WARPSEQ_HAVE_CUDA
    if (!session.gpus().empty()) {
        SwGpuSettings gpu{session.gpu_scan_settings()};
        gpu.most_queries = kGpuBatch.queries;
        gpu.backend = session.settings().backend;
        gpu.evalue = host.preliminary_evalue();
        gpu.max_hits = host.preliminary_hits();
        gpu.space = host.space;
        auto scan = SwGpuScan::create(session.databases(), engine->settings_.scheme, engine->statistics_, gpu,
                                      SwGpus::of_this_machine());
        if (!scan.ok()) return scan.status();
        engine->gpus_ = *std::move(scan);
    }
#endif
    return engine;
}

std::size_t SwEngine::batches_in_flight() const { return gpus_ ? kGpuBatchesInFlight : 1; }

QueryBatchLimits SwEngine::batch_limits(std::size_t batches_in_flight) const {
    const bool as_on_gpus = gpus_ || session_.settings().same_batches;
    if (batches_in_flight == 0) batches_in_flight = as_on_gpus ? kGpuBatchesInFlight : 1;
    QueryBatchLimits limits = as_on_gpus ? kGpuBatch : QueryBatchLimits{};
    limits.residues = session_.batch_residues(limits.residues);
    return limits.within(kHitBytes / batches_in_flight, host_->hit_bytes_per_query());
}

std::future<Result<SwPartial>> SwEngine::start_scan(const SwBatch& batch, const TargetShare& share,
                                                    const SearchControl& control) {
    const auto to_partial = [](Result<std::vector<std::vector<Hit>>> hits) -> Result<SwPartial> {
        if (!hits.ok()) return hits.status();
        return SwPartial{*std::move(hits)};
    };
    if (gpus_) {
        auto of_host = std::make_shared<SwPartial>();
        const auto scan = [this, of_host, queries = std::span<const Query>(batch.queries), stop = control.stop](
                              const TargetShare& part, Progress& progress) -> Status {
            auto hits = host_->find_hits(queries, part, progress, stop);
            if (!hits.ok()) return hits.status();
            return merge(*of_host, SwPartial{*std::move(hits)});
        };
        auto hits = gpus_->submit(batch.queries, share, control,
                                  {.scan = scan, .is_idle = [this] { return session_.pool().is_idle(); }});
        return std::async(std::launch::deferred, [this, to_partial, of_host, hits = std::move(hits)]() mutable {
            return guarded([&]() -> Result<SwPartial> {
                auto partial = to_partial(hits.get());
                if (partial.ok() && !of_host->hits.empty()) WARPSEQ_TRY(merge(*partial, std::move(*of_host)));
                return partial;
            });
        });
    }
    // On the CPU scanning and finishing use the same threads, so they run one after the other.
    return std::async(
        std::launch::deferred,
        [this, to_partial, queries = std::span<const Query>(batch.queries), share, control]() -> Result<SwPartial> {
            std::uint64_t residues = 0;
            for (const Query& query : queries) residues += query.residues.size();
            const auto progress =
                control.observer.begin("Searching", residues * residues_of(share, session_.databases()));
            return guarded([&] { return to_partial(host_->find_hits(queries, share, *progress, control.stop)); });
        });
}

Status SwEngine::merge(SwPartial& partial, SwPartial&& other) const {
    const auto is_same = [](const Hit& a, const Hit& b) { return a.database == b.database && a.rank == b.rank; };
    if (partial.hits.empty()) partial.hits.resize(other.hits.size());
    assert(partial.hits.size() == other.hits.size());
    for (std::size_t q = 0; q < partial.hits.size(); ++q) {
        HitList all(host_->settings().preliminary_hits());
        for (const Hit& hit : partial.hits[q]) all.add(hit);
        for (const Hit& hit : other.hits[q]) all.add(hit);
        partial.hits[q] = all.take_sorted();
        const auto twice = std::ranges::adjacent_find(partial.hits[q], is_same);
        if (twice != partial.hits[q].end()) return found_twice(session_.databases(), twice->database, twice->rank);
    }
    return {};
}

Result<std::vector<std::vector<ReportedHit>>> SwEngine::finish(const SwBatch& batch, const SwPartial& partial,
                                                               std::size_t first, std::size_t count, ReportNeeds needs,
                                                               const SearchControl& control) const {
    if (partial.hits.size() != batch.queries.size() || first > batch.queries.size() ||
        count > batch.queries.size() - first)
        return Status::invalid_input("a partial of another batch");
    return host_->finish(std::span(batch.queries).subspan(first, count), std::span(partial.hits).subspan(first, count),
                         needs, control);
}

std::size_t SwEngine::end_of_window(const SwPartial& partial, std::size_t first) {
    std::size_t end = first, hits = 0;
    while (end < partial.hits.size() && (end == first || hits < kHitsPerWindow)) hits += partial.hits[end++].size();
    return end;
}

std::string SwEngine::to_bytes(const SwPartial& partial) const {
    PacketWriter packet;
    packet(partial.hits);
    return packet.finish(kPacketKind);
}

Result<SwPartial> SwEngine::from_bytes(std::string_view bytes, const SwBatch& batch, std::string_view origin) const {
    auto packet = PacketReader::open(bytes, kPacketKind, origin);
    if (!packet.ok()) return packet.status();
    SwPartial partial;
    (*packet)(partial.hits);
    packet->require(partial.hits.size() == batch.queries.size());
    for (const auto& of_query : partial.hits) {
        packet->require(std::ranges::all_of(of_query, [&](const Hit& hit) { return can_be(hit); }));
        packet->require(is_list(of_query, host_->settings().preliminary_hits(), std::identity()));
    }
    WARPSEQ_TRY(packet->finish());
    return partial;
}

std::string SwEngine::to_bytes(const SwResults& results) const {
    PacketWriter packet;
    packet(results.first_query, results.hits);
    return packet.finish(kResultsKind);
}

Result<SwResults> SwEngine::results_from_bytes(std::string_view bytes, const SwBatch& batch,
                                               std::string_view origin) const {
    auto packet = PacketReader::open(bytes, kResultsKind, origin);
    if (!packet.ok()) return packet.status();
    SwResults results;
    (*packet)(results.first_query, results.hits);
    packet->require(results.first_query <= batch.queries.size() &&
                    results.hits.size() <= batch.queries.size() - results.first_query);
    WARPSEQ_TRY(packet->finish());
    const std::span<const Query> queries = std::span(batch.queries).subspan(results.first_query, results.hits.size());
    for (std::size_t q = 0; q < results.hits.size(); ++q) {
        for (ReportedHit& hit : results.hits[q]) {
            packet->require(can_be(hit.hit) && hit.target_header.find('\n') == std::string::npos);
            WARPSEQ_TRY(packet->finish());
            hit.target_residues = session_.databases().reader(hit.hit.database).lengths_residues()[hit.hit.rank];
            packet->require(
                warpseq::can_be(hit.alignment, queries[q].residues.size(), hit.target_residues, hit.aligned_target));
        }
        packet->require(
            is_list(results.hits[q], settings_.max_hits, [](const ReportedHit& hit) -> const Hit& { return hit.hit; }));
    }
    WARPSEQ_TRY(packet->finish());
    return results;
}

bool SwEngine::can_be(const Hit& hit) const {
    return hit.score_raw > 0 && hit.evalue >= 0 && session_.databases().has(hit.database, hit.rank, hit.input_position);
}

std::optional<SwGpuCounts> SwEngine::gpu_counts() const {
    if (!gpus_) return {};
    return gpus_->counts();
}

}  // namespace warpseq
