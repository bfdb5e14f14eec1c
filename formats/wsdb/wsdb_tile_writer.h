// WsdbTileWriter writes the tiles of a database in one pass over its sorted sequences.
//
// Sequences come longest first. They are cut into tiles, and tiles into blocks of about 2^20
// residues. Each block goes through the stages of formats/io/ordered_stages.h. Blocks are cut in
// order, from lengths and sizes alone. They are interleaved, hashed and compressed in parallel,
// each with the headers of its sequences. Then their entries are added to the columns in order.
// Tiles are written into the file at once. The columns follow the tiles there, so they are kept in
// spools until the last tile is written.
//
// The ends of tiles and blocks follow from the sequences alone, so the memory and the number of
// threads do not change the bytes.
#pragma once

#include <zstd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/atomic_file.h"
#include "formats/io/external_sort.h"
#include "formats/io/ordered_stages.h"
#include "formats/io/position_set.h"
#include "formats/io/spool.h"
#include "formats/io/xxh3_state.h"
#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_section_writer.h"
#include "formats/wsdb/wsdb_taxid_writer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// The numbers of sequences and residues to be written.
struct WsdbTotals {
    std::uint64_t sequences = 0;
    std::uint64_t residues = 0;
    const PositionSet* positions = nullptr;  // input positions that occur, with count() called; null: all
};

class WsdbTileWriter {
   public:
    /// The percentage of the sorting memory that columns and names take.
    static constexpr std::uint64_t kMemoryPercent = 39;

    /// `out` must have space for the file's header and nothing more. `out` and `pool` have to
    /// outlive the writer. `folder` holds temporary files. If `short_lived` is true, headers are
    /// compressed at a fast level.
    WsdbTileWriter(AtomicFile& out, const ThreadPool& pool, ResidueCodec codec, bool short_lived,
                   std::uint64_t sorting_memory_bytes, const std::filesystem::path& folder);

    /// Divides the memory between columns and names when the input is known. `header_bytes` is the
    /// size of all headers, and `most_names` is an upper limit of the number of names. Returns the
    /// planned memory in bytes, which is within kMemoryPercent. Data that needs more than planned
    /// goes to temporary files.
    std::uint64_t plan_memory(const WsdbTotals& totals, std::uint64_t header_bytes, std::uint64_t most_names);
    /// Writes the tiles of all sequences in `by_length`. Its keys are ~length and input position,
    /// and its records are those of formats/fasta/record_batch.h. Call it once. `taxids` receives
    /// the taxonomy IDs in rank order; null: taxa are not written. `on_progress` may be empty.
    Status write(ExternalSort& by_length, const WsdbTotals& totals, WsdbTaxidWriter* taxids,
                 const std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)>& on_progress);

    // The functions below may be called after write().
    /// Enters the section of tiles or blocks, and appends the sections from the index of tiles to
    /// the headers. Call it once.
    Status append_sections(WsdbSectionWriter& sections);
    /// Returns the names for append_name_index().
    ExternalSort& names() { return by_name_; }
    std::uint64_t tiles() const { return tiles_done_; }
    std::uint64_t linear_tiles() const { return linear_tiles_; }
    std::uint64_t required_features() const { return wide_positions() ? wsdb::feature::kWideInputPositions : 0; }
    /// Returns the statistics, without composition, duplicates and the numbers that only the reader
    /// of the input knows.
    const wsdb::Statistics& statistics() const { return statistics_; }
    std::array<std::uint8_t, 16> content_digest() const;

   private:
    struct Tile {
        std::size_t first = 0;  // index of its first sequence in the block
        std::size_t lanes = 0;
        TileLayout layout = TileLayout::kInterleaved;
        std::uint64_t residues = 0;
        std::uint64_t words = 0;
    };

    /// The part of a block in each column.
    struct Columns {
        std::vector<wsdb::TileEntry> tiles;
        std::vector<std::uint32_t> lengths, input_positions;
        std::vector<std::uint64_t> wide_input_positions;
        std::vector<wsdb::DigestEntry> digests;

        void clear();
    };

    /// Consecutive headers that will become a frame.
    struct HeaderText {
        std::uint64_t number = 0;  // number of the block of headers
        std::uint64_t first_sequence = 0;
        std::string text;
    };
    struct HeaderFrame {
        std::uint64_t first_sequence = 0;
        std::vector<std::uint8_t> frame;
        std::uint64_t checksum = 0;
    };

    /// Consecutive tiles that one thread works on.
    struct Block {
        // The members below are set when the block is cut. The numbers before the block are counted
        // from the first block.
        std::vector<SortHead> heads;  // of the block's sequences
        std::vector<Tile> tiles;
        std::uint64_t residues = 0;
        std::uint64_t record_bytes = 0;  // bytes of residues and headers
        std::uint64_t words = 0;
        std::uint64_t sequences_before = 0, tiles_before = 0, residues_before = 0, words_before = 0;
        std::uint64_t first_header_block = 0;        // number of the header block that is open before the block
        std::vector<std::size_t> header_block_ends;  // index behind the last sequence of each header block

        // The members below are set by the work on the block.
        Columns columns;
        std::vector<SortRecord> names;
        std::vector<std::uint8_t> name_bytes;
        WsdbTaxidWriter::Batch taxids;    // if taxa are written
        std::vector<std::uint8_t> frame;  // zstd codec
        std::uint64_t frame_checksum = 0;
        std::string first_headers, last_headers;  // before the first end of a header block, and behind the last end
        std::vector<HeaderFrame> header_frames;   // frames of the header blocks between these
        wsdb::Statistics statistics{};            // only the members that are sums

        // The members below are set when the block is entered.
        PendingCopies copies;
        std::uint64_t frame_offset = 0;     // in the file
        std::optional<HeaderText> headers;  // of the header block that began before the block and ends in it

        bool full() const;
        void clear();
    };

    struct CompressorDeleter {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };

    /// The buffers that one thread keeps from block to block.
    struct Worker {
        std::unique_ptr<ZSTD_CCtx, CompressorDeleter> compressor{ZSTD_createCCtx()};
        SortPayloads records;
        std::vector<std::span<const std::uint8_t>> words_of;  // words of each sequence
        std::vector<std::uint8_t> raw;
        std::unique_ptr<std::uint8_t[]> room;  // room for a frame
        std::size_t room_bytes = 0;
        std::unique_ptr<std::uint32_t[]> words;
        std::uint64_t words_room = 0;
        Status compress(std::span<const std::uint8_t> bytes, int level, std::vector<std::uint8_t>& frame);
    };

    bool wide_positions() const { return totals_.sequences > std::uint64_t{1} << 32; }
    bool packed() const { return codec_ == ResidueCodec::kPacked; }
    std::uint64_t tiles_bytes() const { return tiles_end_ - wsdb::kHeaderBytes; }

    // The functions below are the stages of a block.
    Result<OrderedStages::Begun> cut(ExternalSort& by_length, Block& block);
    Status work_on(const ExternalSort& by_length, Block& block, Worker& worker) const;
    /// Enters a block. Returns false if there is no room for its names.
    Result<bool> enter(Block& block);
    Status leave(Block& block, Worker& worker);

    void add_tile(std::span<const SortHead> heads, TileLayout layout, Block& block);
    void add_sequence(const SortHead& head, std::span<const std::uint8_t> record, std::string& headers, Block& block,
                      Worker& worker) const;
    void interleave(const Tile& tile, const Worker& worker, std::uint32_t* words) const;
    Status compress_residues(Block& block, Worker& worker) const;
    void enter_headers(Block& block);
    Status append_header_frames();

    AtomicFile& out_;
    const ThreadPool& pool_;
    const ResidueCodec codec_;
    const int header_level_;
    const std::uint64_t sorting_memory_bytes_;
    ExternalSort by_name_;
    Spool tile_index_, block_index_, lengths_, input_positions_, header_block_index_, headers_;
    std::vector<Worker> workers_;
    WsdbTotals totals_;
    std::vector<Block> blocks_;  // by slot
    std::atomic<std::uint64_t> bytes_on_their_way_ = 0;
    std::uint64_t most_bytes_on_their_way_ = 0;
    WsdbTaxidWriter* taxids_ = nullptr;

    // The members below are for the thread that cuts blocks.
    std::vector<SortHead> ahead_;  // up to one tile of sequences that are not in a block yet
    std::vector<std::uint64_t> ahead_lengths_;
    bool has_more_ = true, may_be_linear_ = true;
    std::uint64_t sequences_cut_ = 0, tiles_cut_ = 0, residues_cut_ = 0, words_cut_ = 0;
    std::uint64_t header_blocks_cut_ = 0, open_header_bytes_ = 0;
    std::uint64_t linear_tiles_ = 0;

    // The members below are for the thread that enters blocks.
    wsdb::Statistics statistics_{};
    std::uint64_t sequences_done_ = 0, tiles_done_ = 0, residues_done_ = 0;
    std::uint64_t packed_bytes_done_ = 0;           // packed size of the tiles, with either codec
    std::uint64_t tiles_end_ = wsdb::kHeaderBytes;  // in the file
    HeaderText open_headers_;
    std::uint64_t header_frames_done_ = 0;
    Xxh3State content_hash_ = make_xxh3_state();

    std::mutex header_mutex_;                             // guards what follows
    std::map<std::uint64_t, HeaderFrame> header_frames_;  // by number; they wait for frames with lower numbers
};

}  // namespace warpseq
