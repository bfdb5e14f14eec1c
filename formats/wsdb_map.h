// A database file in memory and the checks that make it safe to read through. Shared by the reader, the validator and
// inspect; other code uses formats/wsdb_reader.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/wsdb_layout.h"
#include "formats/wsdb_reader.h"
#include "libcore/status.h"

namespace warpseq {

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
    ~Map();
    Map(const Map&) = delete;
    Map& operator=(const Map&) = delete;

    std::filesystem::path file;
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

    ResidueCodec codec() const { return static_cast<ResidueCodec>(header.codec); }
    std::uint64_t tile_of_sequence(std::uint64_t rank) const;
    std::uint64_t tile_bytes(std::uint64_t tile) const;
    /// The block of a tile; zstd codec only.
    std::uint64_t block_of_tile(std::uint64_t tile) const;

    /// The view of a tile whose words start at `words`.
    TileView view(std::uint64_t tile, const std::uint32_t* words) const;
    /// The words of a tile in the map; packed codec only.
    const std::uint32_t* packed_words(std::uint64_t tile) const;
    /// Where a tile (packed) or its block (zstd) stands in the file.
    std::uint64_t tile_file_offset(std::uint64_t tile) const;

    /// Expands one block of residue codes: checksum, size and codes verified. False, with a fault, where it is damaged.
    bool decode_block(std::uint64_t block, std::vector<std::uint8_t>& residues, WsdbFaults& faults) const;
    bool decode_header_block(std::uint64_t block, std::string& text, WsdbFaults& faults) const;
    /// The header line of one sequence. Thread-safe for distinct buffers; without one, callers wait for each other.
    Result<std::string> header_text_of(std::uint64_t rank, HeaderBuffer& buffer) const;
    Result<std::string> header_text_of(std::uint64_t rank) const;
    /// Packs a tile whose residues stand one after another at `residues`.
    void pack_tile(std::uint64_t tile, const std::uint8_t* residues, std::uint32_t* words) const;

    Result<wsdb::Statistics> statistics() const;
    Result<std::string_view> provenance() const;
};

namespace wsdb {
/// 32 hexadecimal digits, most significant first.
std::string digest_text(const std::array<std::uint8_t, 16>& digest);
/// Packs `lengths.size()` sequences that stand one after another at `residues` into a tile of tile_words() words.
void pack_sequences(TileLayout layout, std::span<const std::uint64_t> lengths, const std::uint8_t* residues,
                    std::uint32_t* words);
}  // namespace wsdb

}  // namespace warpseq
