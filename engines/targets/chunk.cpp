#include "engines/targets/chunk.h"

#include <algorithm>

#include "engines/targets/tile_cuts.h"

namespace warpseq {

namespace {

Chunk make_chunk(const DatabaseSet& databases, std::size_t database, std::uint64_t first_tile, std::uint64_t end_tile) {
    const WsdbReader& reader = databases.reader(database);
    const std::uint64_t first = first_sequence_of(reader, first_tile);
    const std::uint64_t tiles = end_tile - first_tile;
    return {database,
            first_tile,
            tiles,
            first,
            first_sequence_of(reader, end_tile) - first,
            reader.residues_of(first_tile, tiles)};
}

bool is_searched(const DatabaseSet& databases, const Chunk& chunk) {
    return databases.is_any_searched(chunk.database, chunk.first_sequence, chunk.sequence_count);
}

std::uint64_t end_of(const Chunk& chunk) { return chunk.first_tile + chunk.tile_count; }

std::uint64_t bytes_of(const DatabaseSet& databases, const Chunk& chunk) {
    return databases.reader(chunk.database).packed_bytes(chunk.first_tile, chunk.tile_count);
}

}  // namespace

std::vector<Chunk> cut_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes, std::uint64_t most_sequences) {
    std::vector<Chunk> chunks;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        const auto bytes = [&reader](std::uint64_t first, std::uint64_t count) {
            return reader.packed_bytes(first, count);
        };
        const auto sequences = [&reader](std::uint64_t first, std::uint64_t count) {
            return first_sequence_of(reader, first + count) - first_sequence_of(reader, first);
        };
        std::uint64_t first_tile = 0, tiles = 1;
        for (; first_tile < reader.tile_count(); first_tile += tiles) {
            std::uint64_t end_tile = next_cut(reader, first_tile, chunk_bytes, tiles, bytes);
            if (sequences(first_tile, end_tile - first_tile) > most_sequences)
                end_tile = next_cut(reader, first_tile, most_sequences, tiles, sequences);
            tiles = end_tile - first_tile;
            const Chunk chunk = make_chunk(databases, d, first_tile, end_tile);
            if (is_searched(databases, chunk)) chunks.push_back(chunk);
        }
    }
    return chunks;
}

std::vector<Chunk> chunks_within(const TargetShare& share, const std::vector<Chunk>& chunks,
                                 const DatabaseSet& databases) {
    std::vector<Chunk> within;
    auto range = share.begin();
    for (const Chunk& chunk : chunks) {
        const std::uint64_t chunk_end = end_of(chunk);
        for (; range != share.end(); ++range) {
            const std::uint64_t range_end = range->first_tile + range->tile_count;
            if (range->database > chunk.database ||
                (range->database == chunk.database && range->first_tile >= chunk_end))
                break;
            const std::uint64_t first = std::max(chunk.first_tile, range->first_tile);
            const std::uint64_t end = std::min(chunk_end, range_end);
            if (range->database == chunk.database && first < end) {
                // A range that continues the one before belongs to the same chunk.
                const bool goes_on = first != chunk.first_tile && !within.empty() && end_of(within.back()) == first &&
                                     within.back().database == chunk.database;
                const std::uint64_t from = goes_on ? within.back().first_tile : first;
                if (goes_on) within.pop_back();
                const bool is_all = from == chunk.first_tile && end == chunk_end;
                within.push_back(is_all ? chunk : make_chunk(databases, chunk.database, from, end));
            }
            if (range->database == chunk.database && range_end > chunk_end) break;  // it goes on in the next chunk
        }
    }
    std::erase_if(within, [&](const Chunk& chunk) { return !is_searched(databases, chunk); });
    return within;
}

std::vector<ChunkGroup> group_chunks(const DatabaseSet& databases, std::uint64_t chunk_bytes,
                                     const TargetShare& share) {
    std::vector<ChunkGroup> groups;
    std::uint64_t bytes = 0;  // of the last group
    for (const Chunk& chunk : chunks_within(share, cut_chunks(databases, chunk_bytes), databases)) {
        const std::uint64_t more = bytes_of(databases, chunk);
        if (groups.empty() || groups.back().database != chunk.database || bytes + more > chunk_bytes) {
            groups.push_back({chunk.database, {}, 0});
            bytes = 0;
        }
        groups.back().members.push_back(chunk);
        groups.back().residues += chunk.residues;
        bytes += more;
    }
    return groups;
}

std::vector<Chunk> with_fine_end(std::vector<Chunk> chunks, const DatabaseSet& databases, std::uint64_t residues,
                                 std::uint64_t piece_residues) {
    std::size_t first = chunks.size();  // the first chunk that is cut
    std::uint64_t of_end = 0;
    for (; first > 0 && of_end < residues; --first) of_end += chunks[first - 1].residues;
    std::vector<Chunk> cut(chunks.begin(), chunks.begin() + static_cast<std::ptrdiff_t>(first));
    // The part of the first chunk that lies before the end stays in one piece.
    std::uint64_t most_residues = std::max(of_end - std::min(residues, of_end), piece_residues);
    for (; first < chunks.size(); ++first) {
        const Chunk& chunk = chunks[first];
        const WsdbReader& reader = databases.reader(chunk.database);
        std::uint64_t begin = chunk.first_tile, of_piece = 0;
        for (std::uint64_t tile = begin; tile < end_of(chunk); ++tile) {
            if (of_piece >= most_residues && reader.block_start(tile) == tile) {
                cut.push_back(make_chunk(databases, chunk.database, begin, tile));
                begin = tile;
                of_piece = 0;
                most_residues = piece_residues;
            }
            of_piece += reader.tile_residues(tile);
        }
        cut.push_back(make_chunk(databases, chunk.database, begin, end_of(chunk)));
        most_residues = piece_residues;
    }
    std::erase_if(cut, [&](const Chunk& chunk) { return !is_searched(databases, chunk); });
    return cut;
}

std::uint64_t residues_of(const std::vector<Chunk>& chunks) {
    std::uint64_t residues = 0;
    for (const Chunk& chunk : chunks) residues += chunk.residues;
    return residues;
}

}  // namespace warpseq
