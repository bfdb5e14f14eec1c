// A database file in memory and the checks that make it safe to read through. Shared by the reader, the validator and
// inspect; other code uses formats/wsdb_reader.h.
//
// Nothing that stands in the file is used as an offset, a size or a count before it has been compared with what the
// file can hold. Somebody may write to the file, or cut it, while it is mapped: what was checked when it was opened may
// not hold later. So a value of the map that becomes a size, an offset or a rank is copied first and checked where it
// is used. Only the numbers of the header are relied on, because the header is a copy. verify_unchanged() finds out
// whether what was read is still what was checked.
//
// Map's functions are in four files:
//   wsdb_map.cpp           sections, entries of the index, whether the file is unchanged
//   wsdb_header_check.cpp  check_header()
//   wsdb_index_check.cpp   check_index()
//   wsdb_blocks.cpp        compressed blocks of residues and of header lines
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mapped_file.h"
#include "formats/wsdb_faults.h"
#include "formats/wsdb_layout.h"
#include "formats/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// A value of the map as it is now.
template <typename T>
T copy_of(const T& in_map) {
    T copy;
    std::memcpy(&copy, &in_map, sizeof copy);
    // Else the compiler might read the map again where it uses the copy.
    asm volatile("" : "+m"(copy));
    return copy;
}

struct WsdbReader::Map {
    Map() = default;
    Map(const Map&) = delete;
    Map& operator=(const Map&) = delete;

    std::filesystem::path file;
    MappedFile mapped;
    bool is_private = false;              // nobody else can write to the file
    std::span<const std::uint8_t> bytes;  // the whole file
    wsdb::FileHeader header{};            // a copy
    /// By SectionType; type 0 where the file has none.
    std::array<wsdb::SectionEntry, wsdb::kKnownSections + 1> sections{};

    std::span<const wsdb::TileEntry> tiles;
    std::span<const wsdb::BlockEntry> blocks;  // empty with the packed codec
    std::span<const std::uint64_t> lengths;
    std::span<const std::uint64_t> input_positions;
    std::span<const std::uint64_t> header_offsets;
    std::span<const wsdb::HeaderBlockEntry> header_blocks;
    std::span<const wsdb::NameEntry> names;

    /// Tells buffers of different readers apart, even when one is made where another one was.
    std::shared_ptr<const int> identity = std::make_shared<const int>(0);

    mutable std::once_flag names_once;
    mutable Status names_status;
    mutable std::atomic<bool> names_read = false;

    /// A bit for each tile: set once its words were handed out where they stand. Packed codec only.
    mutable std::vector<std::atomic<std::uint64_t>> tiles_read;

    mutable std::mutex header_mutex;  // guards kept_headers, which callers without a buffer share
    mutable HeaderBuffer kept_headers;

    /// Maps the file. Errors of the system come back as a Status.
    static Result<std::unique_ptr<Map>> map_file(const std::filesystem::path& file);
    /// Of a file that is mapped already; `file` is its name in messages.
    static std::unique_ptr<Map> of(MappedFile mapped, const std::filesystem::path& file);

    /// The header and the section table. Fills `header`, `sections` and the spans. False where nothing after it can be
    /// trusted.
    bool check_header(WsdbFaults& faults);
    /// Checksums and invariants of what every reader relies on: lengths, input positions in range, index of tiles, of
    /// blocks, of headers. False where reading on would leave the map.
    bool check_index(WsdbFaults& faults);

    const wsdb::SectionEntry& section(wsdb::SectionType type) const { return sections[static_cast<std::size_t>(type)]; }
    std::span<const std::uint8_t> section_bytes(wsdb::SectionType type) const;
    bool check_section_checksum(const wsdb::SectionEntry& entry, WsdbFaults& faults) const;
    Status section_status(wsdb::SectionType type) const;
    /// A copy of a section whose checksum is right.
    Result<std::string> section_copy(wsdb::SectionType type) const;

    /// The error for the first of `faults`, or that the file was cut while it was read.
    Status status_of(const WsdbFaults& faults) const;
    Status cut_status() const;
    Status changed_status() const;
    Status verify_unchanged(const ThreadPool& pool) const;
    void mark_tile_read(std::uint64_t tile) const;

    // What follows from the header alone.
    ResidueCodec codec() const { return static_cast<ResidueCodec>(header.codec); }
    std::uint64_t tile_of_sequence(std::uint64_t rank) const;
    std::uint64_t first_sequence_of(std::uint64_t tile) const;
    std::uint32_t lanes_of(std::uint64_t tile) const;
    TileLayout layout_of(std::uint64_t tile) const;

    /// Bytes of the tile's packed words. Never more than the longest sequence of the header makes, even where the file
    /// was changed.
    std::uint64_t tile_bytes(std::uint64_t tile) const;
    /// The block of a tile; zstd codec only. A number of a block that exists, even where the file was changed.
    std::uint64_t block_of_tile(std::uint64_t tile) const;
    std::uint64_t block_of_header(std::uint64_t rank) const;

    /// Copy an entry of the index. False, with a fault, where it disagrees with the header or leaves the file.
    bool read_tile(std::uint64_t tile, WsdbTile& copy, WsdbFaults& faults) const;
    bool read_block(std::uint64_t block, wsdb::BlockEntry& copy, WsdbFaults& faults) const;
    bool read_header_block(std::uint64_t block, wsdb::HeaderBlockEntry& copy, WsdbFaults& faults) const;

    /// The words of a tile in the map; packed codec only.
    const std::uint32_t* packed_words(const WsdbTile& tile) const;
    /// Where a tile (packed) or its block (zstd) stands in the file.
    std::uint64_t tile_file_offset(std::uint64_t tile) const;

    /// Expands one block of residue codes: checksum, size and codes verified. False, with a fault, where it is damaged.
    bool decode_block(std::uint64_t block, WsdbBlock& decoded, WsdbFaults& faults) const;
    /// The residues of a tile in its block; none, with a fault, where they are not in it.
    std::span<const std::uint8_t> residues_in(const WsdbBlock& block, const WsdbTile& tile, WsdbFaults& faults) const;
    bool decode_header_block(std::uint64_t block, HeaderBuffer& decoded, WsdbFaults& faults) const;
    /// The header line of a sequence of the block; none, with a fault, where it is not in it.
    std::optional<std::string_view> header_in(const HeaderBuffer& decoded, std::uint64_t rank,
                                              WsdbFaults& faults) const;
    Result<wsdb::Statistics> statistics() const;
    Result<std::string> provenance() const;
};

}  // namespace warpseq
