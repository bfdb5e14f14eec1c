#include "engines/sw/target_scores.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "engines/sw/query_blocks.h"
#include "engines/sw/sw_engine.h"
#include "engines/targets/gathered_tiles.h"
#include "engines/targets/share.h"
#include "formats/wsdb/wsdb_layout.h"
#include "kernels/smith_waterman/smith_waterman.h"

namespace warpseq {
namespace {

/// Sequences that are left, up to which each is scored alone. A vector of lanes would be nearly
/// empty.
constexpr std::size_t kFewSequences = 8;

/// Consecutive targets, longest first, that are scored by one call.
struct Unit {
    std::size_t first, count;
    bool is_linear;
};

/// Cuts sequences, given by their lengths in descending order, into units of as many sequences as a
/// scorer takes well.
std::vector<Unit> cut_units(std::span<const std::uint64_t> lengths, std::size_t preferred_tiles) {
    std::vector<Unit> units;
    std::size_t first = 0;
    while (first < lengths.size() &&
           (wsdb::is_linear(lengths.subspan(first)) || lengths.size() - first <= kFewSequences))
        units.push_back({first++, 1, true});
    for (const std::size_t most = preferred_tiles * kTileLanes; first < lengths.size(); first += most)
        units.push_back({first, std::min(most, lengths.size() - first), false});
    return units;
}

/// The state of one thread while it scores.
struct ThreadState {
    GatheredTiles tiles;
    std::vector<std::span<const ResidueCode>> sequences;
    std::unique_ptr<SmithWatermanScorer::Workspace> workspace;
    std::vector<std::int32_t> scores_raw;
};

}  // namespace

Status score_sequences(std::span<const std::span<const ResidueCode>> queries,
                       std::span<const std::span<const ResidueCode>> targets, const ScoringScheme& scheme,
                       CpuBackend backend, const ThreadPool& pool, std::span<std::int32_t> scores_raw) {
    assert(scores_raw.size() == queries.size() * targets.size());
    if (queries.empty() || targets.empty()) return {};
    const auto blocks = make_query_blocks(queries, scheme, backend);
    if (!blocks.ok()) return blocks.status();
    const SmithWatermanScorer& first_scorer = *blocks->front().scorer;

    std::vector<std::size_t> order(targets.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t t) { return targets[t].size(); });
    std::vector<std::uint64_t> lengths;
    for (const std::size_t t : order) lengths.push_back(targets[t].size());
    const std::vector<Unit> units = cut_units(lengths, first_scorer.preferred_tiles());

    std::vector<ThreadState> threads(pool.threads());
    for (ThreadState& thread : threads) {
        thread.workspace = first_scorer.make_workspace();
        thread.workspace->stop = pool.stop();
    }
    return pool.parallel_for(units.size() * blocks->size(), [&](std::uint64_t item, unsigned thread_index) -> Status {
        const Unit& unit = units[item / blocks->size()];
        const QueryBlock& block = (*blocks)[item % blocks->size()];
        ThreadState& thread = threads[thread_index];
        const auto members = std::span(order).subspan(unit.first, unit.count);
        if (unit.is_linear) {
            thread.tiles.gather_linear(targets[members[0]]);
        } else {
            thread.sequences.clear();
            for (const std::size_t t : members) thread.sequences.push_back(targets[t]);
            thread.tiles.gather(thread.sequences);
        }
        const std::size_t block_queries = block.scorer->query_count();
        thread.scores_raw.resize(block_queries * unit.count);
        block.scorer->score(thread.tiles.tiles(), *thread.workspace, thread.scores_raw);
        if (pool.stop().stop_requested()) return Status::interrupted();
        for (std::size_t q = 0; q < block_queries; ++q) {
            const auto row = scores_raw.subspan((block.first_query + q) * targets.size(), targets.size());
            for (std::size_t s = 0; s < unit.count; ++s) row[members[s]] = thread.scores_raw[q * unit.count + s];
        }
        return {};
    });
}

Status score_databases(std::span<const Query> queries, const Session& session, const ScoringScheme& scheme,
                       const SearchControl& control, std::span<std::int32_t> scores_raw) {
    const DatabaseSet& databases = session.databases();
    const std::uint64_t targets = databases.sequence_count();
    assert(scores_raw.size() == queries.size() * targets);
    std::ranges::fill(scores_raw, 0);  // hits have scores above 0
    SwSettings settings{scheme};
    settings.evalue = std::numeric_limits<double>::infinity();
    settings.max_hits = 0;
    const auto engine = SwEngine::create(session, settings);
    if (!engine.ok()) return engine.status();
    const QueryBatchLimits limits = (*engine)->batch_limits(1);
    for (std::size_t first = 0, end; first < queries.size(); first = end) {
        std::uint64_t residues = 0;
        std::vector<Query> members;
        for (end = first; end < queries.size() && members.size() < limits.queries; ++end) {
            residues += queries[end].residues.size();
            if (end > first && residues > limits.residues) break;
            members.push_back(queries[end]);
        }
        const auto batch = (*engine)->prepare(std::move(members));
        if (!batch.ok()) return batch.status();
        const auto partial = (*engine)->scan(*batch, whole_share(databases), control);
        if (!partial.ok()) return session.explain(partial.status());
        for (std::size_t q = 0; q < partial->hits.size(); ++q) {
            const auto row = scores_raw.subspan((first + q) * targets, targets);
            for (const Hit& hit : partial->hits[q]) row[databases.number_of(hit.database, hit.rank)] = hit.score_raw;
        }
    }
    return session.verify_unchanged();
}

}  // namespace warpseq
