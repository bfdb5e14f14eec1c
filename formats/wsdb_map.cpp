// The map of a database file: its sections, copies of entries of the index, and whether the file is still what it was.
// Opening checks it: wsdb_header_check.cpp, then wsdb_index_check.cpp. wsdb_blocks.cpp expands what is compressed.
#include "formats/wsdb_map.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "formats/checksum.h"

namespace warpseq {

Result<std::unique_ptr<WsdbReader::Map>> WsdbReader::Map::map_file(const std::filesystem::path& file) {
    auto mapped = MappedFile::open(file);
    if (!mapped.ok()) return mapped.status();
    return of(*std::move(mapped), file);
}

std::unique_ptr<WsdbReader::Map> WsdbReader::Map::of(MappedFile mapped, const std::filesystem::path& file) {
    auto map = std::make_unique<Map>();
    map->file = file;
    map->mapped = std::move(mapped);
    map->bytes = map->mapped.bytes();
    return map;
}

std::span<const std::uint8_t> WsdbReader::Map::section_bytes(wsdb::SectionType type) const {
    const wsdb::SectionEntry& entry = section(type);
    return bytes.subspan(entry.offset_bytes, entry.size_bytes);
}

bool WsdbReader::Map::check_section_checksum(const wsdb::SectionEntry& entry, WsdbFaults& faults) const {
    const std::uint64_t found = checksum_of(bytes.data() + entry.offset_bytes, entry.size_bytes);
    if (found == entry.checksum) return true;
    faults.add_checksum(
        entry.offset_bytes,
        "section " + std::string(section_name(static_cast<wsdb::SectionType>(entry.type))) + " is damaged",
        entry.checksum, found);
    return false;
}

Status WsdbReader::Map::section_status(wsdb::SectionType type) const {
    WsdbFaults faults(false);
    if (!check_section_checksum(section(type), faults)) return status_of(faults);
    return {};
}

Result<std::string> WsdbReader::Map::section_copy(wsdb::SectionType type) const {
    const auto in_map = section_bytes(type);
    std::string copy(reinterpret_cast<const char*>(in_map.data()), in_map.size());
    if (checksum_of(copy.data(), copy.size()) == section(type).checksum) return copy;
    WARPSEQ_TRY(section_status(type));
    WsdbFaults faults(false);
    faults.add_changed(section(type).offset_bytes, "section " + std::string(section_name(type)));
    return status_of(faults);
}

Result<wsdb::Statistics> WsdbReader::Map::statistics() const {
    const auto copy = section_copy(wsdb::SectionType::kStatistics);
    if (!copy.ok()) return copy.status();
    wsdb::Statistics statistics{};
    std::memcpy(&statistics, copy->data(), sizeof statistics);
    return statistics;
}

Result<std::string> WsdbReader::Map::provenance() const { return section_copy(wsdb::SectionType::kProvenance); }

Status WsdbReader::Map::cut_status() const {
    return Status::io(file.string() +
                      ": was cut short while it was read, or its disk failed; nothing that was computed from it can be "
                      "trusted; when it is whole, do it again");
}

Status WsdbReader::Map::changed_status() const {
    if (mapped.lost()) return cut_status();
    return Status::io(file.string() +
                      ": was written to while it was read; nothing that was computed from it can be trusted; do it "
                      "again, and replace a database only by renaming another one over it");
}

Status WsdbReader::Map::status_of(const WsdbFaults& faults) const {
    return mapped.lost() ? cut_status() : fault_status(file, faults.list().front());
}

void WsdbReader::Map::mark_tile_read(std::uint64_t tile) const {
    std::atomic<std::uint64_t>& word = tiles_read[tile / 64];
    const std::uint64_t bit = std::uint64_t{1} << (tile % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

// Blocks and headers are not looked at again: they are copied before their checksums are checked, and only the copy is
// used.
Status WsdbReader::Map::verify_unchanged(const ThreadPool& pool) const {
    if (is_private) return mapped.lost() ? cut_status() : Status();
    const Status tiles_status = pool.parallel_for(tiles_read.size(), [&](std::uint64_t group, unsigned) -> Status {
        for (std::uint64_t read = tiles_read[group]; read != 0; read &= read - 1) {
            WsdbTile tile;
            WsdbFaults faults(false);
            if (!read_tile(group * 64 + static_cast<std::uint64_t>(std::countr_zero(read)), tile, faults))
                return changed_status();
            if (checksum_of(packed_words(tile), tile.words() * sizeof(std::uint32_t)) != tile.checksum)
                return changed_status();
        }
        return {};
    });
    // Behind the tiles, whose checksums stand in one of them.
    using wsdb::SectionType;
    std::vector<SectionType> index = {SectionType::kTileIndex, SectionType::kLengths, SectionType::kInputPositions,
                                      SectionType::kHeaderOffsets, SectionType::kHeaderBlockIndex};
    if (codec() == ResidueCodec::kZstd) index.push_back(SectionType::kBlockIndex);
    if (names_read) index.push_back(SectionType::kNameIndex);
    Status index_status;
    if (tiles_status.ok()) {
        index_status = pool.parallel_for(index.size(), [&](std::uint64_t i, unsigned) -> Status {
            WsdbFaults faults(false);
            return check_section_checksum(section(index[i]), faults) ? Status() : changed_status();
        });
    }
    if (mapped.lost()) return cut_status();
    return tiles_status.ok() ? index_status : tiles_status;
}

std::uint64_t WsdbReader::Map::tile_of_sequence(std::uint64_t rank) const {
    if (rank < header.linear_tiles) return rank;
    return header.linear_tiles + (rank - header.linear_tiles) / kTileLanes;
}

std::uint64_t WsdbReader::Map::first_sequence_of(std::uint64_t tile) const {
    if (tile < header.linear_tiles) return tile;
    return header.linear_tiles + (tile - header.linear_tiles) * kTileLanes;
}

std::uint32_t WsdbReader::Map::lanes_of(std::uint64_t tile) const {
    if (tile < header.linear_tiles) return 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(kTileLanes, header.sequences - first_sequence_of(tile)));
}

TileLayout WsdbReader::Map::layout_of(std::uint64_t tile) const {
    return tile < header.linear_tiles ? TileLayout::kLinear : TileLayout::kInterleaved;
}

std::uint64_t WsdbReader::Map::tile_bytes(std::uint64_t tile) const {
    const std::uint64_t longest = std::min(copy_of(lengths[first_sequence_of(tile)]), header.longest_residues);
    return tile_words(layout_of(tile), longest) * sizeof(std::uint32_t);
}

std::uint64_t WsdbReader::Map::block_of_tile(std::uint64_t tile) const {
    const auto after = std::ranges::upper_bound(blocks, tile, {}, &wsdb::BlockEntry::first_tile);
    return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(after - blocks.begin(), 1)) - 1;
}

std::uint64_t WsdbReader::Map::block_of_header(std::uint64_t rank) const {
    const auto after = std::ranges::upper_bound(header_blocks, rank, {}, &wsdb::HeaderBlockEntry::first_sequence);
    return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(after - header_blocks.begin(), 1)) - 1;
}

bool WsdbReader::Map::read_tile(std::uint64_t tile, WsdbTile& copy, WsdbFaults& faults) const {
    const wsdb::TileEntry entry = copy_of(tiles[tile]);
    copy.offset = entry.offset;
    copy.word_rows = entry.word_rows;
    copy.first_sequence = first_sequence_of(tile);
    copy.residues = entry.residues;
    copy.checksum = entry.checksum;
    copy.lanes = lanes_of(tile);
    copy.layout = layout_of(tile);
    const std::uint64_t* const in_map = lengths.data() + copy.first_sequence;
    std::uint64_t before = header.longest_residues, residues = 0;
    bool descend = true;
    for (std::uint32_t lane = 0; lane < copy.lanes; ++lane) {
        const std::uint64_t length = copy_of(in_map[lane]);
        descend = descend && length <= before;
        copy.lengths_residues[lane] = before = length;
        residues += length;
    }
    // Descending lengths are at most the longest, which keeps what follows from overflowing.
    if (descend && residues == entry.residues && entry.word_rows == words_for(copy.lengths_residues.front())) {
        if (codec() == ResidueCodec::kZstd) return true;  // residues_in() sees to the offset
        const std::uint64_t size_bytes = section(wsdb::SectionType::kTiles).size_bytes;
        const std::uint64_t tile_bytes = copy.words() * sizeof(std::uint32_t);
        if (copy.offset % kTileAlignmentBytes == 0 && copy.offset <= size_bytes &&
            tile_bytes <= size_bytes - copy.offset) {
            return true;
        }
    }
    faults.add_changed(section(wsdb::SectionType::kTileIndex).offset_bytes + tile * sizeof entry,
                       indexed("entry of tile", tile) + ", or the lengths of its sequences");
    return false;
}

bool WsdbReader::Map::read_block(std::uint64_t block, wsdb::BlockEntry& copy, WsdbFaults& faults) const {
    copy = copy_of(blocks[block]);
    const std::uint64_t size_bytes = section(wsdb::SectionType::kBlocks).size_bytes;
    if (copy.first_tile < header.tiles && copy.tiles > 0 && copy.tiles <= header.tiles - copy.first_tile &&
        copy.offset_bytes <= size_bytes && copy.size_bytes <= size_bytes - copy.offset_bytes) {
        return true;
    }
    faults.add_changed(section(wsdb::SectionType::kBlockIndex).offset_bytes + block * sizeof copy,
                       indexed("entry of block", block));
    return false;
}

bool WsdbReader::Map::read_header_block(std::uint64_t block, wsdb::HeaderBlockEntry& copy, WsdbFaults& faults) const {
    copy = copy_of(header_blocks[block]);
    const std::uint64_t size_bytes = section(wsdb::SectionType::kHeaders).size_bytes;
    if (copy.offset_bytes <= size_bytes && copy.size_bytes <= size_bytes - copy.offset_bytes) return true;
    faults.add_changed(section(wsdb::SectionType::kHeaderBlockIndex).offset_bytes + block * sizeof copy,
                       indexed("entry of header block", block));
    return false;
}

const std::uint32_t* WsdbReader::Map::packed_words(const WsdbTile& tile) const {
    return reinterpret_cast<const std::uint32_t*>(section_bytes(wsdb::SectionType::kTiles).data() + tile.offset);
}

std::uint64_t WsdbReader::Map::tile_file_offset(std::uint64_t tile) const {
    if (codec() == ResidueCodec::kPacked) return section(wsdb::SectionType::kTiles).offset_bytes + tiles[tile].offset;
    return section(wsdb::SectionType::kBlocks).offset_bytes + blocks[block_of_tile(tile)].offset_bytes;
}

}  // namespace warpseq
