// Checks the indexes of blocks as a whole at their first use, and all numbers per sequence for the
// validator.
#include <algorithm>
#include <utility>

#include "formats/wsdb/wsdb_map.h"

namespace warpseq {

namespace {

using wsdb::SectionType;

/// Checks of index sections. Every function returns false, with a fault, if something is wrong.
class IndexCheck {
   public:
    IndexCheck(const WsdbReader::Map& map, WsdbFaults& faults) : map_(map), header_(map.header), faults_(faults) {}

    bool check_lengths();
    bool check_input_positions();
    bool check_tiles();
    /// Checks the index of blocks or of header blocks. Frames must follow each other and fill their
    /// section, and so must the items in them.
    template <typename Entry>
    bool check_frames(std::span<const Entry> entries, SectionType index, SectionType frames,
                      std::uint64_t Entry::*first, std::uint64_t all, const std::string& first_name,
                      const std::string& frame_name);

   private:
    /// Returns the byte of the file where a field of an item of a section stands.
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

bool IndexCheck::check_lengths() {
    if (!map_.check_section(SectionType::kLengths, faults_)) return false;
    const WsdbReader::Map& map = map_;
    const auto* const lengths = reinterpret_cast<const std::uint32_t*>(map.section_bytes(SectionType::kLengths).data());
    std::uint64_t total = 0;
    std::uint64_t longest_allowed = header_.longest_residues;
    for (std::uint64_t rank = 0; rank < header_.sequences; ++rank) {
        const std::uint64_t length = copy_of(lengths[rank]);
        if (length > longest_allowed || length > header_.residues - total) {
            return refuse(place(SectionType::kLengths, rank, sizeof *lengths), indexed("length of sequence", rank),
                          "at most " + std::to_string(std::min(longest_allowed, header_.residues - total)) +
                              " (descending, and no more in all than the header says)",
                          length);
        }
        if (rank == 0 && length != header_.longest_residues) {
            return refuse(place(SectionType::kLengths, 0, sizeof *lengths), "length of sequence 0",
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
    if (!map_.check_section(SectionType::kInputPositions, faults_)) return false;
    const std::uint64_t width = map_.section(SectionType::kInputPositions).size_bytes / header_.sequences;
    const std::uint8_t* const bytes = map_.section_bytes(SectionType::kInputPositions).data();
    for (std::uint64_t rank = 0; rank < header_.sequences; ++rank) {
        std::uint64_t position = 0;
        std::memcpy(&position, bytes + rank * width, width);
        if (position < header_.sequences) continue;
        return refuse(place(SectionType::kInputPositions, rank, width), indexed("input position of sequence", rank),
                      "below " + std::to_string(header_.sequences), position);
    }
    return true;
}

// All of the index of tiles except the checksums follows from the lengths.
bool IndexCheck::check_tiles() {
    if (!map_.check_section(SectionType::kTileIndex, faults_)) return false;
    const WsdbNumbers lengths = map_.lengths();
    std::uint64_t rank = 0, offset = 0, residues = 0;
    for (std::uint64_t tile = 0; tile <= map_.tile_count(); ++tile) {
        const wsdb::TileEntry entry = copy_of(map_.tiles[tile]);
        struct Field {
            const char* name;
            std::size_t place;
            std::uint64_t expected, found;
        };
        for (const Field& field :
             {Field{"offset", offsetof(wsdb::TileEntry, offset_bytes), offset, entry.offset_bytes},
              Field{"residues before", offsetof(wsdb::TileEntry, residues_before), residues, entry.residues_before}}) {
            if (field.expected == field.found) continue;
            return refuse(place(SectionType::kTileIndex, tile, sizeof entry, field.place),
                          std::string(field.name) + " of tile " + std::to_string(tile), std::to_string(field.expected),
                          field.found);
        }
        if (tile == map_.tile_count()) {
            if (entry.checksum == 0) break;
            return refuse(place(SectionType::kTileIndex, tile, sizeof entry, offsetof(wsdb::TileEntry, checksum)),
                          "checksum behind the last tile", "0", entry.checksum);
        }
        offset += tile_words(map_.layout_of(tile), lengths[rank]) * sizeof(std::uint32_t);
        for (const std::uint64_t end = rank + map_.lanes_of(tile); rank < end; ++rank) residues += lengths[rank];
    }
    if (map_.codec() != ResidueCodec::kPacked || offset == map_.section(SectionType::kTiles).size_bytes) return true;
    return refuse(offsetof(wsdb::FileHeader, sections), "size of section TILES",
                  std::to_string(offset) + ", the sum of all tiles", map_.section(SectionType::kTiles).size_bytes);
}

template <typename Entry>
bool IndexCheck::check_frames(std::span<const Entry> entries, SectionType index, SectionType frames,
                              std::uint64_t Entry::*first, std::uint64_t all, const std::string& first_name,
                              const std::string& frame_name) {
    if (!map_.check_section(index, faults_)) return false;
    const std::uint64_t size_bytes = map_.section(frames).size_bytes;
    const auto at = [&](std::size_t block, std::size_t field) { return place(index, block, sizeof(Entry), field); };
    std::uint64_t next_first = 0, next_offset = 0;
    for (std::size_t block = 0; block < entries.size(); ++block) {
        const Entry entry = copy_of(entries[block]);
        const bool is_end = block + 1 == entries.size();
        if (is_end       ? entry.*first != all
            : block == 0 ? entry.*first != 0
                         : entry.*first < next_first || entry.*first >= all) {
            return refuse(at(block, 0), indexed(first_name, block),
                          is_end       ? std::to_string(all) + ", which is how many there are"
                          : block == 0 ? "0"
                                       : std::to_string(next_first) + " or more, below " + std::to_string(all),
                          entry.*first);
        }
        const bool is_right = is_end       ? entry.offset_bytes == size_bytes
                              : block == 0 ? entry.offset_bytes == 0
                                           : entry.offset_bytes >= next_offset && entry.offset_bytes <= size_bytes;
        if (!is_right) {
            return refuse(at(block, offsetof(Entry, offset_bytes)), indexed("offset of " + frame_name, block),
                          is_end       ? std::to_string(size_bytes) + ", where the section ends"
                          : block == 0 ? "0"
                                       : std::to_string(next_offset) + " to " + std::to_string(size_bytes),
                          entry.offset_bytes);
        }
        next_first = entry.*first + 1;
        next_offset = entry.offset_bytes;
        if (!is_end || entry.checksum == 0) continue;
        return refuse(at(block, offsetof(Entry, checksum)), "checksum behind the last " + frame_name, "0",
                      entry.checksum);
    }
    return true;
}

}  // namespace

bool WsdbReader::Map::check_numbers(WsdbFaults& faults) const {
    IndexCheck check(*this, faults);
    return check.check_lengths() && check.check_input_positions() && check.check_tiles();
}

bool WsdbReader::Map::check_block_index(WsdbFaults& faults) const {
    if (codec() == ResidueCodec::kPacked) return true;  // this codec has no blocks
    return IndexCheck(*this, faults)
        .check_frames(blocks, SectionType::kBlockIndex, SectionType::kBlocks, &wsdb::BlockEntry::first_tile,
                      tile_count(), "first tile of block", "block");
}

bool WsdbReader::Map::check_header_block_index(WsdbFaults& faults) const {
    return IndexCheck(*this, faults)
        .check_frames(header_blocks, SectionType::kHeaderBlockIndex, SectionType::kHeaders,
                      &wsdb::HeaderBlockEntry::first_sequence, header.sequences, "first sequence of header block",
                      "header block");
}

bool WsdbReader::Map::use_blocks(WsdbFaults& faults) const {
    blocks_once.call([this] { check_block_index(block_faults); });
    for (const WsdbFault& fault : block_faults.list())
        faults.add(fault.offset_bytes, fault.what, fault.expected, fault.found);
    return !block_faults.any();
}

bool WsdbReader::Map::use_header_blocks(WsdbFaults& faults) const {
    header_blocks_once.call([this] { check_header_block_index(header_block_faults); });
    for (const WsdbFault& fault : header_block_faults.list())
        faults.add(fault.offset_bytes, fault.what, fault.expected, fault.found);
    return !header_block_faults.any();
}

}  // namespace warpseq
