// Describes the bytes of a .wsdb file, version 2, as structs and rules. docs/format.md is the
// specification; this header is its C++ counterpart. Everything is little-endian. Every struct has
// its natural layout without holes, so a map of the file can be read through pointers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq::wsdb {

static_assert(std::endian::native == std::endian::little, "the file is little-endian and read in place");

/// The signature: a byte above 127, "WSD", a carriage return with a newline, a Ctrl-Z and a
/// newline. Transfers that treat the file as text change or cut these bytes, so such damage shows
/// at once.
inline constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'W', 'S', 'D', '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint16_t kVersionMajor = 2;
inline constexpr std::uint16_t kVersionMinor = 0;
inline constexpr std::uint64_t kSectionAlignmentBytes = 4096;
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::size_t kMaxSections = 165;

/// The limits of the format. Larger numbers in a file are damage.
inline constexpr std::uint64_t kMaxSequences = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxResidues = std::uint64_t{1} << 56;
inline constexpr std::uint64_t kMaxSequenceResidues = 0xffffffff;

/// The size of the pieces in which sections are checked. A reader checks only the pieces that it
/// uses.
inline constexpr std::uint64_t kChecksumBlockBytes = std::uint64_t{1} << 16;

/// Bits of FileHeader::required_features. A reader must not read a file with a bit that it does not
/// know.
namespace feature {
inline constexpr std::uint64_t kWideInputPositions = 1;  // INPUT_POSITIONS are u64: more than 2^32 sequences
inline constexpr std::uint64_t kKnown = kWideInputPositions;
}  // namespace feature

/// The alphabet of the residue codes. There is only one so far.
inline constexpr std::uint32_t kProteinAlphabet = 1;

enum class SectionType : std::uint32_t {
    kTiles = 1,             // packed codec: the words of the tiles
    kBlocks = 2,            // zstd codec: frames of residue codes
    kBlockIndex = 3,        // zstd codec: BlockEntry[blocks + 1]
    kTileIndex = 4,         // TileEntry[tiles + 1]
    kLengths = 5,           // u32[sequences]
    kInputPositions = 6,    // u32[sequences], or u64
    kHeaderBlockIndex = 7,  // HeaderBlockEntry[header blocks + 1]
    kHeaders = 8,           // zstd frames of header lines
    kNameIndex = 9,         // NameEntry[names]
    kStatistics = 10,       // Statistics
    kProvenance = 11,       // JSON text
    kChecksums = 12,        // u64 for each kChecksumBlockBytes of the sections that have no checksums of their own
    kTaxids = 13,           // optional: u64[taxid groups], u32[sequences], u32[] lists
    kTaxonomy = 14,         // optional: text, a line for each taxon
};
inline constexpr std::uint32_t kKnownSections = 14;

/// The flag of a section that a reader may ignore if it does not know the section's type.
inline constexpr std::uint32_t kSectionMayBeIgnored = 1;

/// Whether a section may be missing. A reader that does not know it may ignore it.
constexpr bool is_optional(SectionType type) { return type == SectionType::kTaxids || type == SectionType::kTaxonomy; }

// TAXIDS has one number for each sequence. It is the taxonomy ID of all its definition lines, 0 if
// it is not known. If the lines have different IDs, it is kTaxidList and the place of a list,
// counted from the beginning of the lists of the sequence's group. A list holds the number of
// definition lines and then the taxonomy ID of each.
inline constexpr std::uint32_t kTaxidList = std::uint32_t{1} << 31;
inline constexpr std::uint64_t kTaxidGroupSequences = std::uint64_t{1} << 16;
constexpr std::uint64_t taxid_groups(std::uint64_t sequences) {
    return (sequences + kTaxidGroupSequences - 1) / kTaxidGroupSequences;
}
/// Returns the offset of the lists from the start of the section.
constexpr std::uint64_t taxid_lists_offset_bytes(std::uint64_t sequences) {
    return taxid_groups(sequences) * sizeof(std::uint64_t) + sequences * sizeof(std::uint32_t);
}

struct SectionEntry {
    std::uint32_t type;
    std::uint32_t flags;
    std::uint64_t offset_bytes;
    std::uint64_t size_bytes;
};
static_assert(sizeof(SectionEntry) == 24);

/// Whether CHECKSUMS covers a section. The other sections have checksums in their index, or in the
/// file's header.
constexpr bool is_in_checksums(std::uint32_t type) {
    return type != static_cast<std::uint32_t>(SectionType::kTiles) &&
           type != static_cast<std::uint32_t>(SectionType::kBlocks) &&
           type != static_cast<std::uint32_t>(SectionType::kHeaders) &&
           type != static_cast<std::uint32_t>(SectionType::kChecksums);
}
/// Returns the number of checksum blocks of a section of this size.
constexpr std::uint64_t checksum_blocks(std::uint64_t size_bytes) {
    return size_bytes / kChecksumBlockBytes + (size_bytes % kChecksumBlockBytes != 0 ? 1 : 0);
}

struct FileHeader {
    std::array<std::uint8_t, 8> magic;
    std::uint16_t version_major;
    std::uint16_t version_minor;
    std::uint32_t header_bytes;
    std::uint64_t file_bytes;
    std::uint64_t sequences;
    std::uint64_t residues;
    std::uint64_t linear_tiles;
    std::uint64_t longest_residues;
    std::uint64_t required_features;  // namespace feature
    std::uint32_t codec;
    std::uint32_t alphabet;
    std::array<std::uint8_t, 16> content_digest;  // XXH3-128, most significant byte first
    std::uint64_t checksums_checksum;             // XXH3-64 of section CHECKSUMS
    std::uint32_t section_count;
    std::array<std::uint8_t, 28> reserved;
    std::array<SectionEntry, kMaxSections> sections;
    std::uint64_t checksum;  // XXH3-64 of the bytes before it

    /// Returns the number of tiles. A linear tile has one sequence; other tiles have 32, the last
    /// one perhaps fewer.
    constexpr std::uint64_t tiles() const {
        return linear_tiles + (sequences - linear_tiles + kTileLanes - 1) / kTileLanes;
    }
};
static_assert(sizeof(FileHeader) == kHeaderBytes && std::is_trivially_copyable_v<FileHeader>);
static_assert(offsetof(FileHeader, sections) == 128 && offsetof(FileHeader, checksum) == 4088);

// The indexes of tiles, blocks and header blocks have one extra entry, which says where the last
// item ends.

struct TileEntry {
    std::uint64_t offset_bytes;     // total size of the packed words of all tiles before, with either codec
    std::uint64_t residues_before;  // residues in all tiles before
    std::uint64_t checksum;         // XXH3-64 of the tile's packed words, with either codec
};
static_assert(sizeof(TileEntry) == 24);

struct BlockEntry {
    std::uint64_t first_tile;
    std::uint64_t offset_bytes;  // of the zstd frame, from the start of BLOCKS
    std::uint64_t checksum;      // XXH3-64 of the frame's bytes
};
static_assert(sizeof(BlockEntry) == 24);

struct HeaderBlockEntry {
    std::uint64_t first_sequence;  // rank of the first header in it
    std::uint64_t offset_bytes;    // of the zstd frame, from the start of HEADERS
    std::uint64_t checksum;        // XXH3-64 of the frame's bytes
};
static_assert(sizeof(HeaderBlockEntry) == 24);

/// The byte that ends each header in the expanded frames.
inline constexpr char kHeaderEnd = '\n';

struct NameEntry {
    std::uint64_t hash;  // XXH3-64 of a name (formats/fasta/sequence_names.h)
    std::uint64_t rank;
};
static_assert(sizeof(NameEntry) == 16);

/// One entry of the content digest, hashed in rank order.
struct DigestEntry {
    std::uint64_t length_residues;
    std::uint64_t residues_hash;  // XXH3-64 of the residue codes
    std::uint64_t header_hash;    // XXH3-64 of the header line
};
static_assert(sizeof(DigestEntry) == 24);

inline constexpr std::size_t kHistogramBins = 128;

struct Statistics {
    std::array<std::uint64_t, kResidueTableSize> composition;    // by residue code
    std::array<std::uint64_t, kHistogramBins> length_histogram;  // see histogram_bin()
    std::uint64_t longest_residues;
    std::uint64_t shortest_residues;
    std::uint64_t empty_sequences;
    std::uint64_t duplicate_identifiers;  // sequences whose identifier an earlier sequence has
    std::uint64_t unnamed_sequences;      // kept under a made-up name
    std::uint64_t gaps_removed;
    std::uint64_t skipped_invalid;  // records left out
    std::uint64_t residue_words;    // words that hold at least one residue
    std::uint64_t padding_words;    // words that hold none
    std::uint64_t header_bytes;     // of all headers, uncompressed
    std::array<std::uint64_t, 6> reserved;
};
static_assert(sizeof(Statistics) == 1408 && std::is_trivially_copyable_v<Statistics>);

/// Returns the histogram bin of a length. Each octave has two bins: 0, 1, 2, 3, 4-5, 6-7, 8-11,
/// 12-15, 16-23, ...
constexpr std::size_t histogram_bin(std::uint64_t length_residues) {
    if (length_residues < 2) return static_cast<std::size_t>(length_residues);
    const auto octave = static_cast<std::size_t>(std::bit_width(length_residues) - 1);
    return 2 * octave + (length_residues >> (octave - 1) & 1);
}
/// Returns the smallest length of a bin.
constexpr std::uint64_t histogram_bin_start(std::size_t bin) {
    if (bin < 2) return bin;
    return (std::uint64_t{2} + bin % 2) << (bin / 2 - 1);
}
static_assert(histogram_bin(0) == 0 && histogram_bin(5) == 4 && histogram_bin(12) == 7 && histogram_bin_start(7) == 12);

// The rule for linear tiles depends on the lengths alone, so every writer cuts the same tiles.

/// A longer sequence is always linear, which bounds the memory of an interleaved tile.
inline constexpr std::uint64_t kAlwaysLinearResidues = 65536;
/// A shorter sequence is never linear.
inline constexpr std::uint64_t kMinLinearResidues = 1024;
/// A sequence of a length between these two is linear if the interleaved tile that would begin with
/// it took more than this many times the words that its sequences need.
inline constexpr std::uint64_t kMaxInterleavedGrowth = 2;

/// Whether the sequence of length lengths_residues[0] is linear, given that all before it are.
/// `lengths_residues` holds its length and those of up to 31 sequences that follow.
constexpr bool is_linear(std::span<const std::uint64_t> lengths_residues) {
    const std::uint64_t length = lengths_residues.front();
    if (length > kAlwaysLinearResidues) return true;
    if (length < kMinLinearResidues) return false;
    std::uint64_t words = 0;
    for (std::size_t i = 0; i < lengths_residues.size() && i < kTileLanes; ++i) words += words_for(lengths_residues[i]);
    return kTileLanes * words_for(length) > kMaxInterleavedGrowth * words;
}

/// The size at which a writer closes a block of residues or of headers.
inline constexpr std::uint64_t kBlockResidues = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kHeaderBlockBytes = std::uint64_t{128} << 10;

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

/// Returns the name of a section as docs/format.md has it, such as "TILES".
std::string_view section_name(SectionType type);
/// Packs `lengths.size()` sequences into a tile of tile_words() words. Their residues are at
/// `residues`, one sequence after another.
void pack_sequences(TileLayout layout, std::span<const std::uint64_t> lengths, const std::uint8_t* residues,
                    std::uint32_t* words);

}  // namespace warpseq::wsdb
