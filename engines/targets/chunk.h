// Cutting databases into chunks: runs of consecutive tiles of one database that travel to a device
// together. Chunks without a sequence that is searched (engines/targets/database_set.h) are left
// out.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engines/targets/database_set.h"
#include "engines/targets/share.h"

namespace warpseq {

struct Chunk {
    std::size_t database;  // index into the DatabaseSet
    std::uint64_t first_tile;
    std::uint64_t tile_count;      // > 0
    std::uint64_t first_sequence;  // rank of the first lane of the first tile
    std::uint64_t sequence_count;
    std::uint64_t residues;
};

/// Chunks of about `chunk_bytes` packed bytes in the order of the databases, each of at least one
/// tile. They begin and end at block borders, so that no compressed block is decoded twice; a block
/// is thus the least a chunk can be. Short sequences are many: a chunk also ends with the block
/// that brings it to `most_sequences`.
std::vector<Chunk> cut_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes,
                              std::uint64_t most_sequences = std::numeric_limits<std::uint64_t>::max());

/// What of these chunks lies in the share: chunks of the whole databases, so that what is known of
/// those (their size, the memory that the largest takes) holds for the share's, and the same ones
/// come again.
std::vector<Chunk> chunks_within(const TargetShare& share, const std::vector<Chunk>& chunks,
                                 const DatabaseSet& databases);

/// The same with about `residues` of the end, or more, cut into pieces of about `piece_residues`,
/// at block borders.
std::vector<Chunk> with_fine_end(std::vector<Chunk> chunks, const DatabaseSet& databases, std::uint64_t residues,
                                 std::uint64_t piece_residues);

std::uint64_t residues_of(const std::vector<Chunk>& chunks);

/// Chunks of one database, in its order, that are in memory together and scanned together.
struct ChunkGroup {
    std::size_t database;  // index into the DatabaseSet
    std::vector<Chunk> members;
    std::uint64_t residues;
};

/// The chunks of a share, whose pieces may be small, in groups of up to `chunk_bytes` packed bytes
/// or one chunk. Where the share is everything each chunk is a group.
std::vector<ChunkGroup> group_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes, const TargetShare& share);

}  // namespace warpseq
