#include "apps/search/blastp/blastp_screen.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/search/chunk.h"
#include "apps/search/chunk_reader.h"
#include "apps/search/gathered_tiles.h"
#include "apps/search/hit_collector.h"
#include "apps/search/query_set.h"
#include "kernels/smith_waterman.h"
#include "kernels/ungapped_filter.h"

namespace warpseq {
namespace {

/// Parts are screened in blocks of about this many residues: enough to pay for decoding a tile, and small enough
/// that the last item of a chunk does not keep one thread busy while the others wait.
constexpr std::uint64_t kBlockResidues = 4096;

/// Lanes of the widest vectors.
constexpr std::size_t kPairsAtOnce = 2 * kTileLanes;

/// Consecutive parts that share a filter.
struct PartBlock {
    std::size_t first_part, part_count;
    std::unique_ptr<UngappedFilter> filter;
};

/// Pairs of one part that wait for Smith-Waterman until they fill a vector.
struct WaitingPairs {
    struct Target {
        std::uint32_t database;
        std::uint64_t rank;
        std::vector<ResidueCode> residues;
    };
    std::vector<Target> targets;
    std::unique_ptr<SmithWatermanScorer> scorer;  // made when it is needed first
    std::unique_ptr<SmithWatermanScorer::Workspace> workspace;
    std::uint64_t scored = 0;
};

struct ThreadState {
    std::vector<std::unique_ptr<UngappedFilter::Workspace>> workspaces;  // one per block
    std::vector<std::uint8_t> scores;
    std::vector<WaitingPairs> waiting;  // one per part
    std::unique_ptr<HitCollector> collector;
};

/// Scores the pairs that wait, in interleaved tiles of the longest targets first.
Status score_waiting(std::size_t part, std::span<const ResidueCode> residues, const BlastpParameters& parameters,
                     ThreadState& thread) {
    WaitingPairs& waiting = thread.waiting[part];
    if (waiting.targets.empty()) return {};
    if (!waiting.scorer) {
        auto scorer = make_smith_waterman_scorer(parameters.backend, std::span(&residues, 1), parameters.scheme);
        if (!scorer.ok()) return scorer.status();
        waiting.scorer = *std::move(scorer);
        waiting.workspace = waiting.scorer->make_workspace();
    }
    auto& targets = waiting.targets;
    std::ranges::stable_sort(targets, std::ranges::greater(), [](const auto& target) { return target.residues.size(); });
    std::vector<std::span<const ResidueCode>> sequences;
    for (const auto& target : targets) sequences.emplace_back(target.residues);
    GatheredTiles gathered;  // threads end on each other's pairs, so each call has its own
    gathered.gather(sequences);
    std::vector<std::int32_t> scores_raw(targets.size());
    waiting.scorer->score(gathered.tiles(), *waiting.workspace, scores_raw);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        thread.collector->add(part, targets[i].database, targets[i].rank, std::span(&scores_raw[i], 1));
    }
    waiting.scored += targets.size();
    targets.clear();
    return {};
}

}  // namespace

Result<std::vector<std::vector<Hit>>> BlastpScreen::find_candidates(std::span<const BlastpQuery* const> parts,
                                                                    std::span<const Query> scanned,
                                                                    Progress& progress) {
    std::uint64_t query_residues = 0;
    std::vector<PartBlock> blocks;
    for (std::size_t first = 0, end; first < parts.size(); first = end) {
        std::vector<std::span<const ResidueCode>> members;
        std::uint64_t residues = 0;
        for (end = first; end < parts.size(); ++end) {
            const std::uint64_t more = parts[end]->scored.size();
            if (end > first && residues + more > kBlockResidues) break;
            residues += more;
            members.emplace_back(parts[end]->scored);
        }
        query_residues += residues;
        blocks.push_back(
            {first, end - first, make_ungapped_filter(parameters_.backend, members, parameters_.scheme.matrix)});
    }
    const std::optional<AlignmentStatistics> statistics = parameters_.statistics;
    std::vector<ThreadState> threads(pool_.threads());
    for (ThreadState& thread : threads) {
        for (const PartBlock& block : blocks) thread.workspaces.push_back(block.filter->make_workspace());
        thread.waiting.resize(parts.size());
        thread.collector = std::make_unique<HitCollector>(databases_, scanned, statistics, space_,
                                                          parameters_.preliminary_evalue(space_), 0);
    }

    std::uint64_t cells_done = 0;
    ChunkReader chunk_reader;
    for (const Chunk& chunk : cut_chunks(databases_, chunk_bytes_)) {
        WARPSEQ_TRY(chunk_reader.read(databases_.reader(chunk.database), chunk, pool_));
        const std::vector<TileView>& tiles = chunk_reader.tiles();
        const auto groups = group_tiles(tiles, blocks.front().filter->preferred_tiles());
        const std::size_t items = groups.size() * blocks.size();
        WARPSEQ_TRY(pool_.parallel_for(items, [&](std::uint64_t item, unsigned thread_index) -> Status {
            ThreadState& thread = threads[thread_index];
            const TileGroup& group = groups[item / blocks.size()];
            const std::size_t block_index = item % blocks.size();
            const PartBlock& block = blocks[block_index];
            const auto members = std::span<const TileView>(tiles).subspan(group.first, group.count);
            std::size_t lanes = 0;
            for (const TileView& tile : members) lanes += tile.lanes();
            thread.scores.resize(lanes * block.filter->query_count());
            block.filter->score(members, *thread.workspaces[block_index], thread.scores);

            const std::uint8_t* score = thread.scores.data();
            for (std::size_t p = block.first_part; p < block.first_part + block.part_count; ++p) {
                const BlastpQuery& part = *parts[p];
                const int cutoff = std::clamp<int>(part.ungapped_cutoff_raw, 1, kUngappedCeiling);
                for (const TileView& tile : members) {
                    for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                        if (*score++ < cutoff || !part.finder) continue;
                        auto& waiting = thread.waiting[p].targets;
                        WaitingPairs::Target& target = waiting.emplace_back();
                        target.database = static_cast<std::uint32_t>(chunk.database);
                        target.rank = tile.first_sequence + lane;
                        target.residues.resize(tile.lengths_residues[lane]);
                        unpack_lane(tile, lane, target.residues.data());
                        if (waiting.size() < kPairsAtOnce) continue;
                        WARPSEQ_TRY(score_waiting(p, part.scored, parameters_, thread));
                    }
                }
            }
            return {};
        }));
        cells_done += chunk.residues * query_residues;
        progress.update(cells_done);
    }
    WARPSEQ_TRY(pool_.parallel_for(threads.size() * parts.size(), [&](std::uint64_t item, unsigned) {
        const std::size_t p = item % parts.size();
        return score_waiting(p, parts[p]->scored, parameters_, threads[item / parts.size()]);
    }));
    std::vector<HitCollector*> collectors;
    for (const ThreadState& thread : threads) {
        collectors.push_back(thread.collector.get());
        for (const WaitingPairs& waiting : thread.waiting) pairs_scored_ += waiting.scored;
    }
    return take_sorted_hits(collectors, parts.size());
}

}  // namespace warpseq
