#include "engines/blastp/blastp_search.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "engines/blastp/hsp_filters.h"
#include "engines/blastp/pair_searcher.h"
#include "engines/composition/adjusted_pair.h"
#include "engines/targets/chunk_reader.h"

namespace warpseq {
namespace {

/// Sizes of units. A unit is a run of pairs in one block of the database that one thread works on.
/// Relatives have like lengths, so a batch has many pairs in few blocks. So units are small enough
/// that each thread gets kUnitsOfThread, but not so small that decoding a block counts beside its
/// pairs. A unit may be kStretchForTarget times as large if it ends with a target then, because the
/// stretches of low complexity are found once for a target and a unit.
constexpr std::size_t kFewestPairsInUnit = 8, kMostPairsInUnit = 1024, kUnitsOfThread = 32, kStretchForTarget = 4;

/// Residues above which a target is long: it is unpacked once for all threads.
constexpr std::uint64_t kLongTargetResidues = std::uint64_t{1} << 18;

/// Copies that a thread makes of a target: its residues with low complexity masked, and those that
/// were masked last (AdjustedPair). All threads together take at most kLongTargetBytes for copies
/// of one long target, but one thread always works on it.
constexpr std::uint64_t kMaskedCopies = 2, kLongTargetBytes = std::uint64_t{512} << 20;

void unpack(const TileView& tile, std::uint64_t rank, std::vector<ResidueCode>& residues) {
    const auto lane = static_cast<std::uint32_t>(rank - tile.first_sequence);
    residues.resize(tile.lengths_residues[lane]);
    unpack_lane(tile, lane, residues.data());
}

// Whether the HSPs found before in a target lie in it. They do unless its file has been changed
// since.
bool lies_within(const BlastpHit* hit, std::uint64_t target_residues) {
    return !hit || std::ranges::all_of(hit->hsps, [&](const Hsp& hsp) {
        return hsp.target_end <= target_residues && hsp.target_seed < target_residues;
    });
}

// Joins what the parts of a query have found, part after part. Each part adds to a list of targets,
// which is then cut to `limit`.
std::vector<BlastpHit> join_parts(std::span<std::vector<BlastpHit>> found, std::span<const BlastpQuery> parts,
                                  std::uint64_t limit) {
    std::vector<BlastpHit> joined = std::move(found.front());
    for (std::size_t p = 1; p < parts.size(); ++p) {
        std::ranges::sort(joined, {}, &BlastpHit::position);
        const auto earlier = static_cast<std::ptrdiff_t>(joined.size());
        for (BlastpHit& hit : found[p]) {
            const auto end = joined.begin() + earlier;
            const auto same = std::ranges::lower_bound(joined.begin(), end, hit.position, {}, &BlastpHit::position);
            if (same != end && same->position == hit.position) {
                merge_part(same->hsps, std::move(hit.hsps), parts[p].begin_in_whole);
                set_evalue(*same);
            } else {
                joined.push_back(std::move(hit));
            }
        }
        keep_best(joined, limit);
    }
    return joined;
}

QueryStretch stretch_of(const BlastpQuery& part) {
    return {static_cast<std::uint32_t>(part.begin_in_whole),
            static_cast<std::uint32_t>(part.begin_in_whole + part.residues.size())};
}

// Moves an HSP of a hit to another place. Its aligned target exists once the HSP is traced back.
void keep_at(BlastpHit& hit, std::size_t to, std::size_t from) {
    if (to == from) return;
    hit.hsps[to] = std::move(hit.hsps[from]);
    if (!hit.aligned_targets.empty()) hit.aligned_targets[to] = std::move(hit.aligned_targets[from]);
}
void shorten(BlastpHit& hit, std::size_t count) {
    hit.hsps.resize(count);
    if (!hit.aligned_targets.empty()) hit.aligned_targets.resize(count);
}

void drop_within_better(BlastpHit& hit) {
    const std::vector<bool> is_within = within_better(hit.hsps);
    std::size_t kept = 0;
    for (std::size_t h = 0; h < is_within.size(); ++h) {
        if (!is_within[h]) keep_at(hit, kept++, h);
    }
    shorten(hit, kept);
}

// Sorts the HSPs of a hit. With composition-based statistics the order of scores, which are
// rounded, may differ from that of E-values.
void sort_hsps(BlastpHit& hit, bool (*before)(const Hsp&, const Hsp&)) {
    std::vector<std::size_t> order(hit.hsps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return before(hit.hsps[a], hit.hsps[b]); });
    BlastpHit sorted = hit;
    for (std::size_t h = 0; h < order.size(); ++h) {
        sorted.hsps[h] = std::move(hit.hsps[order[h]]);
        if (!hit.aligned_targets.empty()) sorted.aligned_targets[h] = std::move(hit.aligned_targets[order[h]]);
    }
    hit = std::move(sorted);
}

}  // namespace

bool reported_before(const BlastpHit& a, const BlastpHit& b) {
    const auto key = [](const BlastpHit& hit) {
        return std::tuple(hit.evalue < kLowestEvalue ? 0 : hit.evalue, -std::int64_t{hit.hsps.front().score_raw});
    };
    return key(a) != key(b) ? key(a) < key(b) : a.position > b.position;
}

void set_evalue(BlastpHit& hit) {
    // blastp looks for the lowest E-value from this number on.
    constexpr double kHighest = std::numeric_limits<std::int32_t>::max();
    if (!hit.hsps.empty()) hit.evalue = std::min(std::ranges::min(hit.hsps, {}, &Hsp::evalue).evalue, kHighest);
}

void keep_best(std::vector<BlastpHit>& hits, std::uint64_t limit) {
    std::ranges::sort(hits, [](const BlastpHit& a, const BlastpHit& b) { return reported_before(a, b); });
    if (hits.size() > limit) hits.resize(limit);
}

/// A query, or a part of one, and a target that one thread works on.
struct BlastpSearch::Pair {
    std::uint32_t query, database;  // index of the query, or of the part
    std::uint64_t rank;
    std::uint64_t position = 0;  // of the target, as in BlastpHit
    BlastpHit* hit = nullptr;    // what was found before, if anything
};

/// Consecutive pairs that one thread works on, or all pairs of a long target.
struct BlastpSearch::Unit {
    std::size_t begin, end;  // in pairs
    bool has_long_target;
};

BlastpSearch::BlastpSearch(const DatabaseSet& databases, const BlastpParameters& parameters, const SearchSpace& space,
                           const BlastpLimits& limits, const ThreadPool& pool)
    : databases_(databases), parameters_(parameters), space_(space), limits_(limits), pool_(pool) {}

std::uint64_t BlastpSearch::found_bytes_per_query() const {
    constexpr std::uint64_t kHitBytes = 1024;  // with its alignments, residues and name
    const std::uint64_t sequences = databases_.searched_totals().sequences;
    if (is_filtered()) {
        return expected_hits(parameters_.preliminary_evalue(space_), sequences) *
               (sizeof(Hit) + sizeof(Pair) + sizeof(BlastpHit) + sizeof(Hsp));
    }
    return expected_hits(parameters_.preliminary_evalue(space_), sequences) * (sizeof(Hit) + sizeof(Pair)) +
           std::min(preliminary_targets(), sequences) * kHitBytes;
}

// Until targets are traced back blastp keeps somewhat more of them than it reports.
std::uint64_t BlastpSearch::preliminary_targets() const {
    if (parameters_.ungapped) return limits_.max_targets;
    constexpr std::uint64_t kFew = 10, kMore = 50;
    if (parameters_.adjuster) return warpseq::preliminary_targets(limits_.max_targets);
    return std::min(std::max(2 * limits_.max_targets, kFew), limits_.max_targets + kMore);
}

std::uint64_t BlastpSearch::scanned_targets() const {
    return is_filtered() ? std::numeric_limits<std::uint64_t>::max() : preliminary_targets();
}

// Applies culling or best hits. They work on preliminary HSPs of a part, which has `query` of its
// query, or on final HSPs of a query. Preliminary culling is more generous, and preliminary best
// hits use no overhang.
void BlastpSearch::filter(std::vector<BlastpHit>& hits, QueryStretch query, bool are_final) const {
    if (!is_filtered()) return;
    constexpr std::uint64_t kMoreWhilePreliminary = 3;
    if (are_final) {
        keep_best(hits, hits.size());
    } else {
        std::ranges::sort(hits, {}, &BlastpHit::position);
    }
    std::vector<std::size_t> left;
    const auto add_all = [&](auto& filter, const auto& add) {
        std::size_t id = 0;
        for (const BlastpHit& hit : hits) {
            for (const Hsp& hsp : hit.hsps) add(hit, hsp, id++);
        }
        left = filter.left();
    };
    if (limits_.culling > 0) {
        const bool is_generous = !are_final && limits_.culling > 1;
        HspCulling culling(limits_.culling + (is_generous ? kMoreWhilePreliminary : 0), query);
        add_all(culling,
                [&](const BlastpHit& hit, const Hsp& hsp, std::size_t id) { culling.add(hsp, hit.position, id); });
    } else {
        BestHitLimits best = *limits_.best_hits;
        if (!are_final) best.overhang = 0;
        BestHits best_hits(best, 2 * preliminary_targets());
        add_all(best_hits, [&](const BlastpHit&, const Hsp& hsp, std::size_t id) { best_hits.add(hsp, id); });
    }
    std::size_t id = 0;
    auto next = left.begin();
    for (BlastpHit& hit : hits) {
        std::size_t kept = 0;
        for (std::size_t h = 0; h < hit.hsps.size(); ++h, ++id) {
            if (next == left.end() || *next != id) continue;
            ++next;
            keep_at(hit, kept++, h);
        }
        shorten(hit, kept);
        sort_hsps(hit, hsp_before);
        set_evalue(hit);
    }
    std::erase_if(hits, [](const BlastpHit& hit) { return hit.hsps.empty(); });
    // The list has no limit after preliminary culling.
    const bool has_limit = are_final || limits_.culling == 0;
    keep_best(hits, has_limit ? std::min<std::uint64_t>(preliminary_targets(), hits.size()) : hits.size());
}

// Applies the limits on HSPs in this order: their number per target, their coverage, and whether
// they lie within better ones.
void BlastpSearch::limit_hsps(BlastpHit& hit, const BlastpQuery& query) const {
    std::size_t kept = 0;
    for (std::size_t h = 0; h < hit.hsps.size(); ++h) {
        if (limits_.max_hsps != 0 && h >= limits_.max_hsps) break;
        const Hsp& hsp = hit.hsps[h];
        const double coverage = coverage_percent(hsp.query_end - hsp.query_begin, query.residues.size());
        if (limits_.least_coverage_percent > 0 && coverage < limits_.least_coverage_percent) continue;
        keep_at(hit, kept++, h);
    }
    shorten(hit, kept);
    if (limits_.best_of_target) drop_within_better(hit);
    if (is_filtered()) sort_hsps(hit, lower_evalue_before);
}

// Cuts pairs, which are in the order of the database, into units.
std::vector<BlastpSearch::Unit> BlastpSearch::cut_units(std::span<const Pair> pairs) const {
    const std::size_t enough_pairs = std::clamp(pairs.size() / (std::size_t{kUnitsOfThread} * pool_.threads()),
                                                kFewestPairsInUnit, kMostPairsInUnit);
    std::vector<Unit> units;
    std::uint64_t unit_tile = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Pair& pair = pairs[i];
        const WsdbReader& reader = databases_.reader(pair.database);
        const bool is_long = reader.lengths_residues()[pair.rank] > kLongTargetResidues;
        const std::uint64_t tile = reader.block_start(reader.tile_of_sequence(pair.rank));
        const auto goes_on = [&] {
            if (units.empty() || units.back().has_long_target != is_long) return false;
            if (pairs[i - 1].database != pair.database) return false;
            const std::size_t unit_pairs = i - units.back().begin;
            const bool is_same_target = pairs[i - 1].rank == pair.rank;
            return is_long ? is_same_target
                           : tile == unit_tile &&
                                 unit_pairs < (is_same_target ? kStretchForTarget * enough_pairs : enough_pairs);
        };
        if (!goes_on()) {
            units.push_back({i, i, is_long});
            unit_tile = tile;
        }
        units.back().end = i + 1;
    }
    return units;
}

// Works on pairs in the database's order. Each target is unpacked once for many queries.
template <class Work>
Status BlastpSearch::for_each_pair(const char* label, std::vector<Pair>& pairs, const SearchControl& control,
                                   const Work& work) const {
    const std::stop_token& stop = control.stop;
    const ThreadPool pool = pool_.with_stop(stop);
    const auto progress = control.observer.begin(label, pairs.size());
    ProgressCounter pairs_done(*progress);
    std::ranges::sort(pairs, {}, [](const Pair& pair) { return std::tuple(pair.database, pair.rank, pair.query); });
    struct Thread {
        PairSearcher searcher;
        TileBuffer buffer;
        std::vector<ResidueCode> target;
    };
    std::vector<Thread> threads;
    for (unsigned t = 0; t < pool.threads(); ++t) threads.push_back({PairSearcher(parameters_, space_, stop), {}, {}});
    std::vector<std::span<const Pair>> units;
    for (const Unit& unit : cut_units(pairs)) {
        const auto members = std::span<const Pair>(pairs).subspan(unit.begin, unit.end - unit.begin);
        if (unit.has_long_target) {
            WARPSEQ_TRY(for_each_pair_of_long_target(members, stop, pairs_done, work));
        } else {
            units.push_back(members);
        }
    }
    return pool.parallel_for(units.size(), [&](std::uint64_t u, unsigned thread_index) -> Status {
        Thread& thread = threads[thread_index];
        const WsdbReader& reader = databases_.reader(units[u].front().database);
        const std::uint64_t first_tile = reader.block_start(reader.tile_of_sequence(units[u].front().rank));
        const std::uint64_t last_tile = reader.tile_of_sequence(units[u].back().rank);
        WARPSEQ_TRY(reader.read_tiles(first_tile, last_tile - first_tile + 1, thread.buffer));
        std::uint64_t unpacked = units[u].front().rank + 1;
        for (const Pair& pair : units[u]) {
            if (pair.rank != unpacked) {
                const TileView& tile = thread.buffer.views[reader.tile_of_sequence(pair.rank) - first_tile];
                unpack(tile, pair.rank, thread.target);
                unpacked = pair.rank;
            }
            if (!lies_within(pair.hit, thread.target.size())) return reader.changed_status();
            work(thread.searcher, pair, std::span<const ResidueCode>(thread.target));
            if (stop.stop_requested()) return Status::interrupted();
            pairs_done.add(1);
        }
        return {};
    });
}

// Works on the pairs of one long target. All threads share the target, but each has copies to mask.
// So fewer threads work on a very long one.
template <class Work>
Status BlastpSearch::for_each_pair_of_long_target(std::span<const Pair> pairs, const std::stop_token& stop,
                                                  ProgressCounter& pairs_done, const Work& work) const {
    const WsdbReader& reader = databases_.reader(pairs.front().database);
    const std::uint64_t rank = pairs.front().rank, tile = reader.tile_of_sequence(rank);
    TileBuffer buffer;
    WARPSEQ_TRY(reader.read_tiles(tile, 1, buffer));
    std::vector<ResidueCode> target;
    unpack(buffer.views.front(), rank, target);
    const std::uint64_t room = kLongTargetBytes / (kMaskedCopies * target.size());
    const std::uint64_t workers =
        std::clamp<std::uint64_t>(room, 1, std::min<std::uint64_t>(pool_.threads(), pairs.size()));
    std::atomic<std::size_t> next = 0;
    std::vector<PairSearcher> searchers;
    for (std::uint64_t worker = 0; worker < workers; ++worker) searchers.emplace_back(parameters_, space_, stop);
    return pool_.parallel_for(workers, [&](std::uint64_t worker, unsigned) -> Status {
        for (std::size_t i = next++; i < pairs.size(); i = next++) {
            if (!lies_within(pairs[i].hit, target.size())) return reader.changed_status();
            work(searchers[worker], pairs[i], std::span<const ResidueCode>(target));
            if (stop.stop_requested()) return Status::interrupted();
            pairs_done.add(1);
        }
        return {};
    });
}

Result<std::vector<std::vector<BlastpHit>>> BlastpSearch::find_preliminary(std::span<const BlastpQuery* const> parts,
                                                                           std::span<const std::vector<Hit>> candidates,
                                                                           const SearchControl& control) const {
    std::vector<Pair> pairs;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (const Hit& candidate : candidates[p]) {
            pairs.push_back({static_cast<std::uint32_t>(p), candidate.database, candidate.rank,
                             databases_.number_of(candidate.database, candidate.rank)});
        }
    }
    const std::uint64_t most_targets = scanned_targets();
    std::vector<std::vector<BlastpHit>> preliminary(parts.size());
    std::mutex mutex;
    WARPSEQ_TRY(
        for_each_pair("Extending", pairs, control,
                      [&](PairSearcher& searcher, const Pair& pair, std::span<const ResidueCode> target) {
                          const BlastpQuery& part = *parts[pair.query];
                          BlastpHit hit{pair.database, pair.rank, pair.position, 0, searcher.find(part, target), {}};
                          // Without gaps there is no later stage, so blastp looks at coverage now.
                          if (parameters_.ungapped && limits_.least_coverage_percent > 0) {
                              std::erase_if(hit.hsps, [&](const Hsp& hsp) {
                                  return coverage_percent(hsp.query_end - hsp.query_begin, part.residues.size()) <
                                         limits_.least_coverage_percent;
                              });
                          }
                          if (limits_.best_of_target) drop_within_better(hit);
                          if (hit.hsps.empty()) return;
                          for (Hsp& hsp : hit.hsps) {
                              hsp.query_begin += part.begin_in_whole;
                              hsp.query_end += part.begin_in_whole;
                              hsp.query_seed += part.begin_in_whole;
                          }
                          set_evalue(hit);
                          const std::lock_guard lock(mutex);
                          std::vector<BlastpHit>& of_part = preliminary[pair.query];
                          of_part.push_back(std::move(hit));
                          // Pruning at twice the limit makes the cost of sorting constant per hit.
                          if (of_part.size() / 2 >= most_targets) keep_best(of_part, most_targets);
                      }));
    for (std::vector<BlastpHit>& of_part : preliminary) keep_best(of_part, most_targets);
    return preliminary;
}

Result<std::vector<std::vector<BlastpHit>>> BlastpSearch::trace_back(std::span<const BlastpQuery> queries,
                                                                     std::vector<std::vector<BlastpHit>> preliminary,
                                                                     const SearchControl& control) const {
    std::vector<std::vector<BlastpHit>> hits;
    std::span<std::vector<BlastpHit>> left = preliminary;
    for (const BlastpQuery& query : queries) {
        const std::span<const BlastpQuery> parts = searched_parts(query);
        for (std::size_t p = 0; p < parts.size(); ++p) {
            keep_best(left[p], scanned_targets());
            filter(left[p], stretch_of(parts[p]), false);
        }
        hits.push_back(join_parts(left.first(parts.size()), parts, preliminary_targets()));
        left = left.subspan(parts.size());
    }
    std::vector<Pair> pairs;
    for (std::size_t q = 0; q < queries.size(); ++q) {
        for (BlastpHit& hit : hits[q])
            pairs.push_back({static_cast<std::uint32_t>(q), hit.database, hit.rank, hit.position, &hit});
    }
    WARPSEQ_TRY(for_each_pair(
        "Aligning", pairs, control, [&](PairSearcher& searcher, const Pair& pair, std::span<const ResidueCode> target) {
            BlastpHit& hit = *pair.hit;
            hit.hsps = searcher.trace_back(queries[pair.query], target, hit.hsps);
            set_evalue(hit);
            for (const Hsp& hsp : hit.hsps) {
                const auto aligned = target.subspan(hsp.target_begin, hsp.target_end - hsp.target_begin);
                hit.aligned_targets.emplace_back(aligned.begin(), aligned.end());
            }
        }));
    for (auto& of_query : hits) std::erase_if(of_query, [](const BlastpHit& hit) { return hit.hsps.empty(); });

    for (std::size_t q = 0; q < queries.size(); ++q) {
        keep_best(hits[q], limits_.max_targets);
        filter(hits[q], stretch_of(queries[q]), true);
        for (BlastpHit& hit : hits[q]) limit_hsps(hit, queries[q]);
        std::erase_if(hits[q], [](const BlastpHit& hit) { return hit.hsps.empty(); });
    }
    return hits;
}

}  // namespace warpseq
