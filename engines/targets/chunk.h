// Cutting databases into chunks: runs of consecutive tiles of one database that travel to a device together.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/targets/database_set.h"

namespace warpseq {

struct Chunk {
    std::size_t database;  // index into the DatabaseSet
    std::uint64_t first_tile;
    std::uint64_t tile_count;      // > 0
    std::uint64_t first_sequence;  // rank of the first lane of the first tile
    std::uint64_t residues;
};

/// Chunks of about `chunk_bytes` packed bytes in the order of the databases, each of at least one tile. They begin and end
/// at block borders, so that no compressed block is decoded twice; a block is thus the least a chunk can be.
std::vector<Chunk> cut_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes);

}  // namespace warpseq
