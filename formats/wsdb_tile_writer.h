// Writes the tiles of a database in one pass over its sorted sequences.
//
// Sequences come longest first and are cut into tiles, tiles into blocks of about 2^20 residues, blocks into batches.
// All threads work on a batch, each on a block of residues or of headers at a time: they interleave, hash and compress. Then
// one thread enters the batch in the columns, in order. Tiles go straight into the file. The columns stand behind the
// tiles there, so they are spooled until the last tile is written.
//
// Where a tile and a block end follows from the sequences alone, not from batches: so memory and threads do not change
// the bytes.
#pragma once

#include <zstd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/atomic_file.h"
#include "formats/external_sort.h"
#include "formats/position_set.h"
#include "formats/spool.h"
#include "formats/wsdb_layout.h"
#include "formats/wsdb_reader.h"
#include "formats/wsdb_section_writer.h"
#include "formats/xxh3_state.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// How many there are of what is to be written.
struct WsdbTotals {
    std::uint64_t sequences = 0;
    std::uint64_t residues = 0;
    const PositionSet* positions = nullptr;  // the positions in the input that there are, counted; null: all of them
};

class WsdbTileWriter {
   public:
    /// Percent of the sorting memory that columns and names take.
    static constexpr std::uint64_t kMemoryPercent = 39;

    /// `out` holds the place of the file's header and nothing more. It and the pool have to outlive the writer.
    /// `folder` is where temporary files would go. Headers are hardly compressed where the file is `short_lived`.
    WsdbTileWriter(AtomicFile& out, const ThreadPool& pool, ResidueCodec codec, bool short_lived,
                   std::uint64_t sorting_memory_bytes, const std::filesystem::path& folder);

    /// Writes the tiles of all of `by_length`, whose keys are ~length and input position, and whose records are
    /// those of wsdb_record_batch.h. Called once. `on_progress` may be empty.
    Status write(ExternalSort& by_length, const WsdbTotals& totals,
                 const std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)>& on_progress);

    // After write():
    /// Enters the section of tiles or blocks and appends those from the index of tiles to the headers. Once.
    Status append_sections(WsdbSectionWriter& sections);
    /// For append_name_index().
    ExternalSort& names() { return by_name_; }
    std::uint64_t tiles() const { return tiles_done_; }
    std::uint64_t linear_tiles() const { return linear_tiles_; }
    std::uint64_t required_features() const { return wide_positions() ? wsdb::feature::kWideInputPositions : 0; }
    /// All but what only the reader of the input knows, composition and duplicates.
    const wsdb::Statistics& statistics() const { return statistics_; }
    std::array<std::uint8_t, 16> content_digest() const;

   private:
    /// A sequence of the current batch and what the threads compute of it.
    struct Sequence {
        std::span<const std::uint8_t> record;
        std::uint64_t residues = 0;
        std::uint64_t input_position = 0;
        // Of the record, once a thread has looked at it:
        std::span<const std::uint8_t> words;
        std::string_view header;
        wsdb::DigestEntry digest{};
        std::string_view identifier;
        std::uint64_t first_name_hash = 0;
        std::vector<std::uint64_t> other_name_hashes;
    };

    struct Tile {
        std::size_t first = 0;  // in the batch's sequences
        std::size_t lanes = 0;
        TileLayout layout = TileLayout::kInterleaved;
        std::uint64_t residues = 0;
        std::uint64_t words = 0;
        std::uint64_t checksum = 0;
    };

    /// Consecutive tiles that one thread works on.
    struct Block {
        std::size_t first_tile = 0;  // in the batch's tiles
        std::size_t tiles = 0;
        std::uint64_t residues = 0;
        std::uint64_t record_bytes = 0;  // of residues and headers
        std::uint64_t words = 0;
        std::uint64_t file_offset = 0;                // packed codec: where its words go
        std::unique_ptr<std::uint32_t[]> own_packed;  // where the batch has more blocks than this
        const std::uint32_t* packed = nullptr;        // `words` of them, there or in a worker; packed codec
        std::vector<std::uint8_t> frame;              // zstd codec

        bool full() const;
    };

    /// Consecutive headers, compressed together. Those of the batch's sequences [begin, end) follow what is in `text`.
    struct HeaderBlock {
        std::uint64_t first_sequence = 0;
        std::uint64_t raw_bytes = 0;
        std::string text;
        std::size_t begin = 0, end = 0;
        std::vector<std::uint8_t> frame;
    };

    struct CompressorDeleter {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };

    /// What one thread keeps from block to block.
    struct Worker {
        std::unique_ptr<ZSTD_CCtx, CompressorDeleter> compressor{ZSTD_createCCtx()};
        std::vector<std::uint8_t> raw;
        std::unique_ptr<std::uint8_t[]> room;  // for a frame
        std::size_t room_bytes = 0;
        std::unique_ptr<std::uint32_t[]> words;
        std::uint64_t words_room = 0;
        Status compress(std::span<const std::uint8_t> bytes, int level, std::vector<std::uint8_t>& frame);
    };

    /// A block's parts of the columns.
    struct Columns {
        std::vector<wsdb::TileEntry> tiles;
        std::vector<std::uint32_t> lengths, input_positions;
        std::vector<std::uint64_t> wide_input_positions;
        std::vector<wsdb::DigestEntry> digests;

        void clear();
    };

    bool wide_positions() const { return totals_.sequences > std::uint64_t{1} << 32; }
    bool packed() const { return codec_ == ResidueCodec::kPacked; }
    std::uint64_t tiles_bytes() const { return tiles_end_ - wsdb::kHeaderBytes; }

    static std::uint64_t header_bytes_of(const Sequence& sequence);
    void add_tile(std::span<const SortItem> items, TileLayout layout);
    Status write_batch();
    /// Cuts headers into blocks. Their bytes alone decide, so a block may begin in one batch and end in another.
    void cut_headers();
    Status work_on_block(Block& block, Worker& worker);
    void gather_headers(HeaderBlock& block) const;
    void interleave(const Tile& tile, std::uint32_t* words) const;
    Status enter_block(const Block& block);
    Status enter_headers(const HeaderBlock& block);

    AtomicFile& out_;
    const ThreadPool& pool_;
    const ResidueCodec codec_;
    const int header_level_;
    const std::uint64_t sorting_memory_bytes_;
    ExternalSort by_name_;
    Spool tile_index_, block_index_, lengths_, input_positions_, header_block_index_, headers_;
    std::vector<Worker> workers_;
    WsdbTotals totals_;

    // The batch.
    std::vector<Sequence> sequences_;
    std::vector<Tile> tiles_;
    std::vector<Block> blocks_;
    std::vector<HeaderBlock> header_blocks_;
    std::uint64_t batch_bytes_ = 0;
    HeaderBlock open_header_block_;
    Columns columns_;

    // What has been written.
    wsdb::Statistics statistics_{};
    std::uint64_t linear_tiles_ = 0;
    std::uint64_t sequences_done_ = 0, tiles_done_ = 0, residues_done_ = 0;
    std::uint64_t packed_bytes_done_ = 0;           // of tiles, whatever the codec
    std::uint64_t tiles_end_ = wsdb::kHeaderBytes;  // in the file
    Xxh3State content_hash_ = make_xxh3_state();
};

}  // namespace warpseq
