// From sorted sequences to a database file, in one pass.
//
// Sequences come out of the external sort in rank order and are cut into tiles, tiles into blocks of about 2^20
// residues, blocks into batches. A batch is worked on by all threads (a block, or a block of headers, at a time), then
// its results are put down in order by one. Tiles go straight into the file; the columns that stand behind them are
// spooled.
#include "formats/wsdb_writer.h"

#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "formats/atomic_file.h"
#include "formats/external_sort.h"
#include "formats/fasta.h"
#include "formats/spool.h"
#include "formats/wsdb_layout.h"
#include "formats/wsdb_map.h"
#include "formats/xxh3_state.h"

namespace warpseq {

namespace {

using wsdb::SectionType;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
/// What the program itself, the FASTA reader's buffers and the system's libraries take.
constexpr std::uint64_t kFixedMemory = 24 * kMiB;
/// What a thread's blocks and its compressor take.
constexpr std::uint64_t kMemoryPerThread = 8 * kMiB;
constexpr std::uint64_t kMinSortingMemory = 24 * kMiB;
/// A batch ends when it holds this much for each thread, if memory allows: threads wait for each other at its end.
constexpr std::uint64_t kMinBatchBytesPerThread = 2 * kMiB;
constexpr std::uint64_t kMaxBatchBytesPerThread = 8 * kMiB;
/// A block ends at this many bytes of residues and headers together, however few residues they are: it bounds the
/// memory that sequences with long headers take.
constexpr std::uint64_t kBlockRecordBytes = 2 * wsdb::kBlockResidues;
/// Measured on Swiss-Prot: docs/format.md.
constexpr int kResidueCompressionLevel = 1;
constexpr int kHeaderCompressionLevel = 3;

/// The bytes of a number or a struct of the file.
template <typename T>
requires std::is_trivially_copyable_v<T> std::span<const std::uint8_t> object_bytes(const T& value) {
    return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}
template <typename T>
std::span<const std::uint8_t> item_bytes(const std::vector<T>& items) {
    return {reinterpret_cast<const std::uint8_t*>(items.data()), items.size() * sizeof(T)};
}
std::span<const std::uint8_t> text_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::uint64_t hash_of(std::span<const std::uint8_t> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

struct CompressorDeleter {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

/// A sequence in the current batch and what the threads find out about it.
struct Sequence {
    std::span<const std::uint8_t> residues;
    std::string_view header;
    std::uint64_t input_position = 0;
    wsdb::DigestEntry digest{};
    std::string_view identifier;
    std::uint64_t identifier_hash = 0;
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
    std::uint64_t record_bytes = 0;
    std::uint64_t words = 0;
    std::uint64_t file_offset = 0;      // packed codec: where its words go
    std::vector<std::uint32_t> packed;  // packed codec
    std::vector<std::uint8_t> frame;    // zstd codec
};

/// Consecutive headers, compressed together.
struct HeaderBlock {
    std::uint64_t first_sequence = 0;
    std::uint64_t raw_offset = 0;
    std::string text;
    std::vector<std::uint8_t> frame;
};

/// What one thread keeps from block to block.
struct Worker {
    std::unique_ptr<ZSTD_CCtx, CompressorDeleter> compressor{ZSTD_createCCtx()};
    std::vector<std::uint8_t> raw;
    std::vector<std::uint32_t> words;
    /// Counts of residue codes, four tables so that equal neighbours do not wait for each other.
    std::array<std::array<std::uint64_t, kResidueTableSize>, 4> composition{};

    Status compress(std::span<const std::uint8_t> bytes, int level, std::vector<std::uint8_t>& frame) {
        if (compressor == nullptr) return Status::out_of_memory();
        frame.resize(ZSTD_compressBound(bytes.size()));
        const std::size_t size =
            ZSTD_compressCCtx(compressor.get(), frame.data(), frame.size(), bytes.data(), bytes.size(), level);
        if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) return Status::out_of_memory();
        if (ZSTD_isError(size) != 0) return Status::io(std::string("zstd: ") + ZSTD_getErrorName(size));
        frame.resize(size);
        return {};
    }
    void count(std::span<const std::uint8_t> residues) {
        std::size_t i = 0;
        for (; i + 4 <= residues.size(); i += 4) {
            ++composition[0][residues[i] & kResidueMask];
            ++composition[1][residues[i + 1] & kResidueMask];
            ++composition[2][residues[i + 2] & kResidueMask];
            ++composition[3][residues[i + 3] & kResidueMask];
        }
        for (; i < residues.size(); ++i) ++composition[0][residues[i] & kResidueMask];
    }
};

}  // namespace

struct WsdbWriter::State {
    State(std::filesystem::path output, WsdbWriterOptions chosen, ThreadPool& threads, AtomicFile opened,
          std::filesystem::path temporaries)
        : file(std::move(output)),
          options(std::move(chosen)),
          pool(threads),
          out(std::move(opened)),
          folder(std::move(temporaries)),
          sorting_memory(options.memory_bytes - kFixedMemory - pool.threads() * kMemoryPerThread),
          by_length(share(56), folder),
          by_name(share(14), folder),
          tile_index(share(3), folder),
          block_index(share(1), folder),
          lengths(share(4), folder),
          input_positions(share(4), folder),
          header_offsets(share(4), folder),
          header_block_index(share(1), folder),
          headers(share(8), folder),
          workers(pool.threads()) {}

    std::filesystem::path file;
    WsdbWriterOptions options;
    ThreadPool& pool;
    AtomicFile out;
    std::filesystem::path folder;  // of temporary files
    std::uint64_t sorting_memory;
    ExternalSort by_length, by_name;
    Spool tile_index, block_index, lengths, input_positions, header_offsets, header_block_index, headers;
    std::vector<Worker> workers;

    wsdb::FileHeader header{};
    wsdb::Statistics statistics{};
    std::uint64_t input_sequences = 0, input_residues = 0;

    // The batch.
    std::vector<Sequence> sequences;
    std::vector<Tile> tiles;
    std::vector<Block> blocks;
    std::vector<HeaderBlock> header_blocks;
    std::uint64_t batch_bytes = 0;
    HeaderBlock open_header_block;

    // A block's parts of the columns.
    struct Columns {
        std::vector<wsdb::TileEntry> tiles;
        std::vector<std::uint64_t> lengths, input_positions, header_offsets;
        std::vector<wsdb::DigestEntry> digests;
        void clear() {
            tiles.clear();
            lengths.clear();
            input_positions.clear();
            header_offsets.clear();
            digests.clear();
        }
    } columns;

    // What has been put down.
    std::uint64_t next_rank = 0, next_tile = 0, tiles_end = wsdb::kHeaderBytes, residues_done = 0, blocks_done = 0;
    std::uint64_t header_blocks_done = 0;
    Xxh3State content_hash = make_xxh3_state(), tiles_hash = make_xxh3_state();

    std::uint64_t share(std::uint64_t percent) const { return sorting_memory / 100 * percent; }
    bool packed() const { return options.codec == ResidueCodec::kPacked; }

    Status write_tiles();
    void add_tile(std::span<const SortItem> items, TileLayout layout);
    Status run_batch();
    Status work_on_block(Block& block, Worker& worker);
    Status put_down_block(const Block& block);
    Status put_down_headers(HeaderBlock& block);

    Status add_section(SectionType type, std::uint64_t items, std::uint64_t size_bytes, std::uint64_t checksum);
    Status append_section(SectionType type, Spool& column, std::uint64_t items);
    Status append_section(SectionType type, std::span<const std::uint8_t> bytes);
    Status append_names(std::string& duplicate_example);
    /// Grows the file with zeros to where the next section starts.
    Status pad_to_section();
};

WsdbWriter::WsdbWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
WsdbWriter::~WsdbWriter() = default;
WsdbWriter::WsdbWriter(WsdbWriter&&) noexcept = default;
WsdbWriter& WsdbWriter::operator=(WsdbWriter&&) noexcept = default;

std::uint64_t WsdbWriter::min_memory_bytes(unsigned threads) {
    return kFixedMemory + kMinSortingMemory + threads * kMemoryPerThread;
}

Result<WsdbWriter> WsdbWriter::create(const std::filesystem::path& file, WsdbWriterOptions options, ThreadPool& pool) {
    if (options.memory_bytes < min_memory_bytes(pool.threads())) {
        return Status::usage("--memory: " + std::to_string(options.memory_bytes) + " bytes are too few; with " +
                             std::to_string(pool.threads()) + " threads at least " +
                             std::to_string(min_memory_bytes(pool.threads()) / kMiB) + "M are needed");
    }
    auto out = AtomicFile::create(file, options.replace);
    if (!out.ok()) return out.status();
    if (!out->can_seek()) {
        return Status::io(file.string() +
                          ": cannot hold a database, which is not written from beginning to end; "
                          "name a regular file");
    }
    std::filesystem::path folder = options.temporary_folder.empty() ? file.parent_path() : options.temporary_folder;
    auto state = std::make_unique<State>(file, std::move(options), pool, *std::move(out), std::move(folder));
    // The header's place is taken now: a device without room says so before the input is read.
    const wsdb::FileHeader empty{};
    WARPSEQ_TRY(state->out.append(object_bytes(empty)));
    return WsdbWriter(std::move(state));
}

Status WsdbWriter::add(std::string_view header, std::span<const ResidueCode> residues) {
    State& state = *state_;
    // A record is in memory several times over while it is packed; the headers of a whole tile are, once.
    const std::uint64_t needed = std::max<std::uint64_t>(residues.size() * 8, header.size() * 64);
    if (needed > state.sorting_memory) {
        const std::uint64_t total = needed + state.options.memory_bytes - state.sorting_memory;
        return Status::invalid_input("sequence '" + std::string(identifier_of(header).substr(0, 60)) + "': its " +
                                     std::to_string(residues.size()) + " residues and " +
                                     std::to_string(header.size()) + " bytes of header need --memory " +
                                     std::to_string(total / kMiB + 1) + "M or more");
    }
    // The longest first; ties in input order.
    WARPSEQ_TRY(state.by_length.add({~static_cast<std::uint64_t>(residues.size()), state.input_sequences},
                                    {residues, text_bytes(header)}));
    ++state.input_sequences;
    state.input_residues += residues.size();
    return {};
}

void WsdbWriter::State::add_tile(std::span<const SortItem> items, TileLayout layout) {
    Tile tile;
    tile.first = sequences.size();
    tile.lanes = items.size();
    tile.layout = layout;
    tile.words = tile_words(layout, ~items.front().key[0]);
    std::uint64_t record_bytes = 0;
    for (const SortItem& item : items) {
        Sequence sequence;
        const std::uint64_t length = ~item.key[0];
        sequence.residues = item.payload.first(length);
        const auto header_bytes = item.payload.subspan(length);
        sequence.header = {reinterpret_cast<const char*>(header_bytes.data()), header_bytes.size()};
        sequence.input_position = item.key[1];
        tile.residues += length;
        record_bytes += item.payload.size();
        statistics.residue_words += words_for(length);
        ++statistics.length_histogram[wsdb::histogram_bin(length)];
        if (length == 0) ++statistics.empty_sequences;
        // They come longest first.
        statistics.longest_residues = std::max(statistics.longest_residues, length);
        statistics.shortest_residues = length;
        sequences.push_back(sequence);
    }
    if (blocks.empty() || blocks.back().residues >= wsdb::kBlockResidues ||
        blocks.back().record_bytes >= kBlockRecordBytes) {
        Block block;
        block.first_tile = tiles.size();
        blocks.push_back(std::move(block));
    }
    Block& block = blocks.back();
    ++block.tiles;
    block.residues += tile.residues;
    block.record_bytes += record_bytes;
    block.words += tile.words;
    batch_bytes += record_bytes;
    if (layout == TileLayout::kLinear) ++header.linear_tiles;
    tiles.push_back(tile);
}

Status WsdbWriter::State::work_on_block(Block& block, Worker& worker) {
    const Tile& last = tiles[block.first_tile + block.tiles - 1];
    const std::size_t first_sequence = tiles[block.first_tile].first;
    // Each sequence belongs to one block, so nobody else writes to it meanwhile.
    const std::span<Sequence> own =
        std::span(sequences).subspan(first_sequence, last.first + last.lanes - first_sequence);
    for (Sequence& sequence : own) {
        sequence.digest = {sequence.residues.size(), hash_of(sequence.residues), hash_of(text_bytes(sequence.header))};
        sequence.identifier = identifier_of(sequence.header);
        sequence.identifier_hash = hash_of(text_bytes(sequence.identifier));
        worker.count(sequence.residues);
    }
    std::vector<std::uint32_t>& words = packed() ? block.packed : worker.words;
    if (words.size() < block.words) words.resize(block.words);
    std::uint32_t* place = words.data();
    for (std::size_t t = 0; t < block.tiles; ++t) {
        Tile& tile = tiles[block.first_tile + t];
        const bool linear = tile.layout == TileLayout::kLinear;
        const std::uint64_t rows = linear ? tile.words : tile.words / kTileLanes;
        // A tile of empty sequences has no words, and a lane no place to begin at.
        for (std::size_t lane = 0; rows > 0 && lane < (linear ? 1 : kTileLanes); ++lane) {
            const auto residues =
                lane < tile.lanes ? sequences[tile.first + lane].residues : std::span<const std::uint8_t>();
            pack_lane(residues, place, rows, lane, linear ? 1 : kTileLanes);
        }
        tile.checksum = XXH3_64bits(place, tile.words * sizeof(std::uint32_t));
        place += tile.words;
    }
    if (packed()) {
        return out.write_at(block.file_offset,
                            {reinterpret_cast<const std::uint8_t*>(words.data()), block.words * sizeof(std::uint32_t)});
    }
    worker.raw.clear();
    for (const Sequence& sequence : own) {
        worker.raw.insert(worker.raw.end(), sequence.residues.begin(), sequence.residues.end());
    }
    return worker.compress(worker.raw, kResidueCompressionLevel, block.frame);
}

Status WsdbWriter::State::put_down_block(const Block& block) {
    const std::uint64_t first_tile = next_tile;
    std::uint64_t packed_offset = tiles_end - wsdb::kHeaderBytes;
    columns.clear();
    for (std::size_t t = 0; t < block.tiles; ++t) {
        const Tile& tile = tiles[block.first_tile + t];
        wsdb::TileEntry entry{};
        entry.offset = packed() ? packed_offset : residues_done;
        entry.word_rows = words_for(sequences[tile.first].residues.size());
        entry.first_sequence = next_rank;
        entry.residues = tile.residues;
        entry.checksum = tile.checksum;
        entry.lanes = static_cast<std::uint32_t>(tile.lanes);
        entry.layout = static_cast<std::uint32_t>(tile.layout);
        columns.tiles.push_back(entry);
        for (std::size_t lane = 0; lane < tile.lanes; ++lane, ++next_rank) {
            const Sequence& sequence = sequences[tile.first + lane];
            columns.lengths.push_back(sequence.residues.size());
            columns.input_positions.push_back(sequence.input_position);
            columns.header_offsets.push_back(statistics.header_bytes);
            columns.digests.push_back(sequence.digest);
            statistics.header_bytes += sequence.header.size();
            WARPSEQ_TRY(by_name.add({sequence.identifier_hash, next_rank}, {text_bytes(sequence.identifier)}));
        }
        residues_done += tile.residues;
        packed_offset += tile.words * sizeof(std::uint32_t);
        statistics.padding_words += tile.words;  // those with residues are taken off in the end
        ++next_tile;
    }
    WARPSEQ_TRY(tile_index.append(item_bytes(columns.tiles)));
    WARPSEQ_TRY(lengths.append(item_bytes(columns.lengths)));
    WARPSEQ_TRY(input_positions.append(item_bytes(columns.input_positions)));
    WARPSEQ_TRY(header_offsets.append(item_bytes(columns.header_offsets)));
    XXH3_128bits_update(content_hash.get(), columns.digests.data(), columns.digests.size() * sizeof(wsdb::DigestEntry));
    if (packed()) {
        // The block itself has been written by the thread that packed it.
        const std::uint64_t size = block.words * sizeof(std::uint32_t);
        XXH3_64bits_update(tiles_hash.get(), block.packed.data(), size);
        tiles_end += size;
        return {};
    }
    wsdb::BlockEntry entry{};
    entry.first_tile = first_tile;
    entry.tiles = block.tiles;
    entry.offset_bytes = tiles_end - wsdb::kHeaderBytes;
    entry.size_bytes = block.frame.size();
    entry.residues = block.residues;
    entry.checksum = hash_of(block.frame);
    WARPSEQ_TRY(block_index.append(object_bytes(entry)));
    ++blocks_done;
    WARPSEQ_TRY(out.write_at(tiles_end, block.frame));
    XXH3_64bits_update(tiles_hash.get(), block.frame.data(), block.frame.size());
    tiles_end += block.frame.size();
    return {};
}

Status WsdbWriter::State::put_down_headers(HeaderBlock& block) {
    wsdb::HeaderBlockEntry entry{};
    entry.first_sequence = block.first_sequence;
    entry.raw_offset = block.raw_offset;
    entry.raw_bytes = block.text.size();
    entry.offset_bytes = headers.size_bytes();
    entry.size_bytes = block.frame.size();
    entry.checksum = hash_of(block.frame);
    ++header_blocks_done;
    WARPSEQ_TRY(header_block_index.append(object_bytes(entry)));
    return headers.append(block.frame);
}

Status WsdbWriter::State::run_batch() {
    // Headers are cut into blocks by their bytes alone, so a block may begin in one batch and end in another.
    std::uint64_t rank = next_rank;
    for (const Sequence& sequence : sequences) {
        if (open_header_block.text.size() >= wsdb::kHeaderBlockBytes) {
            HeaderBlock following;
            following.first_sequence = rank;
            following.raw_offset = open_header_block.raw_offset + open_header_block.text.size();
            header_blocks.push_back(std::exchange(open_header_block, std::move(following)));
        }
        open_header_block.text += sequence.header;
        ++rank;
    }
    if (rank == input_sequences) header_blocks.push_back(std::exchange(open_header_block, {}));

    std::uint64_t offset = tiles_end;
    for (Block& block : blocks) {
        block.file_offset = offset;
        offset += block.words * sizeof(std::uint32_t);
    }
    WARPSEQ_TRY(pool.parallel_for(blocks.size() + header_blocks.size(), [this](std::uint64_t index, unsigned thread) {
        if (index < blocks.size()) return work_on_block(blocks[index], workers[thread]);
        HeaderBlock& block = header_blocks[index - blocks.size()];
        return workers[thread].compress(text_bytes(block.text), kHeaderCompressionLevel, block.frame);
    }));
    for (const Block& block : blocks) WARPSEQ_TRY(put_down_block(block));
    for (HeaderBlock& block : header_blocks) WARPSEQ_TRY(put_down_headers(block));
    sequences.clear();
    tiles.clear();
    blocks.clear();
    header_blocks.clear();
    batch_bytes = 0;
    by_length.release();
    if (options.on_progress) options.on_progress(residues_done, input_residues);
    return {};
}

Status WsdbWriter::State::write_tiles() {
    XXH3_128bits_reset(content_hash.get());
    XXH3_64bits_reset(tiles_hash.get());
    const std::uint64_t batch_limit = pool.threads() * std::clamp(sorting_memory / 64 / pool.threads(),
                                                                  kMinBatchBytesPerThread, kMaxBatchBytesPerThread);
    std::vector<SortItem> ahead;  // up to a tile's worth that is not in the batch yet
    std::vector<std::uint64_t> ahead_lengths;
    bool more = true;
    bool may_be_linear = true;
    while (more || !ahead.empty()) {
        while (more && ahead.size() < kTileLanes) {
            SortItem item;
            auto next = by_length.next(item);
            if (!next.ok()) return next.status();
            more = *next;
            if (!more) break;
            ahead.push_back(item);
            // A sequence that is linear in any case needs no look ahead, and should not wait for it in memory.
            if (may_be_linear && ~ahead.front().key[0] > wsdb::kAlwaysLinearResidues) break;
        }
        if (ahead.empty()) break;
        if (may_be_linear) {
            ahead_lengths.clear();
            for (const SortItem& item : ahead) ahead_lengths.push_back(~item.key[0]);
            may_be_linear = wsdb::is_linear(ahead_lengths);
        }
        if (may_be_linear) {
            add_tile(std::span(ahead).first(1), TileLayout::kLinear);
            ahead.erase(ahead.begin());
        } else {
            add_tile(ahead, TileLayout::kInterleaved);
            ahead.clear();
        }
        // A block that is not full yet goes on in the same batch, so that blocks do not depend on the size of batches.
        const bool block_full =
            blocks.back().residues >= wsdb::kBlockResidues || blocks.back().record_bytes >= kBlockRecordBytes;
        if (block_full && batch_bytes >= batch_limit && ahead.empty()) WARPSEQ_TRY(run_batch());
    }
    if (!sequences.empty()) WARPSEQ_TRY(run_batch());
    statistics.padding_words -= statistics.residue_words;
    return {};
}

Status WsdbWriter::State::add_section(SectionType type, std::uint64_t items, std::uint64_t size_bytes,
                                      std::uint64_t checksum) {
    wsdb::SectionEntry& entry = header.sections[header.section_count++];
    entry.type = static_cast<std::uint32_t>(type);
    entry.offset_bytes = out.size_bytes() - size_bytes;
    entry.size_bytes = size_bytes;
    entry.items = items;
    entry.checksum = checksum;
    return {};
}

Status WsdbWriter::State::pad_to_section() {
    static constexpr std::array<std::uint8_t, wsdb::kSectionAlignmentBytes> kZeros{};
    const std::uint64_t size = out.size_bytes();
    const std::uint64_t padding = wsdb::align_up(size, wsdb::kSectionAlignmentBytes) - size;
    return out.append(std::span(kZeros).first(static_cast<std::size_t>(padding)));
}

Status WsdbWriter::State::append_section(SectionType type, Spool& column, std::uint64_t items) {
    WARPSEQ_TRY(pad_to_section());
    const std::uint64_t size = column.size_bytes();
    const std::uint64_t checksum = column.checksum();
    WARPSEQ_TRY(column.drain([this](std::span<const std::uint8_t> part) { return out.append(part); }));
    return add_section(type, items, size, checksum);
}

Status WsdbWriter::State::append_section(SectionType type, std::span<const std::uint8_t> bytes) {
    WARPSEQ_TRY(pad_to_section());
    WARPSEQ_TRY(out.append(bytes));
    return add_section(type, 1, bytes.size(), hash_of(bytes));
}

Status WsdbWriter::State::append_names(std::string& duplicate_example) {
    WARPSEQ_TRY(by_name.finish());
    WARPSEQ_TRY(pad_to_section());
    const Xxh3State hash = make_xxh3_state();
    XXH3_64bits_reset(hash.get());
    std::vector<wsdb::NameEntry> entries;
    const auto flush = [&] {
        const auto bytes = item_bytes(entries);
        XXH3_64bits_update(hash.get(), bytes.data(), bytes.size());
        Status status = out.append(bytes);
        entries.clear();
        return status;
    };
    // Equal identifiers stand together, and so would different ones whose hashes are equal: those that differ from the
    // first of their hash are kept until the hash changes.
    std::string first_name;
    std::vector<std::string> other_names;
    std::uint64_t current_hash = 0;
    bool at_start = true;
    SortItem item;
    for (;;) {
        auto next = by_name.next(item);
        if (!next.ok()) return next.status();
        if (!*next) break;
        const std::string_view name(reinterpret_cast<const char*>(item.payload.data()), item.payload.size());
        if (at_start || item.key[0] != current_hash) {
            at_start = false;
            current_hash = item.key[0];
            first_name = name;
            other_names.clear();
        } else if (name == first_name || std::ranges::find(other_names, name) != other_names.end()) {
            if (statistics.duplicate_identifiers++ == 0) duplicate_example = name;
        } else {
            other_names.emplace_back(name);
        }
        by_name.release();
        entries.push_back({item.key[0], item.key[1]});
        if (entries.size() == 65536) WARPSEQ_TRY(flush());
    }
    WARPSEQ_TRY(flush());
    return add_section(SectionType::kNameIndex, next_rank, next_rank * sizeof(wsdb::NameEntry),
                       XXH3_64bits_digest(hash.get()));
}

Result<WsdbSummary> WsdbWriter::finish(const WsdbInputFacts& facts) {
    State& state = *state_;
    if (state.input_sequences == 0) return Status::invalid_input("there is no sequence to write");
    WARPSEQ_TRY(state.by_length.finish());
    WARPSEQ_TRY(state.write_tiles());
    const std::uint64_t n = state.input_sequences;
    const std::uint64_t tiles_bytes = state.tiles_end - wsdb::kHeaderBytes;
    const std::uint64_t tiles_checksum = XXH3_64bits_digest(state.tiles_hash.get());
    if (state.packed()) {
        WARPSEQ_TRY(state.add_section(SectionType::kTiles, state.next_tile, tiles_bytes, tiles_checksum));
    } else {
        WARPSEQ_TRY(state.add_section(SectionType::kBlocks, state.blocks_done, tiles_bytes, tiles_checksum));
        WARPSEQ_TRY(state.append_section(SectionType::kBlockIndex, state.block_index, state.blocks_done));
    }
    WARPSEQ_TRY(state.header_offsets.append(object_bytes(state.statistics.header_bytes)));
    WARPSEQ_TRY(state.append_section(SectionType::kTileIndex, state.tile_index, state.next_tile));
    WARPSEQ_TRY(state.append_section(SectionType::kLengths, state.lengths, n));
    WARPSEQ_TRY(state.append_section(SectionType::kInputPositions, state.input_positions, n));
    WARPSEQ_TRY(state.append_section(SectionType::kHeaderOffsets, state.header_offsets, n + 1));
    WARPSEQ_TRY(
        state.append_section(SectionType::kHeaderBlockIndex, state.header_block_index, state.header_blocks_done));
    WARPSEQ_TRY(state.append_section(SectionType::kHeaders, state.headers, state.header_blocks_done));

    WsdbSummary summary;
    WARPSEQ_TRY(state.append_names(summary.duplicate_example));

    wsdb::Statistics& statistics = state.statistics;
    for (const Worker& worker : state.workers) {
        for (const auto& table : worker.composition) {
            for (std::size_t code = 0; code < table.size(); ++code) statistics.composition[code] += table[code];
        }
    }
    statistics.unnamed_sequences = facts.unnamed_sequences;
    statistics.gaps_removed = facts.gaps_removed;
    statistics.skipped_invalid = facts.skipped_invalid;
    WARPSEQ_TRY(state.append_section(SectionType::kStatistics, object_bytes(statistics)));
    WARPSEQ_TRY(state.append_section(SectionType::kProvenance, text_bytes(facts.provenance_json)));

    wsdb::FileHeader& header = state.header;
    header.magic = wsdb::kMagic;
    header.version_major = wsdb::kVersionMajor;
    header.version_minor = wsdb::kVersionMinor;
    header.header_bytes = wsdb::kHeaderBytes;
    header.file_bytes = state.out.size_bytes();
    header.sequences = n;
    header.residues = state.residues_done;
    header.tiles = state.next_tile;
    header.longest_residues = statistics.longest_residues;
    header.codec = static_cast<std::uint32_t>(state.options.codec);
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(state.content_hash.get()));
    std::copy_n(digest.digest, header.content_digest.size(), header.content_digest.begin());
    header.checksum = XXH3_64bits(&header, offsetof(wsdb::FileHeader, checksum));
    WARPSEQ_TRY(state.out.write_at(0, object_bytes(header)));
    WARPSEQ_TRY(state.out.commit());

    summary.sequences = n;
    summary.residues = header.residues;
    summary.longest_residues = statistics.longest_residues;
    summary.shortest_residues = statistics.shortest_residues;
    summary.tiles = header.tiles;
    summary.linear_tiles = header.linear_tiles;
    summary.padding_words = statistics.padding_words;
    summary.residue_words = statistics.residue_words;
    summary.empty_sequences = statistics.empty_sequences;
    summary.duplicate_identifiers = statistics.duplicate_identifiers;
    summary.file_bytes = header.file_bytes;
    summary.spilled_bytes = state.by_length.spilled_bytes() + state.by_name.spilled_bytes();
    summary.content_digest = wsdb::digest_text(header.content_digest);
    return summary;
}

}  // namespace warpseq
