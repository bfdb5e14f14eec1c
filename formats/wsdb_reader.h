// Reads a warpseq database (.wsdb) through a memory map. docs/format.md is the specification.
//
// open() checks the header, the section table and every index section (checksums, sizes against the file's own size,
// order), so that nothing read later through the index can leave the map. Residues are checked tile by tile when they
// are read. Everything damaged comes back as a Status that names the file and the byte offset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/alphabet.h"
#include "libcore/status.h"
#include "libcore/tile.h"

namespace warpseq {

enum class ResidueCodec : std::uint32_t { kPacked = 0, kZstd = 1 };

/// Memory that tiles of a compressed database are decoded into; reused from call to call, one per thread. For a packed
/// database it stays empty and views point into the map.
class TileBuffer {
   public:
    std::vector<TileView> views;       // filled by read_tiles(), valid until the next call or the reader's end
    std::vector<std::uint32_t> words;  // over-allocated so that the first tile is 128-byte aligned
    std::vector<std::uint8_t> scratch;

   private:
    friend class WsdbReader;
    // Which block `scratch` holds, or which tile was verified last: residues() asked in rank order reads each only
    // once.
    std::shared_ptr<const int> cached_reader;
    std::uint64_t cached_index = 0;
};

/// The last block of headers that was read with it; one per thread.
class HeaderBuffer {
   private:
    friend class WsdbReader;
    std::shared_ptr<const int> reader_;
    std::uint64_t block_ = 0;
    std::string text_;
};

class WsdbReader {
   public:
    static Result<WsdbReader> open(const std::filesystem::path& file);
    ~WsdbReader();
    WsdbReader(WsdbReader&&) noexcept;
    WsdbReader& operator=(WsdbReader&&) noexcept;

    const std::filesystem::path& file() const;
    std::uint64_t file_bytes() const;
    ResidueCodec codec() const;
    std::uint64_t sequence_count() const;
    std::uint64_t residue_count() const;
    std::uint64_t tile_count() const;
    std::uint64_t linear_tile_count() const;  // they come first; tile t < this holds sequence t alone
    std::string content_digest() const;  // XXH3-128 of the content, 32 hexadecimal digits; the same for every codec
    std::uint64_t longest_residues() const;

    /// By rank (0 is the longest sequence).
    std::span<const std::uint64_t> lengths_residues() const;
    /// By rank: the position in the input, from 0.
    std::span<const std::uint64_t> input_positions() const;

    /// Bytes of packed words of tile t (whatever the codec), and residues in it: for cutting a database into chunks.
    std::uint64_t tile_bytes(std::uint64_t tile) const;
    std::uint64_t tile_residues(std::uint64_t tile) const;
    std::uint64_t tile_of_sequence(std::uint64_t rank) const;
    /// With the zstd codec tiles are stored in blocks; reading is cheapest in whole blocks. First tile of the block
    /// that holds `tile`; the tile itself with the packed codec.
    std::uint64_t block_start(std::uint64_t tile) const;

    /// Views of tiles [first, first + count) into buffer.views, checksums and residue codes verified. Thread-safe for distinct buffers.
    Status read_tiles(std::uint64_t first, std::uint64_t count, TileBuffer& buffer) const;

    /// The residues of one sequence. Thread-safe for distinct buffers.
    Result<std::vector<ResidueCode>> residues(std::uint64_t rank, TileBuffer& buffer) const;

    /// The header line of one sequence, without '>'. Thread-safe; decompresses one block of names, so ask in rank order
    /// where many are needed (the last block is kept).
    Result<std::string> header(std::uint64_t rank) const;
    /// The same with a buffer of the caller's, so that threads do not wait for each other. Thread-safe for distinct buffers.
    Result<std::string> header(std::uint64_t rank, HeaderBuffer& buffer) const;

    /// The ranks of the sequences with this identifier, in input order; empty if there is none. For
    /// "sp|P68871|HBB_HUMAN" the full identifier is looked up.
    Result<std::vector<std::uint64_t>> find(std::string_view identifier) const;

    struct Map;  // shared with the validator and inspect (formats/wsdb_map.h)
    const Map& map() const;

   private:
    explicit WsdbReader(std::unique_ptr<Map> map);
    std::unique_ptr<Map> map_;
};

}  // namespace warpseq
