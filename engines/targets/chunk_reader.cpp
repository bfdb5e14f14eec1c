#include "engines/targets/chunk_reader.h"

#include <algorithm>

namespace warpseq {
namespace {

constexpr std::uint64_t kTilesPerRead = 64;

}  // namespace

Status ChunkReader::read(const WsdbReader& reader, std::span<const Chunk> chunks, const ThreadPool& pool) {
    WARPSEQ_TRY(locate(reader, chunks, pool));
    return check(reader, pool);
}

Status ChunkReader::locate(const WsdbReader& reader, std::span<const Chunk> chunks, const ThreadPool& pool) {
    std::vector<Run> runs;
    for (const Chunk& chunk : chunks) {
        for (std::uint64_t tile = chunk.first_tile; tile < chunk.first_tile + chunk.tile_count; ++tile) {
            const bool border = reader.codec() == ResidueCodec::kPacked ? (tile - chunk.first_tile) % kTilesPerRead == 0
                                                                        : reader.block_start(tile) == tile;
            if (border || tile == chunk.first_tile) runs.push_back({tile, 0});
            ++runs.back().tile_count;
        }
    }
    return locate_runs(reader, runs, pool);
}

Status ChunkReader::read_searched(const DatabaseSet& databases, const ChunkGroup& chunks, const ThreadPool& pool) {
    const WsdbReader& reader = databases.reader(chunks.database);
    if (databases.searched(chunks.database) == nullptr) return read(reader, chunks.members, pool);
    std::vector<Run> runs;
    for (const Chunk& chunk : chunks.members) {
        const std::uint64_t end = chunk.first_tile + chunk.tile_count;
        for (std::uint64_t tile = chunk.first_tile; tile < end; ++tile) {
            if (!databases.is_tile_searched(chunks.database, tile)) continue;
            // In a packed database the tile right behind a run joins it, up to kTilesPerRead tiles.
            // In a compressed one every tile of the run's block does.
            const bool goes_on =
                !runs.empty() && runs.back().first_tile >= chunk.first_tile &&
                (reader.codec() == ResidueCodec::kPacked
                     ? runs.back().first_tile + runs.back().tile_count == tile && runs.back().tile_count < kTilesPerRead
                     : reader.block_start(tile) == reader.block_start(runs.back().first_tile));
            if (!goes_on) runs.push_back({tile, 0});
            runs.back().tile_count = tile + 1 - runs.back().first_tile;
        }
    }
    WARPSEQ_TRY(locate_runs(reader, runs, pool));
    std::erase_if(tiles_, [&](const TileView& tile) {
        return !databases.is_any_searched(chunks.database, tile.first_sequence, tile.lanes());
    });
    return check(reader, pool);
}

Status ChunkReader::locate_runs(const WsdbReader& reader, const std::vector<Run>& runs, const ThreadPool& pool) {
    if (buffers_.size() < runs.size()) buffers_.resize(runs.size());
    WARPSEQ_TRY(pool.parallel_for(runs.size(), [&](std::uint64_t i, unsigned) {
        return reader.locate_tiles(runs[i].first_tile, runs[i].tile_count, buffers_[i]);
    }));
    runs_ = runs.size();
    tiles_.clear();
    for (std::size_t i = 0; i < runs.size(); ++i)
        tiles_.insert(tiles_.end(), buffers_[i].views.begin(), buffers_[i].views.end());
    return {};
}

Status ChunkReader::check(const WsdbReader& reader, const ThreadPool& pool) const {
    return pool.parallel_for(runs_, [&](std::uint64_t i, unsigned) { return reader.check_tiles(buffers_[i]); });
}

std::vector<TileGroup> group_tiles(std::span<const TileView> tiles, std::size_t preferred_count) {
    std::vector<TileGroup> groups;
    for (std::size_t first = 0; first < tiles.size();) {
        std::size_t count = 1;
        if (tiles[first].layout == TileLayout::kInterleaved) count = std::min(preferred_count, tiles.size() - first);
        groups.push_back({first, count});
        first += count;
    }
    return groups;
}

}  // namespace warpseq
