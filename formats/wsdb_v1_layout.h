// The bytes of a .wsdb file of version 1, which dbconv alone still reads. What is not here is as in version 2
// (formats/wsdb_layout.h): magic, alignment, words and tiles, limits, statistics, the content digest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpseq::wsdb_v1 {

inline constexpr std::uint16_t kVersionMajor = 1;
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::size_t kMaxSections = 99;

enum class SectionType : std::uint32_t {
    kTiles = 1,             // packed codec: the tiles' words
    kBlocks = 2,            // zstd codec: frames of residue codes
    kBlockIndex = 3,        // zstd codec: BlockEntry[]
    kTileIndex = 4,         // TileEntry[]
    kLengths = 5,           // u64[sequences]
    kInputPositions = 6,    // u64[sequences]
    kHeaderOffsets = 7,     // u64[sequences + 1], in all headers one after another
    kHeaderBlockIndex = 8,  // HeaderBlockEntry[]
    kHeaders = 9,           // zstd frames of header lines
    kNameIndex = 10,        // 16 bytes a sequence
    kStatistics = 11,       // wsdb::Statistics
    kProvenance = 12,       // JSON text
};
inline constexpr std::uint32_t kKnownSections = 12;

struct SectionEntry {
    std::uint32_t type;
    std::uint32_t flags;
    std::uint64_t offset_bytes;
    std::uint64_t size_bytes;
    std::uint64_t items;
    std::uint64_t checksum;  // XXH3-64 of the section's bytes
};
static_assert(sizeof(SectionEntry) == 40);

struct FileHeader {
    std::array<std::uint8_t, 8> magic;
    std::uint16_t version_major;
    std::uint16_t version_minor;
    std::uint32_t header_bytes;
    std::uint64_t file_bytes;
    std::uint64_t sequences;
    std::uint64_t residues;
    std::uint64_t tiles;
    std::uint64_t linear_tiles;
    std::uint64_t longest_residues;
    std::uint32_t codec;  // ResidueCodec
    std::uint32_t section_count;
    std::array<std::uint8_t, 16> content_digest;
    std::array<std::uint8_t, 40> reserved;
    std::array<SectionEntry, kMaxSections> sections;
    std::uint64_t checksum;  // XXH3-64 of the bytes before it
};
static_assert(sizeof(FileHeader) == kHeaderBytes && std::is_trivially_copyable_v<FileHeader>);
static_assert(offsetof(FileHeader, sections) == 128 && offsetof(FileHeader, checksum) == 4088);

struct TileEntry {
    std::uint64_t offset;          // packed: bytes from the start of TILES; zstd: residues before it in all blocks
    std::uint64_t word_rows;       // words of the longest lane
    std::uint64_t first_sequence;  // rank of lane 0
    std::uint64_t residues;
    std::uint64_t checksum;  // XXH3-64 of the tile's packed words, whatever the codec
    std::uint32_t lanes;
    std::uint32_t layout;  // TileLayout
};
static_assert(sizeof(TileEntry) == 48);

struct BlockEntry {
    std::uint64_t first_tile;
    std::uint64_t tiles;
    std::uint64_t offset_bytes;  // of the zstd frame, from the start of BLOCKS
    std::uint64_t size_bytes;
    std::uint64_t residues;  // bytes that the frame expands to
    std::uint64_t checksum;  // XXH3-64 of the frame's bytes
};
static_assert(sizeof(BlockEntry) == 48);

struct HeaderBlockEntry {
    std::uint64_t first_sequence;  // rank of the first header in it
    std::uint64_t raw_offset;      // of its first byte, in all headers one after another
    std::uint64_t raw_bytes;
    std::uint64_t offset_bytes;  // of the zstd frame, from the start of HEADERS
    std::uint64_t size_bytes;
    std::uint64_t checksum;  // XXH3-64 of the frame's bytes
};
static_assert(sizeof(HeaderBlockEntry) == 48);

}  // namespace warpseq::wsdb_v1
