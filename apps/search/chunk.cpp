#include "apps/search/chunk.h"

namespace warpseq {

std::vector<Chunk> cut_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes) {
    std::vector<Chunk> chunks;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        std::uint64_t first = 0, bytes = 0;
        for (std::uint64_t tile = 0; tile < reader.tile_count(); ++tile) {
            if (tile > first && bytes >= chunk_bytes && reader.block_start(tile) == tile) {
                chunks.push_back({d, first, tile - first});
                first = tile;
                bytes = 0;
            }
            bytes += reader.tile_bytes(tile);
        }
        if (reader.tile_count() > first) chunks.push_back({d, first, reader.tile_count() - first});
    }
    return chunks;
}

}  // namespace warpseq
