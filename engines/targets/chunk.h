// Chunks of databases. A chunk is a run of consecutive tiles of one database that travel to a
// device together. Chunks without a searched sequence (engines/targets/database_set.h) are left
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

/// Cuts the databases into chunks of about `chunk_bytes` packed bytes, each of at least one tile,
/// in the order of the databases. Chunks begin and end at block borders, so that no compressed
/// block is decoded twice. So no chunk is smaller than a block. A chunk also ends with the block
/// that brings it to `most_sequences`, which matters if sequences are short.
std::vector<Chunk> cut_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes,
                              std::uint64_t most_sequences = std::numeric_limits<std::uint64_t>::max());

/// Returns the parts of these chunks that lie in the share. `chunks` are those of the whole
/// databases. So what is known of them, such as their sizes and the memory that the largest takes,
/// holds for the share's chunks. A later share gets the same chunks again.
std::vector<Chunk> chunks_within(const TargetShare& share, const std::vector<Chunk>& chunks,
                                 const DatabaseSet& databases);

/// Returns the chunks with an end of about `residues` or more cut into pieces of about
/// `piece_residues`, at block borders.
std::vector<Chunk> with_fine_end(std::vector<Chunk> chunks, const DatabaseSet& databases, std::uint64_t residues,
                                 std::uint64_t piece_residues);

/// Returns the residues of all chunks together.
std::uint64_t residues_of(const std::vector<Chunk>& chunks);

/// Chunks of one database, in its order, that are in memory together and scanned together.
struct ChunkGroup {
    std::size_t database;  // index into the DatabaseSet
    std::vector<Chunk> members;
    std::uint64_t residues;
};

/// Returns the chunks of a share in groups of up to `chunk_bytes` packed bytes, or of one chunk.
/// The share's pieces may be small. If the share is everything, each chunk is a group.
std::vector<ChunkGroup> group_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes, const TargetShare& share);

}  // namespace warpseq
