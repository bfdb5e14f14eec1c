#include "engines/targets/chunk_reader.h"

#include <algorithm>

namespace warpseq {

Status ChunkReader::read(const WsdbReader& reader, const Chunk& chunk, const ThreadPool& pool) {
    constexpr std::uint64_t kTilesPerRead = 64;
    std::vector<std::uint64_t> starts;
    for (std::uint64_t tile = chunk.first_tile; tile < chunk.first_tile + chunk.tile_count; ++tile) {
        const bool border = reader.codec() == ResidueCodec::kPacked ? (tile - chunk.first_tile) % kTilesPerRead == 0
                                                                    : reader.block_start(tile) == tile;
        if (border || starts.empty()) starts.push_back(tile);
    }
    starts.push_back(chunk.first_tile + chunk.tile_count);
    if (buffers_.size() < starts.size() - 1) buffers_.resize(starts.size() - 1);
    WARPSEQ_TRY(pool.parallel_for(starts.size() - 1, [&](std::uint64_t i, unsigned) {
        return reader.read_tiles(starts[i], starts[i + 1] - starts[i], buffers_[i]);
    }));
    tiles_.clear();
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        tiles_.insert(tiles_.end(), buffers_[i].views.begin(), buffers_[i].views.end());
    }
    return {};
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
