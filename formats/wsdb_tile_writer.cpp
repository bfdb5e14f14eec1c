#include "formats/wsdb_tile_writer.h"

#include <xxhash.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/byte_spans.h"
#include "formats/checksum.h"
#include "formats/fasta.h"
#include "formats/sequence_names.h"
#include "formats/wsdb_record_batch.h"

namespace warpseq {

namespace {

using wsdb::SectionType;

/// A batch ends when it holds this much for each thread, if memory allows: threads wait for each other at its end.
constexpr std::uint64_t kMinBatchBytesPerThread = std::uint64_t{2} << 20;
constexpr std::uint64_t kMaxBatchBytesPerThread = std::uint64_t{8} << 20;
/// A block ends at this many bytes of residues and headers together, however few residues they are: it bounds the
/// memory that sequences with long headers take.
constexpr std::uint64_t kBlockRecordBytes = 2 * wsdb::kBlockResidues;
/// Measured on Swiss-Prot: docs/format.md.
constexpr int kResidueCompressionLevel = 1;
constexpr int kHeaderCompressionLevel = 3;
/// Level 3 would take a fifth of the time of a conversion that one search waits for.
constexpr int kQuickCompressionLevel = -200;

std::uint64_t hash_of(std::span<const std::uint8_t> bytes) { return checksum_of(bytes.data(), bytes.size()); }

/// Copies words, which have no alignment, to every `stride`th word from `out` on.
void spread(std::span<const std::uint8_t> words, std::uint32_t* out, std::size_t stride) {
    for (std::size_t i = 0; i < words.size(); i += sizeof(std::uint32_t), out += stride)
        std::memcpy(out, words.data() + i, sizeof(std::uint32_t));
}

}  // namespace

// From sizes alone: what the record holds need not be in a cache yet.
std::uint64_t WsdbTileWriter::header_bytes_of(const Sequence& sequence) {
    return sequence.record.size() - size_of_record(sequence.residues, 0);
}

bool WsdbTileWriter::Block::full() const {
    return residues >= wsdb::kBlockResidues || record_bytes >= kBlockRecordBytes;
}

Status WsdbTileWriter::Worker::compress(std::span<const std::uint8_t> bytes, int level,
                                        std::vector<std::uint8_t>& frame) {
    if (compressor == nullptr) return Status::out_of_memory();
    if (const std::size_t bound = ZSTD_compressBound(bytes.size()); bound > room_bytes) {
        room = std::make_unique_for_overwrite<std::uint8_t[]>(bound);
        room_bytes = bound;
    }
    const std::size_t size =
        ZSTD_compressCCtx(compressor.get(), room.get(), room_bytes, bytes.data(), bytes.size(), level);
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) return Status::out_of_memory();
    if (ZSTD_isError(size) != 0) return Status::io(std::string("zstd: ") + ZSTD_getErrorName(size));
    frame.assign(room.get(), room.get() + size);
    return {};
}

void WsdbTileWriter::Columns::clear() {
    tiles.clear();
    lengths.clear();
    input_positions.clear();
    wide_input_positions.clear();
    digests.clear();
}

WsdbTileWriter::WsdbTileWriter(AtomicFile& out, const ThreadPool& pool, ResidueCodec codec, bool short_lived,
                               std::uint64_t sorting_memory_bytes, const std::filesystem::path& folder)
    : out_(out),
      pool_(pool),
      codec_(codec),
      header_level_(short_lived ? kQuickCompressionLevel : kHeaderCompressionLevel),
      sorting_memory_bytes_(sorting_memory_bytes),
      // The shares are kMemoryPercent in all.
      by_name_(sorting_memory_bytes / 100 * 18, folder),
      tile_index_(sorting_memory_bytes / 100 * 3, folder),
      block_index_(sorting_memory_bytes / 100 * 1, folder),
      lengths_(sorting_memory_bytes / 100 * 4, folder),
      input_positions_(sorting_memory_bytes / 100 * 4, folder),
      header_block_index_(sorting_memory_bytes / 100 * 1, folder),
      headers_(sorting_memory_bytes / 100 * 8, folder),
      workers_(pool.threads()) {}

Status WsdbTileWriter::write(
    ExternalSort& by_length, const WsdbTotals& totals,
    const std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)>& on_progress) {
    totals_ = totals;
    const auto end_batch = [&]() -> Status {
        WARPSEQ_TRY(write_batch());
        by_length.release();
        if (on_progress) on_progress(residues_done_, totals_.residues);
        return {};
    };
    XXH3_128bits_reset(content_hash_.get());
    // One thread waits for nobody, and memory that it has used just now is the fastest.
    const std::uint64_t batch_limit =
        pool_.threads() == 1 ? 0
                             : pool_.threads() * std::clamp(sorting_memory_bytes_ / 64 / pool_.threads(),
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
            // A sequence that is linear whatever follows it is not kept in memory while others are read.
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
        // A batch ends with a full block, so that blocks do not depend on the size of batches.
        if (blocks_.back().full() && batch_bytes_ >= batch_limit && ahead.empty()) WARPSEQ_TRY(end_batch());
    }
    if (!sequences_.empty()) WARPSEQ_TRY(end_batch());
    statistics_.padding_words -= statistics_.residue_words;
    return {};
}

void WsdbTileWriter::add_tile(std::span<const SortItem> items, TileLayout layout) {
    Tile tile;
    tile.first = sequences_.size();
    tile.lanes = items.size();
    tile.layout = layout;
    tile.words = tile_words(layout, ~items.front().key[0]);
    std::uint64_t record_bytes = 0;
    for (const SortItem& item : items) {
        Sequence sequence;
        const std::uint64_t length = ~item.key[0];
        sequence.record = item.payload;
        sequence.residues = length;
        sequence.input_position = totals_.positions == nullptr ? item.key[1] : totals_.positions->index_of(item.key[1]);
        tile.residues += length;
        record_bytes += length + header_bytes_of(sequence);
        statistics_.residue_words += words_for(length);
        ++statistics_.length_histogram[wsdb::histogram_bin(length)];
        if (length == 0) ++statistics_.empty_sequences;
        // They come longest first.
        statistics_.longest_residues = std::max(statistics_.longest_residues, length);
        statistics_.shortest_residues = length;
        sequences_.push_back(sequence);
    }
    if (blocks_.empty() || blocks_.back().full()) {
        Block block;
        block.first_tile = tiles_.size();
        blocks_.push_back(std::move(block));
    }
    Block& block = blocks_.back();
    ++block.tiles;
    block.residues += tile.residues;
    block.record_bytes += record_bytes;
    block.words += tile.words;
    batch_bytes_ += record_bytes;
    if (layout == TileLayout::kLinear) ++linear_tiles_;
    tiles_.push_back(tile);
}

void WsdbTileWriter::cut_headers() {
    std::uint64_t rank = sequences_done_;
    open_header_block_.begin = 0;
    for (std::size_t i = 0; i < sequences_.size(); ++i, ++rank) {
        if (open_header_block_.raw_bytes >= wsdb::kHeaderBlockBytes) {
            HeaderBlock following;
            following.first_sequence = rank;
            following.begin = i;
            open_header_block_.end = i;
            header_blocks_.push_back(std::exchange(open_header_block_, std::move(following)));
        }
        open_header_block_.raw_bytes += header_bytes_of(sequences_[i]) + 1;
    }
    open_header_block_.end = sequences_.size();
    if (rank == totals_.sequences) header_blocks_.push_back(std::exchange(open_header_block_, {}));
}

void WsdbTileWriter::gather_headers(HeaderBlock& block) const {
    block.text.reserve(block.raw_bytes);
    for (std::size_t i = block.begin; i < block.end; ++i) {
        block.text += view_of_record(sequences_[i].record, sequences_[i].residues).header;
        block.text += wsdb::kHeaderEnd;
    }
    block.begin = block.end = 0;
}

Status WsdbTileWriter::write_batch() {
    cut_headers();
    std::uint64_t offset = tiles_end_;
    for (Block& block : blocks_) {
        block.file_offset = offset;
        offset += block.words * sizeof(std::uint32_t);
    }
    WARPSEQ_TRY(
        pool_.parallel_for(blocks_.size() + header_blocks_.size() + 1, [this](std::uint64_t index, unsigned thread) {
            if (index < blocks_.size()) return work_on_block(blocks_[index], workers_[thread]);
            index -= blocks_.size();
            const bool open = index == header_blocks_.size();
            HeaderBlock& block = open ? open_header_block_ : header_blocks_[index];
            gather_headers(block);
            return open ? Status() : workers_[thread].compress(text_bytes(block.text), header_level_, block.frame);
        }));
    for (const Block& block : blocks_) WARPSEQ_TRY(enter_block(block));
    for (const HeaderBlock& block : header_blocks_) WARPSEQ_TRY(enter_headers(block));
    sequences_.clear();
    tiles_.clear();
    blocks_.clear();
    header_blocks_.clear();
    batch_bytes_ = 0;
    return {};
}

Status WsdbTileWriter::work_on_block(Block& block, Worker& worker) {
    const Tile& last = tiles_[block.first_tile + block.tiles - 1];
    const std::size_t first_sequence = tiles_[block.first_tile].first;
    // Each sequence belongs to one block, so no other thread writes to it.
    const std::span<Sequence> own =
        std::span(sequences_).subspan(first_sequence, last.first + last.lanes - first_sequence);
    for (Sequence& sequence : own) {
        const WsdbRecordView record = view_of_record(sequence.record, sequence.residues);
        sequence.words = record.words;
        sequence.header = record.header;
        sequence.digest = {sequence.residues, record.residues_hash, hash_of(text_bytes(sequence.header))};
        sequence.identifier = identifier_of(sequence.header);
        const std::vector<std::string_view> names = index_names_of(sequence.header);
        sequence.first_name_hash = hash_of(text_bytes(names.front()));
        for (std::size_t i = 1; i < names.size(); ++i)
            sequence.other_name_hashes.push_back(hash_of(text_bytes(names[i])));
    }
    // Every word is written, so none has to be zero before. Packed words stay until the batch is entered.
    if (packed() && blocks_.size() > 1) {
        block.own_packed = std::make_unique_for_overwrite<std::uint32_t[]>(block.words);
    } else if (worker.words_room < block.words) {
        worker.words = std::make_unique_for_overwrite<std::uint32_t[]>(block.words);
        worker.words_room = block.words;
    }
    std::uint32_t* words = block.own_packed ? block.own_packed.get() : worker.words.get();
    block.packed = words;
    std::uint32_t* place = words;
    for (std::size_t t = 0; t < block.tiles; ++t) {
        Tile& tile = tiles_[block.first_tile + t];
        interleave(tile, place);
        tile.checksum = checksum_of(place, tile.words * sizeof(std::uint32_t));
        place += tile.words;
    }
    if (packed()) {
        return out_.write_at(block.file_offset,
                             {reinterpret_cast<const std::uint8_t*>(words), block.words * sizeof(std::uint32_t)});
    }
    worker.raw.resize(block.residues);
    std::uint8_t* residues = worker.raw.data();
    for (std::size_t t = 0; t < block.tiles; ++t) {
        const Tile& tile = tiles_[block.first_tile + t];
        TileView view;
        view.words = {words, tile.words};
        view.layout = tile.layout;
        words += tile.words;
        std::array<std::uint64_t, kTileLanes> lengths{};
        for (std::size_t lane = 0; lane < tile.lanes; ++lane) lengths[lane] = sequences_[tile.first + lane].residues;
        view.lengths_residues = std::span(lengths).first(tile.lanes);
        for (std::uint32_t lane = 0; lane < tile.lanes; residues += lengths[lane++]) unpack_lane(view, lane, residues);
    }
    return worker.compress(worker.raw, kResidueCompressionLevel, block.frame);
}

void WsdbTileWriter::interleave(const Tile& tile, std::uint32_t* words) const {
    const bool linear = tile.layout == TileLayout::kLinear;
    const std::size_t stride = linear ? 1 : kTileLanes;
    const std::uint64_t rows = tile.words / stride;
    for (std::size_t lane = 0; lane < stride; ++lane) {
        std::uint64_t filled = 0;
        if (lane < tile.lanes) {
            const auto own = sequences_[tile.first + lane].words;
            spread(own, words + lane, stride);
            filled = own.size() / sizeof(std::uint32_t);
        }
        for (; filled < rows; ++filled) words[filled * stride + lane] = kPaddingWord;
    }
}

Status WsdbTileWriter::enter_block(const Block& block) {
    static constexpr std::uint8_t kFirstName = 1;
    const std::uint64_t first_tile = tiles_done_;
    columns_.clear();
    for (std::size_t t = 0; t < block.tiles; ++t) {
        const Tile& tile = tiles_[block.first_tile + t];
        columns_.tiles.push_back({packed_bytes_done_, residues_done_, tile.checksum});
        for (std::size_t lane = 0; lane < tile.lanes; ++lane, ++sequences_done_) {
            const Sequence& sequence = sequences_[tile.first + lane];
            columns_.lengths.push_back(static_cast<std::uint32_t>(sequence.residues));
            if (wide_positions()) {
                columns_.wide_input_positions.push_back(sequence.input_position);
            } else {
                columns_.input_positions.push_back(static_cast<std::uint32_t>(sequence.input_position));
            }
            columns_.digests.push_back(sequence.digest);
            statistics_.header_bytes += sequence.header.size();
            WARPSEQ_TRY(by_name_.add({sequence.first_name_hash, sequences_done_},
                                     {object_bytes(kFirstName), text_bytes(sequence.identifier)}));
            for (const std::uint64_t hash : sequence.other_name_hashes)
                WARPSEQ_TRY(by_name_.add({hash, sequences_done_}, {}));
        }
        residues_done_ += tile.residues;
        packed_bytes_done_ += tile.words * sizeof(std::uint32_t);
        statistics_.padding_words += tile.words;  // write() takes off those with residues in the end
        ++tiles_done_;
    }
    WARPSEQ_TRY(tile_index_.append(column_bytes(columns_.tiles)));
    WARPSEQ_TRY(lengths_.append(column_bytes(columns_.lengths)));
    WARPSEQ_TRY(input_positions_.append(wide_positions() ? column_bytes(columns_.wide_input_positions)
                                                         : column_bytes(columns_.input_positions)));
    XXH3_128bits_update(content_hash_.get(), columns_.digests.data(),
                        columns_.digests.size() * sizeof(wsdb::DigestEntry));
    if (packed()) {
        // The thread that packed the block has written it.
        tiles_end_ += block.words * sizeof(std::uint32_t);
        return {};
    }
    WARPSEQ_TRY(block_index_.append(object_bytes(wsdb::BlockEntry{first_tile, tiles_bytes(), hash_of(block.frame)})));
    WARPSEQ_TRY(out_.write_at(tiles_end_, block.frame));
    tiles_end_ += block.frame.size();
    return {};
}

Status WsdbTileWriter::enter_headers(const HeaderBlock& block) {
    const wsdb::HeaderBlockEntry entry{block.first_sequence, headers_.size_bytes(), hash_of(block.frame)};
    WARPSEQ_TRY(header_block_index_.append(object_bytes(entry)));
    return headers_.append(block.frame);
}

Status WsdbTileWriter::append_sections(WsdbSectionWriter& sections) {
    // Where the last of each ends.
    WARPSEQ_TRY(tile_index_.append(object_bytes(wsdb::TileEntry{packed_bytes_done_, residues_done_, 0})));
    WARPSEQ_TRY(
        header_block_index_.append(object_bytes(wsdb::HeaderBlockEntry{sequences_done_, headers_.size_bytes(), 0})));
    if (packed()) {
        sections.enter(SectionType::kTiles, tiles_bytes());
    } else {
        WARPSEQ_TRY(block_index_.append(object_bytes(wsdb::BlockEntry{tiles_done_, tiles_bytes(), 0})));
        sections.enter(SectionType::kBlocks, tiles_bytes());
        WARPSEQ_TRY(sections.append(SectionType::kBlockIndex, block_index_));
    }
    WARPSEQ_TRY(sections.append(SectionType::kTileIndex, tile_index_));
    WARPSEQ_TRY(sections.append(SectionType::kLengths, lengths_));
    WARPSEQ_TRY(sections.append(SectionType::kInputPositions, input_positions_));
    WARPSEQ_TRY(sections.append(SectionType::kHeaderBlockIndex, header_block_index_));
    return sections.append(SectionType::kHeaders, headers_);
}

std::array<std::uint8_t, 16> WsdbTileWriter::content_digest() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(content_hash_.get()));
    std::array<std::uint8_t, 16> digest{};
    static_assert(sizeof canonical.digest == sizeof digest);
    std::copy_n(canonical.digest, digest.size(), digest.begin());
    return digest;
}

}  // namespace warpseq
