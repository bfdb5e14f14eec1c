// Compressed blocks, of residue codes and of header lines: copied out of the map, checked, expanded, looked into.
#include <algorithm>
#include <cstring>
#include <new>

// For ZSTD_decompressBound(), which every version since 1.4.0 has under this name.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "formats/checksum.h"
#include "formats/wsdb_map.h"

namespace warpseq {

namespace {

/// Expands one zstd frame into `raw_bytes` bytes. make() makes room for them; it is called once the size is known to be
/// possible. The frame is copied first, so the bytes that are expanded are the bytes whose checksum was right.
template <typename Make>
bool expand_frame(std::span<const std::uint8_t> in_map, std::vector<std::uint8_t>& frame, std::uint64_t raw_bytes,
                  std::uint64_t checksum, std::uint64_t file_offset, const std::string& what, WsdbFaults& faults,
                  const Make& make) {
    frame.assign(in_map.begin(), in_map.end());
    const std::uint64_t found = checksum_of(frame.data(), frame.size());
    if (found != checksum) {
        faults.add_checksum(file_offset, what + " is damaged", checksum, found);
        return false;
    }
    // The bound follows from the frame's own blocks, so memory is never asked for on the word of the index alone.
    const unsigned long long bound = ZSTD_decompressBound(frame.data(), frame.size());
    if (ZSTD_isError(bound) != 0 || raw_bytes > bound) {
        faults.add(file_offset, "size of " + what, "a zstd frame of " + std::to_string(raw_bytes) + " bytes",
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
    wsdb::BlockEntry entry;
    if (!read_block(block, entry, faults)) return false;
    decoded.first_tile = entry.first_tile;
    decoded.tiles = entry.tiles;
    decoded.residue_count = 0;
    decoded.residues_before = copy_of(tiles[entry.first_tile].offset);
    const auto in_map = section_bytes(wsdb::SectionType::kBlocks).subspan(entry.offset_bytes, entry.size_bytes);
    const std::uint64_t file_offset = section(wsdb::SectionType::kBlocks).offset_bytes + entry.offset_bytes;
    const std::string what = indexed("block", block);
    std::vector<std::uint8_t>& residues = decoded.residues;
    if (!expand_frame(in_map, decoded.frame, entry.residues, entry.checksum, file_offset, what, faults,
                      [&](std::uint64_t size) {
                          if (residues.size() < size) residues.resize(size);
                          return residues.data();
                      })) {
        return false;
    }
    std::uint8_t largest = 0;
    for (std::uint64_t i = 0; i < entry.residues; ++i) largest = std::max(largest, residues[i]);
    if (largest >= kResidueCodes) {
        faults.add(file_offset, "residue codes of " + what, "0 to 26", std::to_string(largest));
        return false;
    }
    decoded.residue_count = entry.residues;
    return true;
}

std::span<const std::uint8_t> WsdbReader::Map::residues_in(const WsdbBlock& block, const WsdbTile& tile,
                                                           WsdbFaults& faults) const {
    const std::uint64_t offset = tile.offset - block.residues_before;
    if (tile.offset >= block.residues_before && offset <= block.residue_count &&
        tile.residues <= block.residue_count - offset) {
        return std::span<const std::uint8_t>(block.residues).subspan(offset, tile.residues);
    }
    faults.add_changed(section(wsdb::SectionType::kTileIndex).offset_bytes, "TILE_INDEX, or BLOCK_INDEX");
    return {};
}

bool WsdbReader::Map::decode_header_block(std::uint64_t block, HeaderBuffer& decoded, WsdbFaults& faults) const {
    wsdb::HeaderBlockEntry entry;
    if (!read_header_block(block, entry, faults)) return false;
    decoded.raw_offset = entry.raw_offset;
    decoded.text.clear();
    return expand_frame(section_bytes(wsdb::SectionType::kHeaders).subspan(entry.offset_bytes, entry.size_bytes),
                        decoded.frame, entry.raw_bytes, entry.checksum,
                        section(wsdb::SectionType::kHeaders).offset_bytes + entry.offset_bytes,
                        indexed("header block", block), faults, [&](std::uint64_t size) {
                            decoded.text.resize(size);
                            return decoded.text.data();
                        });
}

std::optional<std::string_view> WsdbReader::Map::header_in(const HeaderBuffer& decoded, std::uint64_t rank,
                                                           WsdbFaults& faults) const {
    const std::uint64_t begin = copy_of(header_offsets[rank]), end = copy_of(header_offsets[rank + 1]);
    if (begin >= decoded.raw_offset && begin <= end && end - decoded.raw_offset <= decoded.text.size())
        return std::string_view(decoded.text).substr(begin - decoded.raw_offset, end - begin);
    faults.add_changed(section(wsdb::SectionType::kHeaderOffsets).offset_bytes + rank * sizeof begin,
                       indexed("header offset of sequence", rank) + ", or HEADER_BLOCK_INDEX");
    return std::nullopt;
}

}  // namespace warpseq
