// WsdbReader::Map::check_index(): the checksums of the index sections, then each entry against what it follows from.
#include <algorithm>
#include <utility>

#include "formats/wsdb_map.h"

namespace warpseq {

namespace {

using wsdb::SectionType;

/// The checks in the order in which each makes the next one safe. Every function is false, with a fault, where
/// something is wrong.
class IndexCheck {
   public:
    IndexCheck(const WsdbReader::Map& map, WsdbFaults& faults) : map_(map), header_(map.header), faults_(faults) {}

    bool run() {
        return check_checksums() && check_lengths() && check_input_positions() && check_tiles() && check_blocks() &&
               check_header_offsets() && check_header_blocks();
    }

   private:
    bool check_checksums();
    bool check_lengths();
    bool check_input_positions();
    bool check_tiles();
    bool check_blocks();
    bool check_header_offsets();
    bool check_header_blocks();

    /// The byte of the file where a field of an item of a section stands.
    std::uint64_t place(SectionType type, std::uint64_t index, std::size_t item_bytes, std::size_t field = 0) const {
        return map_.section(type).offset_bytes + index * item_bytes + field;
    }
    bool refuse(std::uint64_t offset, std::string what, std::string expected, std::uint64_t found) {
        faults_.add(offset, std::move(what), std::move(expected), std::to_string(found));
        return false;
    }

    const WsdbReader::Map& map_;
    const wsdb::FileHeader& header_;
    WsdbFaults& faults_;
};

bool IndexCheck::check_checksums() {
    bool sound = true;
    for (const SectionType type : {SectionType::kLengths, SectionType::kInputPositions, SectionType::kTileIndex,
                                   SectionType::kHeaderOffsets, SectionType::kHeaderBlockIndex}) {
        sound = map_.check_section_checksum(map_.section(type), faults_) && sound;
    }
    if (map_.codec() == ResidueCodec::kZstd)
        sound = map_.check_section_checksum(map_.section(SectionType::kBlockIndex), faults_) && sound;
    return sound;
}

bool IndexCheck::check_lengths() {
    std::uint64_t total = 0;
    std::uint64_t longest_allowed = header_.longest_residues;
    for (std::uint64_t rank = 0; rank < header_.sequences; ++rank) {
        const std::uint64_t length = map_.lengths[rank];
        if (length > longest_allowed || length > header_.residues - total) {
            return refuse(place(SectionType::kLengths, rank, sizeof length), indexed("length of sequence", rank),
                          "at most " + std::to_string(std::min(longest_allowed, header_.residues - total)) +
                              " (descending, and no more in all than the header says)",
                          length);
        }
        if (rank == 0 && length != header_.longest_residues) {
            return refuse(place(SectionType::kLengths, 0, sizeof length), "length of sequence 0",
                          std::to_string(header_.longest_residues) + ", the longest of the header", length);
        }
        longest_allowed = length;
        total += length;
    }
    if (total == header_.residues) return true;
    return refuse(offsetof(wsdb::FileHeader, residues), "number of residues",
                  std::to_string(total) + ", the sum of all lengths", header_.residues);
}

bool IndexCheck::check_input_positions() {
    for (std::uint64_t rank = 0; rank < header_.sequences; ++rank) {
        const std::uint64_t position = map_.input_positions[rank];
        if (position < header_.sequences) continue;
        return refuse(place(SectionType::kInputPositions, rank, sizeof position),
                      indexed("input position of sequence", rank), "below " + std::to_string(header_.sequences),
                      position);
    }
    return true;
}

// Everything in the index of tiles but checksums follows from the lengths.
bool IndexCheck::check_tiles() {
    const bool packed = map_.codec() == ResidueCodec::kPacked;
    std::uint64_t first_sequence = 0;
    std::uint64_t offset = 0;
    for (std::uint64_t tile = 0; tile < header_.tiles; ++tile) {
        const wsdb::TileEntry& entry = map_.tiles[tile];
        const TileLayout layout = map_.layout_of(tile);
        const std::uint64_t lanes = map_.lanes_of(tile);
        const auto lengths = map_.lengths.subspan(first_sequence, lanes);
        std::uint64_t residues = 0;
        for (const std::uint64_t length : lengths) residues += length;
        struct Field {
            const char* name;
            std::size_t place;
            std::uint64_t expected, found;
        };
        for (const Field& field :
             {Field{"offset", offsetof(wsdb::TileEntry, offset), offset, entry.offset},
              Field{"word rows", offsetof(wsdb::TileEntry, word_rows), words_for(lengths.front()), entry.word_rows},
              Field{"first sequence", offsetof(wsdb::TileEntry, first_sequence), first_sequence, entry.first_sequence},
              Field{"residues", offsetof(wsdb::TileEntry, residues), residues, entry.residues},
              Field{"lanes", offsetof(wsdb::TileEntry, lanes), lanes, entry.lanes},
              Field{"layout", offsetof(wsdb::TileEntry, layout), static_cast<std::uint64_t>(layout), entry.layout}}) {
            if (field.expected == field.found) continue;
            return refuse(place(SectionType::kTileIndex, tile, sizeof entry, field.place),
                          std::string(field.name) + " of tile " + std::to_string(tile), std::to_string(field.expected),
                          field.found);
        }
        offset += packed ? tile_words(layout, lengths.front()) * sizeof(std::uint32_t) : residues;
        first_sequence += lanes;
    }
    if (!packed || offset == map_.section(SectionType::kTiles).size_bytes) return true;
    return refuse(offsetof(wsdb::FileHeader, sections), "size of section TILES",
                  std::to_string(offset) + ", the sum of all tiles", map_.section(SectionType::kTiles).size_bytes);
}

bool IndexCheck::check_blocks() {
    if (map_.codec() == ResidueCodec::kPacked) return true;  // has none
    using wsdb::BlockEntry;
    const std::uint64_t size_bytes = map_.section(SectionType::kBlocks).size_bytes;
    std::uint64_t next_tile = 0;
    std::uint64_t next_offset = 0;
    for (std::uint64_t block = 0; block < map_.blocks.size(); ++block) {
        const BlockEntry entry = copy_of(map_.blocks[block]);  // its tiles are counted by it
        const auto at = [&](std::size_t field) { return place(SectionType::kBlockIndex, block, sizeof entry, field); };
        const auto named = [&](const char* name) { return std::string(name) + " of block " + std::to_string(block); };
        if (entry.first_tile != next_tile) {
            return refuse(at(offsetof(BlockEntry, first_tile)), named("first tile"), std::to_string(next_tile),
                          entry.first_tile);
        }
        if (entry.tiles == 0 || entry.tiles > header_.tiles - next_tile) {
            return refuse(at(offsetof(BlockEntry, tiles)), named("tiles"),
                          "1 to " + std::to_string(header_.tiles - next_tile), entry.tiles);
        }
        std::uint64_t residues = 0;
        for (std::uint64_t tile = 0; tile < entry.tiles; ++tile) residues += map_.tiles[next_tile + tile].residues;
        if (entry.residues != residues) {
            return refuse(at(offsetof(BlockEntry, residues)), named("residues"), std::to_string(residues),
                          entry.residues);
        }
        if (entry.offset_bytes != next_offset) {
            return refuse(at(offsetof(BlockEntry, offset_bytes)), named("offset"), std::to_string(next_offset),
                          entry.offset_bytes);
        }
        if (entry.size_bytes > size_bytes - next_offset) {
            return refuse(at(offsetof(BlockEntry, size_bytes)), named("size"),
                          "at most " + std::to_string(size_bytes - next_offset), entry.size_bytes);
        }
        next_tile += entry.tiles;
        next_offset += entry.size_bytes;
    }
    if (next_tile == header_.tiles && next_offset == size_bytes) return true;
    return refuse(map_.section(SectionType::kBlockIndex).offset_bytes, "tiles of all blocks",
                  std::to_string(header_.tiles) + " in all of section BLOCKS", next_tile);
}

bool IndexCheck::check_header_offsets() {
    std::uint64_t previous = 0;
    for (std::uint64_t rank = 0; rank <= header_.sequences; ++rank) {
        const std::uint64_t current = map_.header_offsets[rank];
        if (current < previous || (rank == 0 && current != 0)) {
            return refuse(place(SectionType::kHeaderOffsets, rank, sizeof current),
                          indexed("header offset of sequence", rank),
                          rank == 0 ? "0" : "at least " + std::to_string(previous), current);
        }
        previous = current;
    }
    return true;
}

bool IndexCheck::check_header_blocks() {
    using wsdb::HeaderBlockEntry;
    const std::uint64_t size_bytes = map_.section(SectionType::kHeaders).size_bytes;
    const auto& header_blocks = map_.header_blocks;
    const auto& header_offsets = map_.header_offsets;
    std::uint64_t next_sequence = 0;
    std::uint64_t next_raw = 0;
    std::uint64_t next_offset = 0;
    for (std::uint64_t block = 0; block < header_blocks.size(); ++block) {
        const HeaderBlockEntry& entry = header_blocks[block];
        const auto at = [&](std::size_t field) {
            return place(SectionType::kHeaderBlockIndex, block, sizeof entry, field);
        };
        const auto named = [&](const char* name) {
            return std::string(name) + " of header block " + std::to_string(block);
        };
        // A block holds exactly the headers from its first sequence to the next block's first one: no header spans
        // blocks.
        const std::uint64_t following =
            block + 1 < header_blocks.size() ? copy_of(header_blocks[block + 1].first_sequence) : header_.sequences;
        if (entry.first_sequence != next_sequence || following <= next_sequence || following > header_.sequences) {
            return refuse(at(offsetof(HeaderBlockEntry, first_sequence)), named("first sequence"),
                          std::to_string(next_sequence) + ", and more in the next block", entry.first_sequence);
        }
        if (entry.raw_offset != next_raw || header_offsets[next_sequence] != next_raw) {
            return refuse(at(offsetof(HeaderBlockEntry, raw_offset)), named("raw offset"),
                          std::to_string(header_offsets[next_sequence]), entry.raw_offset);
        }
        if (entry.raw_bytes != header_offsets[following] - next_raw) {
            return refuse(at(offsetof(HeaderBlockEntry, raw_bytes)), named("raw size"),
                          std::to_string(header_offsets[following] - next_raw), entry.raw_bytes);
        }
        if (entry.offset_bytes != next_offset) {
            return refuse(at(offsetof(HeaderBlockEntry, offset_bytes)), named("offset"), std::to_string(next_offset),
                          entry.offset_bytes);
        }
        if (entry.size_bytes > size_bytes - next_offset) {
            return refuse(at(offsetof(HeaderBlockEntry, size_bytes)), named("size"),
                          "at most " + std::to_string(size_bytes - next_offset), entry.size_bytes);
        }
        next_sequence = following;
        next_raw += entry.raw_bytes;
        next_offset += entry.size_bytes;
    }
    if (next_sequence == header_.sequences && next_offset == size_bytes) return true;
    return refuse(map_.section(SectionType::kHeaderBlockIndex).offset_bytes, "sequences of all header blocks",
                  std::to_string(header_.sequences) + " in all of section HEADERS", next_sequence);
}

}  // namespace

bool WsdbReader::Map::check_index(WsdbFaults& faults) { return IndexCheck(*this, faults).run(); }

}  // namespace warpseq
