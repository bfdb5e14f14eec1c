#include "engines/targets/chunk.h"

namespace warpseq {

namespace {

std::uint64_t first_sequence_of(const WsdbReader& reader, std::uint64_t tile) {
    const std::uint64_t linear = reader.linear_tile_count();
    return tile <= linear ? tile : linear + (tile - linear) * kTileLanes;
}

}  // namespace

std::vector<Chunk> cut_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes) {
    std::vector<Chunk> chunks;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        std::uint64_t bytes = 0;
        for (std::uint64_t tile = 0; tile < reader.tile_count(); ++tile) {
            if (tile == 0 || (bytes >= chunk_bytes && reader.block_start(tile) == tile)) {
                chunks.push_back({d, tile, 0, first_sequence_of(reader, tile), 0});
                bytes = 0;
            }
            bytes += reader.tile_bytes(tile);
            ++chunks.back().tile_count;
            chunks.back().residues += reader.tile_residues(tile);
        }
    }
    return chunks;
}

}  // namespace warpseq
