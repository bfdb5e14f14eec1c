#include "apps/search/blastp/blastp_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "apps/search/adjusted_pair.h"
#include "apps/search/blastp/pair_searcher.h"
#include "apps/search/chunk_reader.h"

namespace warpseq {
namespace {

// blastp keeps somewhat more targets than it reports until they are traced back.
std::uint64_t targets_to_trace_back(std::uint64_t max_targets, bool adjusted) {
    constexpr std::uint64_t kFew = 10, kMore = 50;
    if (adjusted) return preliminary_targets(max_targets);
    return std::min(std::max(2 * max_targets, kFew), max_targets + kMore);
}

void keep_best(std::vector<BlastpHit>& hits, std::uint64_t limit) {
    std::ranges::sort(hits, [](const BlastpHit& a, const BlastpHit& b) { return reported_before(a, b); });
    if (hits.size() > limit) hits.resize(limit);
}

void set_evalue(BlastpHit& hit) {
    if (!hit.hsps.empty()) hit.evalue = std::ranges::min(hit.hsps, {}, &Hsp::evalue).evalue;
}

// What the parts of a query have found, part after part: each list of targets, and what it adds to, is cut to `limit`.
std::vector<BlastpHit> join_parts(std::vector<std::vector<BlastpHit>> found, std::span<const BlastpQuery> parts,
                                  std::uint64_t limit) {
    std::vector<BlastpHit> joined = std::move(found.front());
    keep_best(joined, limit);
    for (std::size_t p = 1; p < parts.size(); ++p) {
        keep_best(found[p], limit);
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

}  // namespace

bool reported_before(const BlastpHit& a, const BlastpHit& b) {
    const auto key = [](const BlastpHit& hit) {
        return std::tuple(hit.evalue < kLowestEvalue ? 0 : hit.evalue, -std::int64_t{hit.hsps.front().score_raw});
    };
    return key(a) != key(b) ? key(a) < key(b) : a.position > b.position;
}

double coverage_percent(std::uint64_t covered_residues, std::uint64_t query_residues) {
    if (query_residues == 0) return 0;
    const double percent = 100 * static_cast<double>(covered_residues) / static_cast<double>(query_residues);
    return percent < 99 ? percent + 0.5 : percent;
}

/// One query, or part of one, and one target, worked on by one thread.
struct BlastpSearch::Pair {
    std::size_t query, part;
    BlastpHit hit;
};

BlastpSearch::BlastpSearch(const DatabaseSet& databases, const BlastpParameters& parameters, const SearchSpace& space,
                           const BlastpLimits& limits, ThreadPool& pool)
    : databases_(databases), parameters_(parameters), space_(space), limits_(limits), pool_(pool) {
    std::uint64_t position = 0;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        first_position_.push_back(position);
        position += databases.reader(d).sequence_count();
    }
}

// In the database's order, each block of it decoded once and each target unpacked once for all its queries.
template <class Work>
Status BlastpSearch::for_each_pair(std::vector<Pair>& pairs, const Work& work) {
    std::ranges::sort(pairs, {}, [](const Pair& pair) {
        return std::tuple(pair.hit.database, pair.hit.rank, pair.query, pair.part);
    });
    struct Block {
        std::uint64_t first_tile;
        std::size_t begin, end;  // in pairs
    };
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const WsdbReader& reader = databases_.reader(pairs[i].hit.database);
        const std::uint64_t first_tile = reader.block_start(reader.tile_of_sequence(pairs[i].hit.rank));
        if (blocks.empty() || pairs[blocks.back().begin].hit.database != pairs[i].hit.database ||
            blocks.back().first_tile != first_tile) {
            blocks.push_back({first_tile, i, i});
        }
        blocks.back().end = i + 1;
    }
    struct Thread {
        PairSearcher searcher;
        TileBuffer buffer;
        std::vector<ResidueCode> target;
    };
    std::vector<Thread> threads;
    for (unsigned t = 0; t < pool_.threads(); ++t) threads.push_back({PairSearcher(parameters_, space_), {}, {}});
    return pool_.parallel_for(blocks.size(), [&](std::uint64_t b, unsigned thread_index) -> Status {
        Thread& thread = threads[thread_index];
        const Block& block = blocks[b];
        const WsdbReader& reader = databases_.reader(pairs[block.begin].hit.database);
        const std::uint64_t last_tile = reader.tile_of_sequence(pairs[block.end - 1].hit.rank);
        WARPSEQ_TRY(reader.read_tiles(block.first_tile, last_tile - block.first_tile + 1, thread.buffer));
        std::uint64_t unpacked = pairs[block.begin].hit.rank + 1;
        for (std::size_t i = block.begin; i < block.end; ++i) {
            const std::uint64_t rank = pairs[i].hit.rank;
            if (rank != unpacked) {
                const TileView& tile = thread.buffer.views[reader.tile_of_sequence(rank) - block.first_tile];
                const auto lane = static_cast<std::uint32_t>(rank - tile.first_sequence);
                thread.target.resize(tile.lengths_residues[lane]);
                unpack_lane(tile, lane, thread.target.data());
                unpacked = rank;
            }
            // What was found before in this target lies in it, unless somebody has written to the file since.
            const auto lies_behind = [&](const Hsp& hsp) { return hsp.target_end > thread.target.size(); };
            if (std::ranges::any_of(pairs[i].hit.hsps, lies_behind)) return reader.changed_status();
            work(thread.searcher, pairs[i], std::span<const ResidueCode>(thread.target));
        }
        return {};
    });
}

Result<std::vector<std::vector<BlastpHit>>> BlastpSearch::find_hits(std::span<const BlastpQuery> queries,
                                                                    std::span<const std::vector<Hit>> candidates) {
    std::vector<Pair> pairs;
    for (std::size_t q = 0, of_all = 0; q < queries.size(); ++q) {
        for (std::size_t p = 0; p < searched_parts(queries[q]).size(); ++p, ++of_all) {
            for (const Hit& candidate : candidates[of_all]) {
                BlastpHit hit;
                hit.database = candidate.database;
                hit.rank = candidate.rank;
                hit.position = first_position_[candidate.database] + candidate.input_position;
                pairs.push_back({q, p, std::move(hit)});
            }
        }
    }
    WARPSEQ_TRY(for_each_pair(pairs, [&](PairSearcher& searcher, Pair& pair, std::span<const ResidueCode> target) {
        const BlastpQuery& part = searched_parts(queries[pair.query])[pair.part];
        pair.hit.hsps = searcher.find(part, target);
        for (Hsp& hsp : pair.hit.hsps) {
            hsp.query_begin += part.begin_in_whole;
            hsp.query_end += part.begin_in_whole;
            hsp.query_seed += part.begin_in_whole;
        }
        set_evalue(pair.hit);
    }));

    std::vector<std::vector<std::vector<BlastpHit>>> preliminary(queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q) preliminary[q].resize(searched_parts(queries[q]).size());
    for (Pair& pair : pairs) {
        if (!pair.hit.hsps.empty()) preliminary[pair.query][pair.part].push_back(std::move(pair.hit));
    }
    pairs.clear();
    for (std::size_t q = 0; q < queries.size(); ++q) {
        auto joined = join_parts(std::move(preliminary[q]), searched_parts(queries[q]),
                                 targets_to_trace_back(limits_.max_targets, parameters_.adjuster.has_value()));
        for (BlastpHit& hit : joined) pairs.push_back({q, 0, std::move(hit)});
    }
    WARPSEQ_TRY(for_each_pair(pairs, [&](PairSearcher& searcher, Pair& pair, std::span<const ResidueCode> target) {
        pair.hit.hsps = searcher.trace_back(queries[pair.query], target, pair.hit.hsps);
        set_evalue(pair.hit);
        for (const Hsp& hsp : pair.hit.hsps) {
            const auto aligned = target.subspan(hsp.target_begin, hsp.target_end - hsp.target_begin);
            pair.hit.aligned_targets.emplace_back(aligned.begin(), aligned.end());
        }
    }));

    std::vector<std::vector<BlastpHit>> hits(queries.size());
    for (Pair& pair : pairs) {
        if (!pair.hit.hsps.empty()) hits[pair.query].push_back(std::move(pair.hit));
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
        keep_best(hits[q], limits_.max_targets);
        for (BlastpHit& hit : hits[q]) {
            std::size_t kept = 0;
            for (std::size_t h = 0; h < hit.hsps.size(); ++h) {
                if (limits_.max_hsps != 0 && h >= limits_.max_hsps) break;
                const Hsp& hsp = hit.hsps[h];
                const double coverage = coverage_percent(hsp.query_end - hsp.query_begin, queries[q].residues.size());
                if (limits_.least_coverage_percent > 0 && coverage < limits_.least_coverage_percent) continue;
                if (kept != h) {
                    hit.hsps[kept] = std::move(hit.hsps[h]);
                    hit.aligned_targets[kept] = std::move(hit.aligned_targets[h]);
                }
                ++kept;
            }
            hit.hsps.resize(kept);
            hit.aligned_targets.resize(kept);
        }
        std::erase_if(hits[q], [](const BlastpHit& hit) { return hit.hsps.empty(); });
    }
    return hits;
}

}  // namespace warpseq
