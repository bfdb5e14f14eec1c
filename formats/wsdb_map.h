// A database file in memory and the checks that make it safe to read through. Shared by the reader, the validator and
// inspect; other code uses formats/wsdb_reader.h.
//
// Somebody may write to the file, or cut it, while it is mapped. Then what was checked when it was opened need not hold
// any more. So a value of the map that becomes a size, an offset or a rank is copied first and checked where it is
// used; only numbers of the header, which is a copy, are relied on. What was computed from other bytes than those that
// were checked shows in verify_unchanged().
#pragma once

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

/// One thing that is wrong with a database file.
struct WsdbFault {
    std::uint64_t offset_bytes = 0;  // in the file
    std::string what;                // "TILE_INDEX checksum", "length of sequence 5"
    std::string expected;
    std::string found;
};

/// "FILE: byte OFFSET: WHAT: expected X, found Y"
Status fault_status(const std::filesystem::path& file, const WsdbFault& fault);

/// Collects faults: only the first, or all of them up to a limit.
class WsdbFaults {
   public:
    static constexpr std::size_t kMaxFaults = 1000;
    explicit WsdbFaults(bool all) : all_(all) {}

    /// Returns whether to look for more.
    bool add(std::uint64_t offset_bytes, std::string what, std::string expected, std::string found);
    bool add_number(std::uint64_t offset_bytes, std::string what, std::uint64_t expected, std::uint64_t found);
    bool add_checksum(std::uint64_t offset_bytes, std::string what, std::uint64_t expected, std::uint64_t found);
    /// What was sound when the file was opened.
    bool add_changed(std::uint64_t offset_bytes, std::string what);

    bool any() const { return !list_.empty(); }
    bool full() const { return !list_.empty() && (!all_ || list_.size() >= kMaxFaults); }
    bool all() const { return all_; }
    const std::vector<WsdbFault>& list() const { return list_; }

   private:
    bool all_;
    std::vector<WsdbFault> list_;
};

struct WsdbReader::Map {
    Map() = default;
    Map(const Map&) = delete;
    Map& operator=(const Map&) = delete;

    std::filesystem::path file;
    MappedFile mapped;
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

    /// Of the tiles whose words were handed out where they stand, a bit each; packed codec only.
    mutable std::vector<std::atomic<std::uint64_t>> tiles_read;

    mutable std::mutex header_mutex;  // guards what is below: of callers without a buffer
    mutable HeaderBuffer kept_headers;

    /// Maps the file. Errors of the system come back as a Status.
    static Result<std::unique_ptr<Map>> map_file(const std::filesystem::path& file);

    /// The header and the section table; false where nothing after it can be trusted.
    bool check_header(WsdbFaults& faults);
    /// Checksums and invariants of what every reader relies on: lengths, input positions in range, index of tiles, of
    /// blocks, of headers. Fills the spans. False where reading on would leave the map.
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
    Status verify_unchanged(ThreadPool& pool) const;
    void mark_tile_read(std::uint64_t tile) const;

    // What follows from the header alone.
    ResidueCodec codec() const { return static_cast<ResidueCodec>(header.codec); }
    std::uint64_t tile_of_sequence(std::uint64_t rank) const;
    std::uint64_t first_sequence_of(std::uint64_t tile) const;
    std::uint32_t lanes_of(std::uint64_t tile) const;
    TileLayout layout_of(std::uint64_t tile) const;

    /// At most what the longest sequence has, and so many words, whatever became of the file.
    std::uint64_t tile_bytes(std::uint64_t tile) const;
    /// The block of a tile; zstd codec only. One of the blocks, whatever became of the file.
    std::uint64_t block_of_tile(std::uint64_t tile) const;
    std::uint64_t block_of_header(std::uint64_t rank) const;

    /// Copies out of the index. What they say agrees with the header and stays within the file; else false, with a fault.
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

namespace wsdb {
/// 32 hexadecimal digits, most significant first.
std::string digest_text(const std::array<std::uint8_t, 16>& digest);
/// Packs `lengths.size()` sequences that stand one after another at `residues` into a tile of tile_words() words.
void pack_sequences(TileLayout layout, std::span<const std::uint64_t> lengths, const std::uint8_t* residues,
                    std::uint32_t* words);
}  // namespace wsdb

}  // namespace warpseq
