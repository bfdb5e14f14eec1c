// Reads compressed blocks of residue codes and of header lines. They are copied out of the map,
// checked, expanded and searched.
#include <algorithm>
#include <optional>

#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/zstd_frame.h"

namespace warpseq {

bool WsdbReader::Map::decode_block(std::uint64_t block, WsdbBlock& decoded, WsdbFaults& faults) const {
    Frame entry;
    wsdb::TileEntry first{}, behind{};
    if (!read_block(block, entry, faults) || !read_entry(entry.first, first, faults) ||
        !read_entry(entry.first + entry.count, behind, faults))
        return false;
    decoded.first_tile = entry.first;
    decoded.tiles = entry.count;
    decoded.residue_count = 0;
    decoded.residues_before = first.residues_before;
    const std::uint64_t raw_bytes = behind.residues_before - first.residues_before;
    const auto in_map = section_bytes(wsdb::SectionType::kBlocks).subspan(entry.offset_bytes, entry.size_bytes);
    const std::uint64_t file_offset = section(wsdb::SectionType::kBlocks).offset_bytes + entry.offset_bytes;
    const std::string what = indexed("block", block);
    std::vector<std::uint8_t>& residues = decoded.residues;
    if (!expand_zstd_frame(in_map, decoded.frame, raw_bytes, entry.checksum, file_offset, what, faults,
                           [&](std::uint64_t size) {
                               if (residues.size() < size) residues.resize(size);
                               return residues.data();
                           })) {
        return false;
    }
    std::uint8_t largest = 0;
    for (std::uint64_t i = 0; i < raw_bytes; ++i) largest = std::max(largest, residues[i]);
    if (largest >= kResidueCodes) {
        faults.add(file_offset, "residue codes of " + what, "0 to 26", std::to_string(largest));
        return false;
    }
    decoded.residue_count = raw_bytes;
    return true;
}

std::span<const std::uint8_t> WsdbReader::Map::residues_in(const WsdbBlock& block, const WsdbTile& tile,
                                                           WsdbFaults& faults) const {
    const std::uint64_t offset = tile.residues_before - block.residues_before;
    if (tile.residues_before >= block.residues_before && offset <= block.residue_count &&
        tile.residues <= block.residue_count - offset) {
        return std::span<const std::uint8_t>(block.residues).subspan(offset, tile.residues);
    }
    faults.add_changed(section(wsdb::SectionType::kTileIndex).offset_bytes, "TILE_INDEX, or BLOCK_INDEX");
    return {};
}

bool WsdbReader::Map::decode_header_block(std::uint64_t block, HeaderBuffer& decoded, WsdbFaults& faults) const {
    Frame entry;
    decoded.text.clear();
    decoded.ends.clear();
    if (!read_header_block(block, entry, faults)) return false;
    decoded.first_sequence = entry.first;
    const auto in_map = section_bytes(wsdb::SectionType::kHeaders).subspan(entry.offset_bytes, entry.size_bytes);
    const std::uint64_t file_offset = section(wsdb::SectionType::kHeaders).offset_bytes + entry.offset_bytes;
    if (!expand_zstd_frame(in_map, decoded.frame, std::nullopt, entry.checksum, file_offset,
                           indexed("header block", block), faults, [&](std::uint64_t size) {
                               decoded.text.resize(size);
                               return decoded.text.data();
                           })) {
        return false;
    }
    for (std::size_t end = 0; (end = decoded.text.find(wsdb::kHeaderEnd, end)) != std::string::npos; ++end)
        decoded.ends.push_back(end);
    if (decoded.ends.size() == entry.count && decoded.text.ends_with(wsdb::kHeaderEnd)) return true;
    faults.add_number(file_offset, "headers in " + indexed("header block", block) + ", the last one with an end",
                      entry.count, decoded.ends.size());
    decoded.ends.clear();
    return false;
}

std::optional<std::string_view> WsdbReader::Map::header_in(const HeaderBuffer& decoded, std::uint64_t rank,
                                                           WsdbFaults& faults) const {
    const std::uint64_t index = rank - decoded.first_sequence;
    if (rank >= decoded.first_sequence && index < decoded.ends.size()) {
        const std::size_t begin = index == 0 ? 0 : decoded.ends[index - 1] + 1;
        return std::string_view(decoded.text).substr(begin, decoded.ends[index] - begin);
    }
    faults.add_changed(section(wsdb::SectionType::kHeaderBlockIndex).offset_bytes, "HEADER_BLOCK_INDEX");
    return std::nullopt;
}

}  // namespace warpseq
