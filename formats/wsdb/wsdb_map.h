// A database file in memory and the checks that make it safe to read through. Shared by the reader,
// the validator and inspect; other code uses formats/wsdb/wsdb_reader.h.
//
// Nothing that stands in the file is used as an offset, a size or a count before it has been
// compared with what the file can hold. Somebody may write to the file, or cut it, while it is
// mapped: what was checked when it was opened may not hold later. So a value of the map that
// becomes a size, an offset or a rank is copied first and checked where it is used. Only the
// numbers of the header are relied on, because the header is a copy. verify_unchanged() finds out
// whether what was read is still what was checked.
//
// Opening looks at the header and at CHECKSUMS. Every other section is checked when it is first
// used: the columns by sequence and the index of tiles block by block, the indexes of blocks, which
// are short, as a whole. So a database opens at once however many sequences it has, and damage
// where nobody reads costs nobody anything.
//
// Map's functions are in five files:
//   wsdb_map.cpp           sections and their checksums, entries of the index, whether the file is unchanged
//   wsdb_header_check.cpp  check_header()
//   wsdb_index_check.cpp   the indexes of blocks, and everything per sequence for who validates
//   wsdb_blocks.cpp        compressed blocks of residues and of header lines
//   wsdb_taxids.cpp        taxonomy IDs of sequences, and the tree of them
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

#include "formats/io/mapped_file.h"
#include "formats/taxonomy/taxonomy.h"
#include "formats/wsdb/wsdb_faults.h"
#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/once.h"
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

    std::span<const wsdb::TileEntry> tiles;                 // one more than there are
    std::span<const wsdb::BlockEntry> blocks;               // likewise; empty with the packed codec
    std::span<const wsdb::HeaderBlockEntry> header_blocks;  // likewise
    std::span<const wsdb::NameEntry> names;

    /// A copy of CHECKSUMS, and where each section's begin in it.
    std::vector<std::uint64_t> checksums;
    std::array<std::uint64_t, wsdb::kKnownSections + 1> first_checksum{};
    /// A bit for each: set once that block was found sound, and so may have been used.
    mutable std::vector<std::atomic<std::uint64_t>> checked;

    /// Tells buffers of different readers apart, even when one is made where another one was.
    std::shared_ptr<const int> identity = std::make_shared<const int>(0);

    mutable Once blocks_once, header_blocks_once;
    mutable WsdbFaults block_faults{false}, header_block_faults{false};

    /// What was found wrong by who could not say so.
    mutable std::mutex failure_mutex;
    mutable Status failure;

    /// A bit for each tile: set once its words were handed out where they stand. Packed codec only.
    mutable std::vector<std::atomic<std::uint64_t>> tiles_read;

    mutable std::mutex header_mutex;  // guards kept_headers, which callers without a buffer share
    mutable HeaderBuffer kept_headers;

    /// Maps the file. Errors of the system come back as a Status.
    static Result<std::unique_ptr<Map>> map_file(const std::filesystem::path& file);
    /// Of a file that is mapped already; `file` is its name in messages.
    static std::unique_ptr<Map> of(MappedFile mapped, const std::filesystem::path& file);

    /// The header and the section table. Fills `header`, `sections` and the spans. False where
    /// nothing after it can be trusted.
    bool check_header(WsdbFaults& faults);
    /// The index of blocks, of header blocks: checksums and invariants. False where reading on
    /// would leave the map.
    bool check_block_index(WsdbFaults& faults) const;
    bool check_header_block_index(WsdbFaults& faults) const;
    /// For who validates: lengths descend and add up, input positions are in range, the index of
    /// tiles follows from the lengths.
    bool check_numbers(WsdbFaults& faults) const;
    /// The checks of both indexes at their first use. False, with the fault of then, where
    /// something is wrong.
    bool use_blocks(WsdbFaults& faults) const;
    bool use_header_blocks(WsdbFaults& faults) const;

    const wsdb::SectionEntry& section(wsdb::SectionType type) const { return sections[static_cast<std::size_t>(type)]; }
    std::span<const std::uint8_t> section_bytes(wsdb::SectionType type) const;
    /// Hints of who reads a stretch of a section, and then nobody for a while: its pages enter the
    /// process's page table together, which takes less than one by one; and leave it where they lie
    /// in the stretch as a whole, while others work, instead of at the end.
    void begin_stretch(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    void end_stretch(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    std::uint64_t tile_count() const { return header.tiles(); }
    /// Tiles, frames, numbers, names; 1 of a section that is not a row of such. An error where the
    /// section has to be read for it and is damaged.
    Result<std::uint64_t> items(const wsdb::SectionEntry& entry) const;
    /// Whether there are as many as there were blocks when the section was written, and each is
    /// what it was. Blocks that have been found sound before are not looked at again.
    bool check_bytes(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                     WsdbFaults& faults) const;
    /// Whether a block has been found sound, by its number in CHECKSUMS.
    bool is_checked(std::uint64_t number) const {
        return (checked[number / 64].load(std::memory_order_relaxed) >> (number % 64) & 1) != 0;
    }
    /// One block of a section, whose checksums begin with that number in CHECKSUMS.
    bool check_block_checksum(const wsdb::SectionEntry& entry, std::uint64_t first_number, std::uint64_t block,
                              WsdbFaults& faults) const;
    bool check_section(wsdb::SectionType type, WsdbFaults& faults) const {
        return check_bytes(type, 0, section(type).size_bytes, faults);
    }
    const wsdb::SectionEntry& section_of_checksum(std::uint64_t number) const;
    /// A copy of a section whose checksum is right.
    Result<std::string> section_copy(wsdb::SectionType type) const;

    /// Whether what stands under the file's name is no longer what was mapped: another file, of
    /// another size, or written to since.
    bool has_changed() const;
    /// The error for the first of `faults`, or lost_status() where the file could not be read. It
    /// says that the file was written to where has_changed(); else the file is damaged, and what to
    /// do about it is said.
    Status status_of(const WsdbFaults& faults) const;
    /// The error where a part of the map could not be read: the file was cut short, or its disk has
    /// failed.
    Status lost_status() const;
    /// The error where the file is not what it was when it was opened.
    Status changed_status() const;
    /// The error for a tile that was handed out and has another checksum now.
    Status damaged_tile_status(std::uint64_t tile, std::uint64_t expected, std::uint64_t found) const;
    Status verify_unchanged(const ThreadPool& pool) const;
    /// Keeps the first fault for verify_unchanged().
    void keep_failure(const WsdbFaults& faults) const;
    void mark_tile_read(std::uint64_t tile) const;
    WsdbNumbers lengths() const;
    WsdbNumbers input_positions() const;
    WsdbNumbers numbers(wsdb::SectionType type, std::uint32_t width_bytes, std::uint64_t most) const;
    /// An entry of an index that is checked; it may have been changed since.
    bool read_entry(std::uint64_t tile, wsdb::TileEntry& copy, WsdbFaults& faults) const;
    bool read_name(std::uint64_t index, wsdb::NameEntry& copy, WsdbFaults& faults) const;
    /// Appends the ranks of the sequences with this hash of a name to `ranks`. Looks for the first
    /// of them between the entries `first` and `end`; `first` becomes the entry behind the last of
    /// them.
    Status append_ranks_of_name(std::uint64_t hash, std::uint64_t& first, std::uint64_t end,
                                std::vector<std::uint64_t>& ranks) const;

    /// What the index says of a block, or of a header block.
    struct Frame {
        std::uint64_t first = 0, count = 0;  // tiles, or headers
        std::uint64_t offset_bytes = 0, size_bytes = 0, checksum = 0;
    };

    // What follows from the header alone.
    ResidueCodec codec() const { return static_cast<ResidueCodec>(header.codec); }
    std::uint64_t tile_of_sequence(std::uint64_t rank) const;
    std::uint64_t first_sequence_of(std::uint64_t tile) const;
    std::uint32_t lanes_of(std::uint64_t tile) const;
    TileLayout layout_of(std::uint64_t tile) const;

    /// Bytes of the tile's packed words, and residues in it. Never more than the longest sequence
    /// of the header makes, even where the file was changed.
    std::uint64_t tile_bytes(std::uint64_t tile) const;
    std::uint64_t tile_residues(std::uint64_t tile) const;
    /// The same of tiles [first, first + count), from the index alone.
    std::uint64_t packed_bytes(std::uint64_t first, std::uint64_t count) const;
    std::uint64_t residues_of(std::uint64_t first, std::uint64_t count) const;
    /// Of a database with the zstd codec, without the entry behind the last.
    std::uint64_t block_count() const { return blocks.empty() ? 0 : blocks.size() - 1; }
    std::uint64_t header_block_count() const { return header_blocks.size() - 1; }
    /// The block of a tile; zstd codec only. A number of a block that exists, even where the file
    /// was changed. Asserts use_blocks(), or use_header_blocks().
    std::uint64_t block_of_tile(std::uint64_t tile) const;
    std::uint64_t block_of_header(std::uint64_t rank) const;

    /// Copy an entry of the index. False, with a fault, where it disagrees with the header or
    /// leaves the file.
    bool read_tile(std::uint64_t tile, WsdbTile& copy, WsdbFaults& faults) const;
    bool read_block(std::uint64_t block, Frame& copy, WsdbFaults& faults) const;
    bool read_header_block(std::uint64_t block, Frame& copy, WsdbFaults& faults) const;

    /// False, with a fault, where a frame leaves its section or names more than `most` tiles or
    /// headers.
    bool is_inside(const Frame& frame, std::uint64_t most, wsdb::SectionType frames, std::uint64_t number,
                   WsdbFaults& faults) const;

    /// The words of a tile in the map; packed codec only.
    const std::uint32_t* packed_words(const WsdbTile& tile) const;
    /// Where a tile (packed) or its block (zstd) stands in the file.
    std::uint64_t tile_file_offset(std::uint64_t tile) const;

    /// Expands one block of residue codes: checksum, size and codes verified. False, with a fault,
    /// where it is damaged.
    bool decode_block(std::uint64_t block, WsdbBlock& decoded, WsdbFaults& faults) const;
    /// The residues of a tile in its block; none, with a fault, where they are not in it.
    std::span<const std::uint8_t> residues_in(const WsdbBlock& block, const WsdbTile& tile, WsdbFaults& faults) const;
    bool decode_header_block(std::uint64_t block, HeaderBuffer& decoded, WsdbFaults& faults) const;
    /// The header line of a sequence of the block; none, with a fault, where it is not in it.
    std::optional<std::string_view> header_in(const HeaderBuffer& decoded, std::uint64_t rank,
                                              WsdbFaults& faults) const;
    Result<wsdb::Statistics> statistics() const;
    Result<std::string> provenance() const;

    bool has_taxids() const { return section(wsdb::SectionType::kTaxids).type != 0; }
    /// Of a sequence of a database that has them: one for all its definition lines, or one of each;
    /// 0: not known. `from_list` says which. False, with a fault, where the section is damaged.
    bool read_taxids(std::uint64_t rank, std::vector<std::uint32_t>& taxids, bool& from_list, WsdbFaults& faults) const;
    /// For who validates: lists stand one behind the other, in the order of their sequences, and
    /// say what one number cannot.
    bool check_taxids(WsdbFaults& faults) const;
    /// The tree, without any where the database has none. It is read once.
    Result<std::shared_ptr<const Taxonomy>> taxonomy() const;

    mutable std::mutex taxonomy_mutex;
    mutable std::shared_ptr<const Taxonomy> kept_taxonomy;
};

}  // namespace warpseq
