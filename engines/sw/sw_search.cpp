#include "engines/sw/sw_search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "engines/hit_collector.h"
#include "engines/sw/query_blocks.h"
#include "engines/targets/chunk.h"
#include "engines/targets/chunk_reader.h"
#include "engines/targets/headers.h"
#include "kernels/smith_waterman/local_alignment.h"

namespace warpseq {

namespace {

/// Hits that a thread keeps for itself, at most. So lists that are not full do not grow with the
/// number of threads.
constexpr std::uint64_t kHitsOfThread = 16 << 10;

/// Residues of the targets that are in memory for alignment at the same time. A single target may
/// have more.
constexpr std::uint64_t kTargetResiduesAtOnce = std::uint64_t{64} << 20;

/// Bytes for directions of paths, for all threads together.
constexpr std::size_t kDirectionBytes = std::size_t{512} << 20;

/// The state of one thread of the host while it scores.
struct ThreadState {
    std::unique_ptr<SmithWatermanScorer::Workspace> workspace;
    std::vector<std::int32_t> scores_raw;
    std::unique_ptr<HitCollector> collector;
};

}  // namespace

double SwSearchSettings::preliminary_evalue() const {
    return adjuster ? warpseq::preliminary_evalue(evalue, adjuster->mode()) : evalue;
}
std::uint64_t SwSearchSettings::preliminary_hits() const {
    return adjuster && max_hits != 0 ? preliminary_targets(max_hits) : max_hits;
}

SwSearch::SwSearch(const DatabaseSet& databases, const ScoringScheme& scheme,
                   const std::optional<AlignmentStatistics>& statistics, const SwSearchSettings& settings,
                   const ThreadPool& pool)
    : databases_(databases), scheme_(scheme), statistics_(statistics), settings_(settings), pool_(pool) {
    limits_.direction_bytes = std::min(limits_.direction_bytes, kDirectionBytes / pool.threads());
}

Result<std::vector<std::vector<Hit>>> SwSearch::find_hits(std::span<const Query> queries, const TargetShare& share,
                                                          Progress& progress, std::stop_token stop) {
    ThreadPool pool = pool_.with_stop(std::move(stop));
    if (queries.empty()) return std::vector<std::vector<Hit>>();
    std::vector<std::span<const ResidueCode>> residues;
    for (const Query& query : queries) residues.emplace_back(query.residues);
    const auto blocks = make_query_blocks(residues, scheme_, settings_.backend);
    if (!blocks.ok()) return blocks.status();
    std::vector<ThreadState> threads(pool.threads());
    for (ThreadState& thread : threads) {
        thread.workspace = blocks->front().scorer->make_workspace();
        thread.workspace->stop = pool.stop();
        thread.collector = std::make_unique<HitCollector>(databases_, queries, statistics_, settings_.space,
                                                          settings_.preliminary_evalue(), settings_.preliminary_hits());
    }

    ProgressCounter cells_done(progress);
    HitCollector shared(databases_, queries, statistics_, settings_.space, settings_.preliminary_evalue(),
                        settings_.preliminary_hits());
    std::mutex shared_mutex;
    ChunkReader chunk_reader;
    for (const ChunkGroup& chunks : group_chunks(databases_, settings_.chunk_bytes, share)) {
        WARPSEQ_TRY(chunk_reader.read_searched(databases_, chunks, pool));
        const std::vector<TileView>& tiles = chunk_reader.tiles();
        const auto groups = group_tiles(tiles, blocks->front().scorer->preferred_tiles());
        WARPSEQ_TRY(
            pool.parallel_for(groups.size() * blocks->size(), [&](std::uint64_t item, unsigned thread_index) -> Status {
                const TileGroup& group = groups[item / blocks->size()];
                const QueryBlock& block = (*blocks)[item % blocks->size()];
                ThreadState& thread = threads[thread_index];
                const auto members = std::span<const TileView>(tiles).subspan(group.first, group.count);
                std::size_t lanes = 0;
                for (const TileView& tile : members) lanes += tile.lanes();
                thread.scores_raw.resize(lanes * block.scorer->query_count());
                block.scorer->score(members, *thread.workspace, thread.scores_raw);
                if (pool.stop().stop_requested()) return Status::interrupted();
                cells_done.add(residues_of(members) * block.residues);

                std::span<const std::int32_t> scores_raw(thread.scores_raw);
                for (std::size_t q = 0; q < block.scorer->query_count(); ++q) {
                    for (const TileView& tile : members) {
                        thread.collector->add(block.first_query + q, chunks.database, tile.first_sequence,
                                              scores_raw.first(tile.lanes()));
                        scores_raw = scores_raw.subspan(tile.lanes());
                    }
                }
                if (thread.collector->added() >= kHitsOfThread) {
                    const std::lock_guard lock(shared_mutex);
                    thread.collector->move_hits_to(shared);
                }
                return {};
            }));
    }

    std::vector<HitCollector*> collectors = {&shared};
    for (const ThreadState& thread : threads) collectors.push_back(thread.collector.get());
    std::vector<std::vector<Hit>> hits = take_sorted_hits(collectors, queries.size());
    const std::lock_guard lock(mutex_);
    for (const ThreadState& thread : threads) counts_ += thread.workspace->counts;
    return hits;
}

std::uint64_t SwSearch::hit_bytes_per_query() const {
    std::uint64_t hits = expected_hits(settings_.preliminary_evalue(), databases_.searched_totals().sequences);
    if (const std::uint64_t limit = settings_.preliminary_hits(); limit != 0)
        hits = std::min(hits, HitList::most_held(limit));
    return hits * sizeof(Hit);
}

/// A hit that is being finished, with its query.
struct SwSearch::Place {
    const Query* query;
    ReportedHit* hit;
};

std::uint64_t SwSearch::cells_of(const Place& place) {
    return place.query->residues.size() * place.hit->target_residues;
}

bool SwSearch::have_same_target(const Place& a, const Place& b) {
    return a.hit->hit.database == b.hit->hit.database && a.hit->hit.rank == b.hit->hit.rank;
}

Result<std::vector<std::vector<ReportedHit>>> SwSearch::finish(std::span<const Query> queries,
                                                               std::span<const std::vector<Hit>> hits,
                                                               ReportNeeds needs, const SearchControl& control) const {
    const ThreadPool pool = pool_.with_stop(control.stop);
    std::vector<std::vector<ReportedHit>> reported(hits.size());
    for (std::size_t q = 0; q < hits.size(); ++q) {
        reported[q].resize(hits[q].size());
        for (std::size_t h = 0; h < hits[q].size(); ++h) {
            ReportedHit& hit = reported[q][h];
            hit.hit = hits[q][h];
            hit.target_residues = databases_.reader(hit.hit.database).lengths_residues()[hit.hit.rank];
        }
    }
    // The order is the database's, so that each block of names and of residues is decoded once.
    const auto places = [&] {
        std::vector<Place> all;
        for (std::size_t q = 0; q < reported.size(); ++q) {
            for (ReportedHit& hit : reported[q]) all.push_back({&queries[q], &hit});
        }
        std::ranges::sort(all, {},
                          [](const Place& place) { return std::tuple(place.hit->hit.database, place.hit->hit.rank); });
        return all;
    };
    if (needs.alignments || settings_.adjuster) WARPSEQ_TRY(align(places(), pool, control.observer));
    if (settings_.adjuster) {
        for (auto& of_query : reported) keep_significant(of_query);
    }
    if (!needs.headers) return reported;
    std::vector<ReportedHit*> named;
    std::vector<SequencePlace> sequences;
    for (auto& of_query : reported) {
        for (ReportedHit& hit : of_query) {
            named.push_back(&hit);
            sequences.push_back({hit.hit.database, hit.hit.rank});
        }
    }
    WARPSEQ_TRY(for_each_header(databases_, sequences, pool, [&](std::size_t i, std::string_view header) {
        named[i]->target_header = header_without_trailing_blanks(header);
    }));
    return reported;
}

// Fetches the targets of places, which are in the database's order. All places of a sequence share
// one target. It stands with the first of them, and the others have none.
Result<std::vector<std::vector<ResidueCode>>> SwSearch::fetch_targets(std::span<const Place> places,
                                                                      const ThreadPool& pool) const {
    struct BlockOfHits {
        std::size_t database;
        std::uint64_t first_tile;
        std::size_t begin, end;  // in places
    };
    std::vector<BlockOfHits> groups;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Hit& hit = places[i].hit->hit;
        const WsdbReader& reader = databases_.reader(hit.database);
        const std::uint64_t first_tile = reader.block_start(reader.tile_of_sequence(hit.rank));
        if (groups.empty() || groups.back().database != hit.database || groups.back().first_tile != first_tile) {
            groups.push_back({hit.database, first_tile, i, i});
        }
        groups.back().end = i + 1;
    }
    std::vector<TileBuffer> buffers(pool.threads());
    std::vector<std::vector<ResidueCode>> targets(places.size());
    WARPSEQ_TRY(pool.parallel_for(groups.size(), [&](std::uint64_t g, unsigned thread) -> Status {
        const BlockOfHits& group = groups[g];
        const WsdbReader& reader = databases_.reader(group.database);
        const std::uint64_t last_tile = reader.tile_of_sequence(places[group.end - 1].hit->hit.rank);
        WARPSEQ_TRY(reader.read_tiles(group.first_tile, last_tile - group.first_tile + 1, buffers[thread]));
        for (std::size_t i = group.begin; i < group.end; ++i) {
            const std::uint64_t rank = places[i].hit->hit.rank;
            if (i > group.begin && have_same_target(places[i - 1], places[i])) continue;
            const TileView& tile = buffers[thread].views[reader.tile_of_sequence(rank) - group.first_tile];
            const auto lane = static_cast<std::uint32_t>(rank - tile.first_sequence);
            targets[i].resize(tile.lengths_residues[lane]);
            unpack_lane(tile, lane, targets[i].data());
        }
        return {};
    }));
    return targets;
}

Status SwSearch::align(std::span<const Place> places, const ThreadPool& pool, Observer& observer) const {
    std::uint64_t cells = 0;
    for (const Place& place : places) cells += cells_of(place);
    const auto progress = observer.begin("Aligning", cells);
    ProgressCounter cells_done(*progress);
    for (std::size_t first = 0, end; first < places.size(); first = end) {
        std::uint64_t residues = places[first].hit->target_residues;
        for (end = first + 1; end < places.size(); ++end) {
            if (have_same_target(places[end - 1], places[end])) continue;
            residues += places[end].hit->target_residues;
            if (residues > kTargetResiduesAtOnce) break;
        }
        WARPSEQ_TRY(align_at_once(places.subspan(first, end - first), pool, cells_done));
    }
    return {};
}

Status SwSearch::align_at_once(std::span<const Place> places, const ThreadPool& pool,
                               ProgressCounter& cells_done) const {
    const auto targets = fetch_targets(places, pool);
    if (!targets.ok()) return targets.status();
    std::vector<std::size_t> target_of;  // index in targets of each place's target
    for (std::size_t i = 0; i < places.size(); ++i)
        target_of.push_back(i > 0 && have_same_target(places[i - 1], places[i]) ? target_of.back() : i);
    // Relatives of a query are of like length and stand together. So alignments are handed out one
    // by one, largest first.
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return cells_of(places[i]); });
    const PairScores scores = pair_scores(scheme_);
    LocalAlignmentLimits limits = limits_;
    limits.stop = pool.stop();
    std::vector<AdjustedPair> pairs;  // one per thread
    for (unsigned t = 0; settings_.adjuster && t < pool.threads(); ++t) {
        pairs.emplace_back(*settings_.adjuster, scheme_, *statistics_);
    }
    // A target is masked alike for all queries.
    std::vector<std::vector<SegStretch>> low_complexity(settings_.adjuster ? targets->size() : 0);
    WARPSEQ_TRY(pool.parallel_for(low_complexity.size(), [&](std::uint64_t i, unsigned) {
        if (target_of[i] == i) low_complexity[i] = low_complexity_of((*targets)[i]);
    }));
    return pool.parallel_for(order.size(), [&](std::uint64_t o, unsigned thread) -> Status {
        const std::size_t i = order[o];
        const std::vector<ResidueCode>& target = (*targets)[target_of[i]];
        WARPSEQ_TRY(settings_.adjuster
                        ? align_adjusted(places[i], target, low_complexity[target_of[i]], scores, limits, pairs[thread])
                        : align_as_scored(places[i], target, scores, limits));
        ReportedHit& hit = *places[i].hit;
        hit.aligned_target.assign(target.begin() + static_cast<std::ptrdiff_t>(hit.alignment.target_begin),
                                  target.begin() + static_cast<std::ptrdiff_t>(hit.alignment.target_end));
        cells_done.add(cells_of(places[i]));
        return {};
    });
}

Status SwSearch::align_as_scored(const Place& place, std::span<const ResidueCode> target, const PairScores& scores,
                                 const LocalAlignmentLimits& limits) const {
    ReportedHit& hit = *place.hit;
    hit.alignment = align_local(settings_.backend, place.query->residues, target, scores, limits);
    if (limits.stop.stop_requested()) return Status::interrupted();
    if (hit.alignment.score_raw == hit.hit.score_raw) return {};
    return Status::invalid_input("internal error, please report it: query '" + place.query->header +
                                 "' against sequence " + std::to_string(hit.hit.input_position) + " of " +
                                 databases_.reader(hit.hit.database).file().string() + " scores " +
                                 std::to_string(hit.hit.score_raw) + ", but its alignment " +
                                 std::to_string(hit.alignment.score_raw));
}

// Hits that are not significant by their adjusted scores are not reported, so they get no path.
Status SwSearch::align_adjusted(const Place& place, std::span<const ResidueCode> target,
                                std::span<const SegStretch> low_complexity, const PairScores& scores,
                                const LocalAlignmentLimits& limits, AdjustedPair& pair) const {
    ReportedHit& hit = *place.hit;
    // With longer sequences, scores in 32nds might not fit 32 bits.
    constexpr std::uint64_t kMostResidues = std::uint64_t{1} << 21;
    if (std::min(place.query->residues.size(), target.size()) > kMostResidues)
        return align_as_scored(place, target, scores, limits);
    pair.set_query(place.query->residues);
    if (pair.set_masked_target(target, low_complexity) && pair.may_be_near_identical(hit.hit.score_raw)) {
        WARPSEQ_TRY(align_as_scored(place, target, scores, limits));
        const AlignedBox found{hit.alignment.score_raw, hit.alignment.query_begin, hit.alignment.query_end,
                               hit.alignment.target_begin, hit.alignment.target_end};
        if (pair.may_be_near_identical(found) && pair.is_near_identical(found, target)) pair.set_target(target);
    }
    hit.rule = pair.adjust();
    const auto set_score = [&](std::int64_t adjusted_score) {
        const double score_raw = static_cast<double>(adjusted_score) / kAdjustedScale;
        hit.hit.evalue = statistics_->evalue(score_raw, pair.query().size(), target.size(), settings_.space);
        hit.hit.score_raw = static_cast<std::int32_t>(std::lround(score_raw));
    };
    LocalAlignmentLimits of_significant = limits;
    of_significant.wants_path = [&](std::int64_t adjusted_score) {
        set_score(adjusted_score);
        return is_significant(hit.hit);
    };
    hit.alignment = hit.rule
                        ? align_local(settings_.backend, pair.query(), pair.target(), pair.scores(), of_significant)
                        : Alignment();
    if (limits.stop.stop_requested()) return Status::interrupted();
    set_score(hit.alignment.score_raw);
    hit.alignment.score_raw = hit.hit.score_raw;
    return {};
}

bool SwSearch::is_significant(const Hit& hit) const { return hit.score_raw > 0 && !(hit.evalue > settings_.evalue); }

void SwSearch::keep_significant(std::vector<ReportedHit>& hits) const {
    std::erase_if(hits, [&](const ReportedHit& hit) { return !is_significant(hit.hit); });
    std::ranges::sort(hits, [](const ReportedHit& a, const ReportedHit& b) { return reported_before(a.hit, b.hit); });
    if (settings_.max_hits != 0 && hits.size() > settings_.max_hits) hits.resize(settings_.max_hits);
}

}  // namespace warpseq
