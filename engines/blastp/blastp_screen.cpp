#include "engines/blastp/blastp_screen.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "engines/hit_collector.h"
#include "engines/query_set.h"
#include "engines/targets/chunk.h"
#include "engines/targets/chunk_reader.h"
#include "engines/targets/gathered_tiles.h"
#include "kernels/seeds/ungapped_filter.h"
#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/base/progress_counter.h"

namespace warpseq {
namespace {

/// Residues of the blocks in which parts are screened, about. That is enough to pay for decoding a
/// tile. It is small enough that the last item of a chunk does not keep one thread busy while the
/// others wait.
constexpr std::uint64_t kBlockResidues = 4096;

/// Lanes of the widest vectors.
constexpr std::size_t kPairsAtOnce = 2 * kTileLanes;

/// Pairs that may wait for Smith-Waterman at once, 12 bytes each. A chunk with more pairs is
/// screened in slices.
constexpr std::uint64_t kPairsInSlice = std::uint64_t{4} << 20;

/// Consecutive parts that share a filter.
struct PartBlock {
    std::size_t first_part, part_count;
    std::uint64_t residues;
    std::unique_ptr<UngappedFilter> filter;
};

/// A part and a sequence of a chunk that the first bound left.
struct WaitingPair {
    std::uint32_t part, tile, lane;
};

struct ThreadState {
    std::unique_ptr<UngappedFilter::Workspace> filter_workspace;
    std::vector<std::uint8_t> scores;
    std::unique_ptr<SmithWatermanScorer::Workspace> workspace;
    std::vector<ResidueCode> residues;
    GatheredTiles gathered;
    std::unique_ptr<HitCollector> collector;
};

/// Scores up to kPairsAtOnce pairs of one part, in interleaved tiles of the longest sequences
/// first.
void score_waiting(std::span<const WaitingPair> pairs, const ChunkGroup& chunks, std::span<const TileView> tiles,
                   const SmithWatermanScorer& scorer, ThreadState& thread) {
    const auto length = [&](const WaitingPair& pair) { return tiles[pair.tile].lengths_residues[pair.lane]; };
    std::array<WaitingPair, kPairsAtOnce> members;
    std::ranges::copy(pairs, members.begin());
    const auto gathered = std::span(members).first(pairs.size());
    std::ranges::stable_sort(gathered, std::ranges::greater(), length);
    std::uint64_t residues = 0;
    for (const WaitingPair& pair : gathered) residues += length(pair);
    thread.residues.resize(residues);
    std::array<std::span<const ResidueCode>, kPairsAtOnce> sequences;
    ResidueCode* unpacked = thread.residues.data();
    for (std::size_t i = 0; i < gathered.size(); ++i) {
        unpack_lane(tiles[gathered[i].tile], gathered[i].lane, unpacked);
        sequences[i] = {unpacked, length(gathered[i])};
        unpacked += length(gathered[i]);
    }
    thread.gathered.gather(std::span(sequences).first(gathered.size()));
    std::array<std::int32_t, kPairsAtOnce> scores_raw;
    scorer.score(thread.gathered.tiles(), *thread.workspace, std::span(scores_raw).first(gathered.size()));
    for (std::size_t i = 0; i < gathered.size(); ++i) {
        thread.collector->add(gathered[i].part, chunks.database,
                              tiles[gathered[i].tile].first_sequence + gathered[i].lane, std::span(&scores_raw[i], 1));
    }
}

}  // namespace

Result<std::vector<std::vector<Hit>>> BlastpScreen::find_candidates(std::span<const BlastpQuery* const> parts,
                                                                    std::span<const Query> scanned,
                                                                    const TargetShare& share, Progress& progress,
                                                                    std::stop_token stop) {
    const ThreadPool pool = pool_.with_stop(std::move(stop));
    std::uint64_t query_residues = 0;
    std::vector<std::span<const ResidueCode>> scored;
    std::vector<PartBlock> blocks;
    for (std::size_t first = 0, end; first < parts.size(); first = end) {
        std::uint64_t residues = 0;
        for (end = first; end < parts.size(); ++end) {
            const std::uint64_t more = parts[end]->scored.size();
            if (end > first && residues + more > kBlockResidues) break;
            residues += more;
            scored.emplace_back(parts[end]->scored);
        }
        query_residues += residues;
        blocks.push_back({first, end - first, residues, nullptr});
    }
    WARPSEQ_TRY(pool.parallel_for(blocks.size(), [&](std::uint64_t b, unsigned) {
        const auto members = std::span(scored).subspan(blocks[b].first_part, blocks[b].part_count);
        blocks[b].filter = make_ungapped_filter(parameters_.backend, members, parameters_.scheme.matrix);
    }));
    std::vector<std::unique_ptr<SmithWatermanScorer>> scorers(parts.size());
    WARPSEQ_TRY(pool.parallel_for(parts.size(), [&](std::uint64_t p, unsigned) -> Status {
        auto scorer = make_smith_waterman_scorer(parameters_.backend, std::span(&scored[p], 1), parameters_.scheme);
        if (!scorer.ok()) return scorer.status();
        scorers[p] = *std::move(scorer);
        return {};
    }));
    const std::optional<AlignmentStatistics> statistics = parameters_.statistics;
    std::vector<ThreadState> threads(pool.threads());
    for (ThreadState& thread : threads) {
        thread.filter_workspace = blocks.front().filter->make_workspace();
        thread.filter_workspace->stop = pool.stop();
        thread.workspace = scorers.front()->make_workspace();
        thread.workspace->stop = pool.stop();
        thread.collector = std::make_unique<HitCollector>(databases_, scanned, statistics, space_,
                                                          parameters_.preliminary_evalue(space_), 0);
    }

    ProgressCounter units_done(progress);
    std::uint64_t pairs_scored = 0;
    ChunkReader chunk_reader;
    for (const ChunkGroup& chunks : group_chunks(databases_, chunk_bytes_, share)) {
        WARPSEQ_TRY(chunk_reader.read_searched(databases_, chunks, pool));
        const std::span<const TileView> tiles = chunk_reader.tiles();
        const auto groups = group_tiles(tiles, blocks.front().filter->preferred_tiles());
        for (std::size_t first_group = 0, end; first_group < groups.size(); first_group = end) {
            std::uint64_t pairs = 0;
            for (end = first_group; end < groups.size() && (end == first_group || pairs < kPairsInSlice); ++end)
                pairs += groups[end].count * kTileLanes * parts.size();

            // The first bound, for each group and block.
            std::vector<std::vector<WaitingPair>> left((end - first_group) * blocks.size());
            WARPSEQ_TRY(pool.parallel_for(left.size(), [&](std::uint64_t item, unsigned thread_index) {
                ThreadState& thread = threads[thread_index];
                const TileGroup& group = groups[first_group + item / blocks.size()];
                const PartBlock& block = blocks[item % blocks.size()];
                const auto members = tiles.subspan(group.first, group.count);
                std::size_t lanes = 0;
                for (const TileView& tile : members) lanes += tile.lanes();
                thread.scores.resize(lanes * block.part_count);
                block.filter->score(members, *thread.filter_workspace, thread.scores);
                if (pool.stop().stop_requested()) return;
                units_done.add(residues_of(members) * block.residues);

                const std::uint8_t* score = thread.scores.data();
                for (std::size_t p = block.first_part; p < block.first_part + block.part_count; ++p) {
                    const int cutoff = std::clamp<int>(parts[p]->screen_cutoff_raw, 1, kUngappedCeiling);
                    for (std::size_t t = group.first; t < group.first + group.count; ++t) {
                        for (std::uint32_t lane = 0; lane < tiles[t].lanes(); ++lane) {
                            if (*score++ < cutoff || !parts[p]->finder) continue;
                            if (!databases_.is_searched(chunks.database, tiles[t].first_sequence + lane)) continue;
                            // A sequence that is too long to share a vector is quicker looked at
                            // than scored. Without gaps the second bound says no more than the
                            // first.
                            if (parameters_.ungapped || tiles[t].layout == TileLayout::kLinear) {
                                thread.collector->add(p, chunks.database, tiles[t].first_sequence + lane,
                                                      std::span(&kUnknownScore, 1));
                                continue;
                            }
                            left[item].push_back({static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(t), lane});
                        }
                    }
                }
            }));

            // Pairs are put part by part, sequences in their order, so that those of like length
            // share a vector.
            std::vector<std::size_t> first_of_part(parts.size() + 1);
            for (const auto& of_item : left) {
                for (const WaitingPair& pair : of_item) ++first_of_part[pair.part + 1];
            }
            std::partial_sum(first_of_part.begin(), first_of_part.end(), first_of_part.begin());
            std::vector<WaitingPair> waiting(first_of_part.back());
            std::vector<std::size_t> next(first_of_part);
            for (auto& of_item : left) {
                for (const WaitingPair& pair : of_item) waiting[next[pair.part]++] = pair;
                std::vector<WaitingPair>().swap(of_item);
            }

            // The second bound, for as many pairs of a part as fill a vector.
            std::vector<std::span<const WaitingPair>> runs;
            for (std::size_t p = 0; p < parts.size(); ++p) {
                auto of_part = std::span<const WaitingPair>(waiting).subspan(first_of_part[p],
                                                                             first_of_part[p + 1] - first_of_part[p]);
                for (; !of_part.empty(); of_part = of_part.subspan(runs.back().size()))
                    runs.push_back(of_part.first(std::min(kPairsAtOnce, of_part.size())));
            }
            const std::size_t first_tile = groups[first_group].first;
            const auto sliced = tiles.subspan(first_tile, groups[end - 1].first + groups[end - 1].count - first_tile);
            ProgressStage stage(units_done, residues_of(sliced) * query_residues, runs.size());
            WARPSEQ_TRY(pool.parallel_for(runs.size(), [&](std::uint64_t run, unsigned thread_index) {
                score_waiting(runs[run], chunks, tiles, *scorers[runs[run].front().part], threads[thread_index]);
                stage.add(1);
            }));
            if (pool.stop().stop_requested()) return Status::interrupted();
            pairs_scored += waiting.size();
        }
    }
    {
        const std::lock_guard lock(mutex_);
        pairs_scored_ += pairs_scored;
    }
    std::vector<HitCollector*> collectors;
    for (const ThreadState& thread : threads) collectors.push_back(thread.collector.get());
    return take_sorted_hits(collectors, parts.size());
}

}  // namespace warpseq
