// Chunks of databases. A chunk is a run of consecutive tiles of one database that go to a device
// together. Chunks without a searched sequence (engines/targets/database_set.h) are left out.
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

/// Cuts the databases into chunks of about `chunk_bytes` packed bytes, in the order of the
/// databases. A chunk has at least one block, because chunks begin and end at block borders, so
/// that no compressed block is decoded twice. A chunk also ends with the block that brings it to
/// `most_sequences` sequences, which matters if sequences are short.
std::vector<Chunk> cut_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes,
                              std::uint64_t most_sequences = std::numeric_limits<std::uint64_t>::max());

/// Returns the parts of these chunks that lie in the share. `chunks` are the chunks of the whole
/// databases. So upper bounds for them, such as the memory that the largest one takes, also hold
/// for the chunks of every share. Scans of different shares that have a chunk in common get the
/// same chunk.
std::vector<Chunk> chunks_within(const TargetShare& share, const std::vector<Chunk>& chunks,
                                 const DatabaseSet& databases);

/// Returns the chunks, with the last ones cut into smaller chunks of about `piece_residues`
/// residues at block borders. The cut part has about `residues` residues or more.
std::vector<Chunk> with_fine_end(std::vector<Chunk> chunks, const DatabaseSet& databases, std::uint64_t residues,
                                 std::uint64_t piece_residues);

/// Returns the residues of all chunks together.
std::uint64_t residues_of(const std::vector<Chunk>& chunks);

/// A group of chunks of one database, in its order, that are in memory at the same time and scanned
/// together.
struct ChunkGroup {
    std::size_t database;  // index into the DatabaseSet
    std::vector<Chunk> members;
    std::uint64_t residues;
};

/// Returns the chunks of a share in groups of up to `chunk_bytes` packed bytes, or of a single
/// chunk. Groups keep work large if the pieces of the share are small. If the share has all tiles,
/// most groups have one chunk.
std::vector<ChunkGroup> group_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes, const TargetShare& share);

}  // namespace warpseq
