// The memory map of a database file, with the checks that make it safe to read. The reader, the
// validator and inspect share it; other code uses formats/wsdb/wsdb_reader.h.
//
// No value in the file is used as an offset, a size or a count before it has been compared with
// what the file can hold. Another process may write to the file, or cut it, while it is mapped. A
// value that was checked at opening may then be wrong later. Therefore a value of the map that
// becomes a size, an offset or a rank is copied first, and the copy is checked where it is used.
// Only the numbers of the header are relied on, because the header is a copy. verify_unchanged()
// finds out whether what was read is still what was checked.
//
// Opening checks the header and CHECKSUMS. Every other section is checked when it is first used.
// The columns with one number per sequence and the index of tiles are checked block by block. The
// indexes of blocks are short and are checked as a whole. So the time to open a database does not
// grow with its number of sequences. Sections that are not read are not checked.
//
// Map's functions are in five files.
//   wsdb_map.cpp           sections and their checksums, entries of the index, whether the file is
//                          unchanged.
//   wsdb_header_check.cpp  check_header().
//   wsdb_index_check.cpp   the indexes of blocks, and all numbers per sequence for the validator.
//   wsdb_blocks.cpp        compressed blocks of residues and of header lines.
//   wsdb_taxids.cpp        taxonomy IDs of sequences, and the tree of them.
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

/// Returns a copy of a value of the map, which is read exactly once.
template <typename T>
T copy_of(const T& in_map) {
    T copy;
    std::memcpy(&copy, &in_map, sizeof copy);
    // Without this the compiler might read the map again where it uses the copy.
    asm volatile("" : "+m"(copy));
    return copy;
}

struct WsdbReader::Map {
    Map() = default;
    ~Map();
    Map(const Map&) = delete;
    Map& operator=(const Map&) = delete;

    std::filesystem::path file;
    MappedFile mapped;
    bool is_private = false;              // no other process can write to the file
    int descriptor = -1;                  // of a private file, which has no name to open it by
    std::span<const std::uint8_t> bytes;  // the whole file
    wsdb::FileHeader header{};            // a copy
    /// The entry of each section, by SectionType. Its type is 0 if the file has no such section.
    std::array<wsdb::SectionEntry, wsdb::kKnownSections + 1> sections{};

    std::span<const wsdb::TileEntry> tiles;                 // has one extra entry behind the last tile's
    std::span<const wsdb::BlockEntry> blocks;               // has an extra entry, too; empty with the packed codec
    std::span<const wsdb::HeaderBlockEntry> header_blocks;  // has an extra entry, too
    std::span<const wsdb::NameEntry> names;

    /// A copy of CHECKSUMS, and the place in it where the checksums of each section begin.
    std::vector<std::uint64_t> checksums;
    std::array<std::uint64_t, wsdb::kKnownSections + 1> first_checksum{};
    /// One bit for each checksum. It is set once its block was found sound, and so may have been
    /// used.
    mutable std::vector<std::atomic<std::uint64_t>> checked;

    /// The identity of this reader, by which buffers know which reader filled them. An address is
    /// not enough, because a new reader may have the address of an earlier one.
    std::shared_ptr<const int> identity = std::make_shared<const int>(0);

    mutable Once blocks_once, header_blocks_once;
    mutable WsdbFaults block_faults{false}, header_block_faults{false};

    /// The first fault that verify_unchanged() has to report. Most such faults are found by
    /// functions that return no Status.
    mutable std::mutex failure_mutex;
    mutable Status failure;

    /// One bit for each tile. It is set once its words were handed out as a view into the map.
    /// Packed codec only.
    mutable std::vector<std::atomic<std::uint64_t>> tiles_read;
    /// One bit for each tile. It is set once check_ahead() has found its words sound. Empty before.
    mutable std::vector<std::atomic<std::uint64_t>> tiles_sound;

    mutable std::mutex header_mutex;  // guards kept_headers, which callers without a buffer share
    mutable HeaderBuffer kept_headers;

    /// Maps the file. System errors are returned as a Status.
    static Result<std::unique_ptr<Map>> map_file(const std::filesystem::path& file);
    /// Makes a map of a file that is mapped already. `file` is its name in messages.
    static std::unique_ptr<Map> of(MappedFile mapped, const std::filesystem::path& file);

    /// Checks the header and the section table. Fills `header`, `sections` and the spans. Returns
    /// false if nothing behind them can be trusted.
    bool check_header(WsdbFaults& faults);
    /// Check the index of blocks, or of header blocks: checksums and invariants. Return false if
    /// reading on would leave the map.
    bool check_block_index(WsdbFaults& faults) const;
    bool check_header_block_index(WsdbFaults& faults) const;
    /// Checks for the validator that lengths descend and add up, that input positions are in range,
    /// and that the index of tiles follows from the lengths.
    bool check_numbers(WsdbFaults& faults) const;
    /// Run check_block_index() or check_header_block_index() at the first use of the index. Return
    /// false if something is wrong, with the fault that was found then.
    bool use_blocks(WsdbFaults& faults) const;
    bool use_header_blocks(WsdbFaults& faults) const;

    const wsdb::SectionEntry& section(wsdb::SectionType type) const { return sections[static_cast<std::size_t>(type)]; }
    std::span<const std::uint8_t> section_bytes(wsdb::SectionType type) const;
    /// Give the system hints about a stretch of a section that a thread reads and that is not read
    /// again for a while. begin_stretch() enters its pages into the process's page table together,
    /// which takes less time than one by one. end_stretch() removes the pages that lie wholly in
    /// the stretch while other threads work, instead of at the end.
    void begin_stretch(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    void end_stretch(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    std::uint64_t tile_count() const { return header.tiles(); }
    /// Returns the number of tiles, frames, numbers or names in a section, or 1 if the section is
    /// not a row of such items. Returns an error if the section has to be read for this and is
    /// damaged.
    Result<std::uint64_t> items(const wsdb::SectionEntry& entry) const;
    /// Whether these bytes of a section lie in blocks that match their checksums. If not, adds a
    /// fault. Blocks that have been found sound before are not checked again.
    bool check_bytes(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                     WsdbFaults& faults) const;
    /// Whether a block has been found sound, by its number in CHECKSUMS.
    bool is_checked(std::uint64_t number) const {
        return (checked[number / 64].load(std::memory_order_relaxed) >> (number % 64) & 1) != 0;
    }
    /// Checks one block of a section. `first_number` is the place in CHECKSUMS where the checksums
    /// of the section begin.
    bool check_block_checksum(const wsdb::SectionEntry& entry, std::uint64_t first_number, std::uint64_t block,
                              WsdbFaults& faults) const;
    bool check_section(wsdb::SectionType type, WsdbFaults& faults) const {
        return check_bytes(type, 0, section(type).size_bytes, faults);
    }
    const wsdb::SectionEntry& section_of_checksum(std::uint64_t number) const;
    /// Returns a copy of a section whose checksums are right.
    Result<std::string> section_copy(wsdb::SectionType type) const;

    /// Whether the file's name now stands for something else than was mapped: another file, one of
    /// another size, or one that was written to since.
    bool has_changed() const;
    /// Returns the error for the first of `faults`, or lost_status() if the file could not be read.
    /// If has_changed(), the error says that the file was written to. Otherwise it says that the
    /// file is damaged and what to do about it.
    Status status_of(const WsdbFaults& faults) const;
    /// Returns the error for a map of which a part could not be read. Either the file was cut
    /// short, or its disk has failed.
    Status lost_status() const;
    /// Returns the error for a file that is not what it was when it was opened.
    Status changed_status() const;
    /// Returns the error for a tile whose checksum is not the expected one.
    Status damaged_tile_status(std::uint64_t tile, std::uint64_t expected, std::uint64_t found) const;
    Status verify_unchanged(const ThreadPool& pool) const;
    /// Keeps a fault for verify_unchanged(), unless an earlier one is kept.
    void keep_failure(const WsdbFaults& faults) const;
    void mark_tile_read(std::uint64_t tile) const;
    bool is_tile_sound(std::uint64_t tile) const {
        return !tiles_sound.empty() && (tiles_sound[tile / 64].load(std::memory_order_relaxed) >> tile % 64 & 1) != 0;
    }
    /// Checks the words of a tile, packed codec only: their checksum, the codes of residues, and
    /// the padding. `entry` is the tile's own, from read_tile().
    Status check_words(std::uint64_t tile, const WsdbTile& entry) const;
    WsdbNumbers lengths() const;
    WsdbNumbers input_positions() const;
    WsdbNumbers numbers(wsdb::SectionType type, std::uint32_t width_bytes, std::uint64_t most) const;
    /// Copy an entry of an index after checking its block. The entry may have been changed since
    /// the check.
    bool read_entry(std::uint64_t tile, wsdb::TileEntry& copy, WsdbFaults& faults) const;
    bool read_name(std::uint64_t index, wsdb::NameEntry& copy, WsdbFaults& faults) const;
    /// Appends the ranks of the sequences with this hash of a name to `ranks`. Looks for the first
    /// of them between the entries `first` and `end`. Sets `first` to the entry behind the last of
    /// them.
    Status append_ranks_of_name(std::uint64_t hash, std::uint64_t& first, std::uint64_t end,
                                std::vector<std::uint64_t>& ranks) const;

    /// The entry of a block, or of a header block, in its index.
    struct Frame {
        std::uint64_t first = 0, count = 0;  // of its tiles, or of its headers
        std::uint64_t offset_bytes = 0, size_bytes = 0, checksum = 0;
    };

    // The functions below use the header alone.
    ResidueCodec codec() const { return static_cast<ResidueCodec>(header.codec); }
    std::uint64_t tile_of_sequence(std::uint64_t rank) const;
    std::uint64_t first_sequence_of(std::uint64_t tile) const;
    std::uint32_t lanes_of(std::uint64_t tile) const;
    TileLayout layout_of(std::uint64_t tile) const;

    /// Return the bytes of a tile's packed words, and its residues. The result is never more than
    /// the header's longest sequence allows, even if the file was changed.
    std::uint64_t tile_bytes(std::uint64_t tile) const;
    std::uint64_t tile_residues(std::uint64_t tile) const;
    /// Return the same for tiles [first, first + count) together, from the index alone.
    std::uint64_t packed_bytes(std::uint64_t first, std::uint64_t count) const;
    std::uint64_t residues_of(std::uint64_t first, std::uint64_t count) const;
    /// Return the number of blocks, which is 0 with the packed codec, and of header blocks. The
    /// extra entry of the index is not counted.
    std::uint64_t block_count() const { return blocks.empty() ? 0 : blocks.size() - 1; }
    std::uint64_t header_block_count() const { return header_blocks.size() - 1; }
    /// Return the block of a tile (zstd codec only), or of a header. The block always exists, even
    /// if the file was changed. use_blocks() or use_header_blocks() must have been called before.
    std::uint64_t block_of_tile(std::uint64_t tile) const;
    std::uint64_t block_of_header(std::uint64_t rank) const;

    /// Copy an entry of an index. Return false, with a fault, if it disagrees with the header or
    /// leaves the file.
    bool read_tile(std::uint64_t tile, WsdbTile& copy, WsdbFaults& faults) const;
    bool read_block(std::uint64_t block, Frame& copy, WsdbFaults& faults) const;
    bool read_header_block(std::uint64_t block, Frame& copy, WsdbFaults& faults) const;

    /// Whether a frame lies in its section and has at most `most` tiles or headers. If not, adds a
    /// fault.
    bool is_inside(const Frame& frame, std::uint64_t most, wsdb::SectionType frames, std::uint64_t number,
                   WsdbFaults& faults) const;

    /// Returns the words of a tile in the map. Packed codec only.
    const std::uint32_t* packed_words(const WsdbTile& tile) const;
    /// Returns the offset in the file of a tile (packed codec) or of its block (zstd codec).
    std::uint64_t tile_file_offset(std::uint64_t tile) const;

    /// Expands one block of residue codes and verifies checksum, size and codes. Returns false,
    /// with a fault, if it is damaged.
    bool decode_block(std::uint64_t block, WsdbBlock& decoded, WsdbFaults& faults) const;
    /// Returns the residues of a tile in its block, or none, with a fault, if they are not in it.
    std::span<const std::uint8_t> residues_in(const WsdbBlock& block, const WsdbTile& tile, WsdbFaults& faults) const;
    bool decode_header_block(std::uint64_t block, HeaderBuffer& decoded, WsdbFaults& faults) const;
    /// Returns the header line of a sequence of the block, or nothing, with a fault, if it is not
    /// in it.
    std::optional<std::string_view> header_in(const HeaderBuffer& decoded, std::uint64_t rank,
                                              WsdbFaults& faults) const;
    Result<wsdb::Statistics> statistics() const;
    Result<std::string> provenance() const;

    bool has_taxids() const { return section(wsdb::SectionType::kTaxids).type != 0; }
    /// Reads the taxonomy IDs of a sequence; the database must have some. The result is either one
    /// ID for all definition lines or one for each line, and `from_list` says which. 0 stands for
    /// an unknown ID. Returns false, with a fault, if the section is damaged.
    bool read_taxids(std::uint64_t rank, std::vector<std::uint32_t>& taxids, bool& from_list, WsdbFaults& faults) const;
    /// Checks TAXIDS for the validator. The lists must follow each other in the order of their
    /// sequences, and each must have at least two different IDs.
    bool check_taxids(WsdbFaults& faults) const;
    /// Returns the tree of taxa, which is empty if the database has none. It is read once.
    Result<std::shared_ptr<const Taxonomy>> taxonomy() const;

    mutable std::mutex taxonomy_mutex;
    mutable std::shared_ptr<const Taxonomy> kept_taxonomy;
};

}  // namespace warpseq
