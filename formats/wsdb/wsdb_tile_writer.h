// Writes the tiles of a database in one pass over its sorted sequences.
//
// Sequences come longest first and are cut into tiles, tiles into blocks of about 2^20 residues.
// Threads take turns (ordered_stages.h): blocks are cut in order, from lengths and sizes alone;
// they are interleaved, hashed and compressed side by side, each with the headers of its sequences;
// and they are entered in the columns in order. Tiles go straight into the file. The columns stand
// behind the tiles there, so they are spooled until the last tile is written.
//
// Where a tile and a block end follows from the sequences alone: so memory and threads do not
// change the bytes.
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

    /// `out` holds the place of the file's header and nothing more. It and the pool have to outlive
    /// the writer. `folder` is where temporary files would go. Headers are hardly compressed where
    /// the file is `short_lived`.
    WsdbTileWriter(AtomicFile& out, const ThreadPool& pool, ResidueCodec codec, bool short_lived,
                   std::uint64_t sorting_memory_bytes, const std::filesystem::path& folder);

    /// Shares memory out anew, once it is known what comes: of so many header bytes, and at most so
    /// many names. Returns how much all of it takes, which is within kMemoryPercent; what takes
    /// more all the same goes to temporary files.
    std::uint64_t plan_memory(const WsdbTotals& totals, std::uint64_t header_bytes, std::uint64_t most_names);
    /// Writes the tiles of all of `by_length`, whose keys are ~length and input position, and whose
    /// records are those of wsdb_record_batch.h. Called once. `taxids` gets them in rank order;
    /// null: nobody wants them. `on_progress` may be empty.
    Status write(ExternalSort& by_length, const WsdbTotals& totals, WsdbTaxidWriter* taxids,
                 const std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)>& on_progress);

    // After write():
    /// Enters the section of tiles or blocks and appends those from the index of tiles to the
    /// headers. Once.
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
    struct Tile {
        std::size_t first = 0;  // in the block's sequences
        std::size_t lanes = 0;
        TileLayout layout = TileLayout::kInterleaved;
        std::uint64_t residues = 0;
        std::uint64_t words = 0;
    };

    /// A block's parts of the columns.
    struct Columns {
        std::vector<wsdb::TileEntry> tiles;
        std::vector<std::uint32_t> lengths, input_positions;
        std::vector<std::uint64_t> wide_input_positions;
        std::vector<wsdb::DigestEntry> digests;

        void clear();
    };

    /// Consecutive headers on their way into a frame.
    struct HeaderText {
        std::uint64_t number = 0;  // of the block of headers
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
        // From the cut. What stands before it counts from the first of all.
        std::vector<SortHead> heads;  // of its sequences
        std::vector<Tile> tiles;
        std::uint64_t residues = 0;
        std::uint64_t record_bytes = 0;  // of residues and headers
        std::uint64_t words = 0;
        std::uint64_t sequences_before = 0, tiles_before = 0, residues_before = 0, words_before = 0;
        std::uint64_t first_header_block = 0;        // which one is open where the block begins
        std::vector<std::size_t> header_block_ends;  // behind which of its sequences, one for each that ends in it

        // From the work on it:
        Columns columns;
        std::vector<SortRecord> names;
        std::vector<std::uint8_t> name_bytes;
        WsdbTaxidWriter::Batch taxids;    // where somebody wants them
        std::vector<std::uint8_t> frame;  // zstd codec
        std::uint64_t frame_checksum = 0;
        std::string first_headers, last_headers;  // up to the first end of a block of headers, and behind the last
        std::vector<HeaderFrame> header_frames;   // of those between
        wsdb::Statistics statistics{};            // those that are sums

        // From entering it:
        PendingCopies copies;
        std::uint64_t frame_offset = 0;     // in the file
        std::optional<HeaderText> headers;  // that end in it, and began before

        bool full() const;
        void clear();
    };

    struct CompressorDeleter {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };

    /// What one thread keeps from block to block.
    struct Worker {
        std::unique_ptr<ZSTD_CCtx, CompressorDeleter> compressor{ZSTD_createCCtx()};
        SortPayloads records;
        std::vector<std::span<const std::uint8_t>> words_of;  // each sequence
        std::vector<std::uint8_t> raw;
        std::unique_ptr<std::uint8_t[]> room;  // for a frame
        std::size_t room_bytes = 0;
        std::unique_ptr<std::uint32_t[]> words;
        std::uint64_t words_room = 0;
        Status compress(std::span<const std::uint8_t> bytes, int level, std::vector<std::uint8_t>& frame);
    };

    bool wide_positions() const { return totals_.sequences > std::uint64_t{1} << 32; }
    bool packed() const { return codec_ == ResidueCodec::kPacked; }
    std::uint64_t tiles_bytes() const { return tiles_end_ - wsdb::kHeaderBytes; }

    // The stages of a block:
    Result<OrderedStages::Begun> cut(ExternalSort& by_length, Block& block);
    Status work_on(const ExternalSort& by_length, Block& block, Worker& worker) const;
    /// False where there is no room for its names.
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

    // For the thread that cuts:
    std::vector<SortHead> ahead_;  // up to a tile's worth that is not in a block yet
    std::vector<std::uint64_t> ahead_lengths_;
    bool has_more_ = true, may_be_linear_ = true;
    std::uint64_t sequences_cut_ = 0, tiles_cut_ = 0, residues_cut_ = 0, words_cut_ = 0;
    std::uint64_t header_blocks_cut_ = 0, open_header_bytes_ = 0;
    std::uint64_t linear_tiles_ = 0;

    // For the thread that enters:
    wsdb::Statistics statistics_{};
    std::uint64_t sequences_done_ = 0, tiles_done_ = 0, residues_done_ = 0;
    std::uint64_t packed_bytes_done_ = 0;           // of tiles, whatever the codec
    std::uint64_t tiles_end_ = wsdb::kHeaderBytes;  // in the file
    HeaderText open_headers_;
    std::uint64_t header_frames_done_ = 0;
    Xxh3State content_hash_ = make_xxh3_state();

    std::mutex header_mutex_;                             // guards what follows
    std::map<std::uint64_t, HeaderFrame> header_frames_;  // by number; those before are not all there
};

}  // namespace warpseq
