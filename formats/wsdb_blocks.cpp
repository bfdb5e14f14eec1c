// Compressed blocks, of residue codes and of header lines: copied out of the map, checked, expanded, looked into.
#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

// For ZSTD_decompressBound(), which every version since 1.4.0 has under this name.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "formats/checksum.h"
#include "formats/wsdb_map.h"

namespace warpseq {

namespace {

/// Expands one zstd frame into `raw_bytes` bytes, or as many as it says itself. make() makes room for them; it is called once the size is known to be
/// possible. The frame is copied first, so the bytes that are expanded are the bytes whose checksum was right.
template <typename Make>
bool expand_frame(std::span<const std::uint8_t> in_map, std::vector<std::uint8_t>& frame,
                  std::optional<std::uint64_t> expected_bytes, std::uint64_t checksum, std::uint64_t file_offset,
                  const std::string& what, WsdbFaults& faults, const Make& make) {
    frame.assign(in_map.begin(), in_map.end());
    const std::uint64_t found = checksum_of(frame.data(), frame.size());
    if (found != checksum) {
        faults.add_checksum(file_offset, what + " is damaged", checksum, found);
        return false;
    }
    // The bound follows from the frame's own blocks, so memory is never asked for on the word of the index alone.
    const unsigned long long bound = ZSTD_decompressBound(frame.data(), frame.size());
    const std::uint64_t raw_bytes = expected_bytes.value_or(ZSTD_getFrameContentSize(frame.data(), frame.size()));
    if (ZSTD_isError(bound) != 0 || raw_bytes > bound) {
        faults.add(file_offset, "size of " + what,
                   expected_bytes ? "a zstd frame of " + std::to_string(raw_bytes) + " bytes"
                                  : "a zstd frame that says how many bytes it expands to",
                   ZSTD_isError(bound) != 0 ? "no zstd frame" : "one of at most " + std::to_string(bound));
        return false;
    }
    const std::size_t size = ZSTD_decompress(make(raw_bytes), raw_bytes, frame.data(), frame.size());
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();  // no fault of the file
    if (ZSTD_isError(size) != 0 || size != raw_bytes) {
        faults.add(file_offset, what, std::to_string(raw_bytes) + " bytes when expanded",
                   ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : std::to_string(size));
        return false;
    }
    return true;
}

}  // namespace

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
    if (!expand_frame(in_map, decoded.frame, raw_bytes, entry.checksum, file_offset, what, faults,
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
    if (!expand_frame(in_map, decoded.frame, std::nullopt, entry.checksum, file_offset, indexed("header block", block),
                      faults, [&](std::uint64_t size) {
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
