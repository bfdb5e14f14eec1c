#include "formats/wsdb/wsdb_tile_writer.h"

#include <xxhash.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "formats/fasta/fasta.h"
#include "formats/fasta/record_batch.h"
#include "formats/fasta/sequence_names.h"
#include "formats/io/byte_spans.h"
#include "formats/io/checksum.h"

namespace warpseq {

namespace {

using wsdb::SectionType;

/// The bytes of blocks in progress for each thread, between these limits depending on the memory.
/// No other block is cut while the blocks in progress hold this much.
constexpr std::uint64_t kMinBytesPerThread = std::uint64_t{2} << 20;
constexpr std::uint64_t kMaxBytesPerThread = std::uint64_t{8} << 20;
constexpr std::size_t kBlocksPerThread = 4;
/// The largest shares of the sorting memory in percent.
constexpr std::uint64_t kNamesPercent = 18, kTileIndexPercent = 3, kBlockIndexPercent = 1, kLengthsPercent = 4,
                        kPositionsPercent = 4, kHeaderBlockIndexPercent = 1, kHeadersPercent = 8;
static_assert(kNamesPercent + kTileIndexPercent + kBlockIndexPercent + kLengthsPercent + kPositionsPercent +
                  kHeaderBlockIndexPercent + kHeadersPercent ==
              WsdbTileWriter::kMemoryPercent);
/// The bytes of residues and headers together at which a block ends, however few residues it has.
/// This bounds the memory for sequences with long headers.
constexpr std::uint64_t kBlockRecordBytes = 2 * wsdb::kBlockResidues;
/// The compression levels, which were measured on Swiss-Prot: docs/format.md.
constexpr int kResidueCompressionLevel = 1;
constexpr int kHeaderCompressionLevel = 3;
/// The compression level for headers of short-lived files. Level 3 would take a fifth of the time
/// of a conversion that one search waits for.
constexpr int kQuickCompressionLevel = -200;

std::uint64_t hash_of(std::span<const std::uint8_t> bytes) { return checksum_of(bytes.data(), bytes.size()); }

/// Copies words, which have no alignment, to every `stride`th word from `out` on.
void spread(std::span<const std::uint8_t> words, std::uint32_t* out, std::size_t stride) {
    for (std::size_t i = 0; i < words.size(); i += sizeof(std::uint32_t), out += stride)
        std::memcpy(out, words.data() + i, sizeof(std::uint32_t));
}

}  // namespace

bool WsdbTileWriter::Block::full() const {
    return residues >= wsdb::kBlockResidues || record_bytes >= kBlockRecordBytes;
}

void WsdbTileWriter::Block::clear() {
    heads.clear();
    tiles.clear();
    residues = record_bytes = words = 0;
    header_block_ends.clear();
    columns.clear();
    names.clear();
    name_bytes.clear();
    taxids.clear();
    first_headers.clear();
    last_headers.clear();
    header_frames.clear();
    statistics = {};
    headers.reset();
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
      by_name_(sorting_memory_bytes / 100 * kNamesPercent, folder, &pool),
      tile_index_(sorting_memory_bytes / 100 * kTileIndexPercent, folder),
      block_index_(sorting_memory_bytes / 100 * kBlockIndexPercent, folder),
      lengths_(sorting_memory_bytes / 100 * kLengthsPercent, folder),
      input_positions_(sorting_memory_bytes / 100 * kPositionsPercent, folder),
      header_block_index_(sorting_memory_bytes / 100 * kHeaderBlockIndexPercent, folder),
      headers_(sorting_memory_bytes / 100 * kHeadersPercent, folder),
      workers_(pool.threads()) {}

std::uint64_t WsdbTileWriter::plan_memory(const WsdbTotals& totals, std::uint64_t header_bytes,
                                          std::uint64_t most_names) {
    constexpr std::uint64_t kNameBytes = 40;                        // of a name besides its characters
    constexpr std::uint64_t kSlackBytes = std::uint64_t{24} << 20;  // memory is taken in chunks
    const std::uint64_t position_bytes = totals.sequences > std::uint64_t{1} << 32 ? 8 : 4;
    std::uint64_t all_bytes = 0;
    // A growing column needs half as much memory again.
    const auto plan = [&](auto& column, std::uint64_t percent, std::uint64_t bytes) {
        const std::uint64_t planned = std::min(sorting_memory_bytes_ / 100 * percent, bytes + bytes / 2);
        column.set_memory(planned);
        all_bytes += planned;
    };
    plan(by_name_, kNamesPercent, (most_names * kNameBytes + header_bytes + kSlackBytes) / 3 * 2);
    plan(tile_index_, kTileIndexPercent, totals.sequences / kTileLanes * 2 * sizeof(wsdb::TileEntry));
    plan(block_index_, kBlockIndexPercent, totals.residues / wsdb::kBlockResidues * 2 * sizeof(wsdb::BlockEntry));
    plan(lengths_, kLengthsPercent, totals.sequences * sizeof(std::uint32_t));
    plan(input_positions_, kPositionsPercent, totals.sequences * position_bytes);
    plan(header_block_index_, kHeaderBlockIndexPercent,
         header_bytes / wsdb::kHeaderBlockBytes * 2 * sizeof(wsdb::HeaderBlockEntry));
    plan(headers_, kHeadersPercent, header_bytes / 2);
    return all_bytes;
}

Status WsdbTileWriter::write(
    ExternalSort& by_length, const WsdbTotals& totals, WsdbTaxidWriter* taxids,
    const std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)>& on_progress) {
    totals_ = totals;
    taxids_ = taxids;
    XXH3_128bits_reset(content_hash_.get());
    // A single thread waits for no other, and memory that it has just used is the fastest.
    const std::uint64_t threads = pool_.threads();
    const bool alone = threads == 1;
    blocks_.resize(alone ? 1 : kBlocksPerThread * threads);
    most_bytes_on_their_way_ =
        alone ? 1 : threads * std::clamp(sorting_memory_bytes_ / 64 / threads, kMinBytesPerThread, kMaxBytesPerThread);
    const OrderedStages::Stages stages = {
        [&](std::size_t slot) { return cut(by_length, blocks_[slot]); },
        [&](std::size_t slot, unsigned thread) { return work_on(by_length, blocks_[slot], workers_[thread]); },
        [&](std::size_t slot) {
            const Result<bool> entered = enter(blocks_[slot]);
            if (on_progress && entered.ok() && *entered) on_progress(residues_done_, totals_.residues);
            return entered;
        },
        [&](std::size_t slot, unsigned thread) { return leave(blocks_[slot], workers_[thread]); }};
    OrderedStages turns(blocks_.size());
    for (;;) {
        const Result<bool> done = turns.run(pool_, stages);
        if (!done.ok()) return done.status();
        if (*done) break;
        WARPSEQ_TRY(by_name_.make_room());
    }
    HeaderFrame last{open_headers_.first_sequence, {}, 0};
    WARPSEQ_TRY(workers_.front().compress(text_bytes(open_headers_.text), header_level_, last.frame));
    last.checksum = hash_of(last.frame);
    header_frames_.emplace(open_headers_.number, std::move(last));
    WARPSEQ_TRY(append_header_frames());
    blocks_.clear();
    workers_.clear();
    return {};
}

Result<OrderedStages::Begun> WsdbTileWriter::cut(ExternalSort& by_length, Block& block) {
    using Begun = OrderedStages::Begun;
    if (!has_more_ && ahead_.empty()) return Begun::kNoMore;
    if (bytes_on_their_way_ >= most_bytes_on_their_way_) return Begun::kNotYet;
    block.clear();
    block.sequences_before = sequences_cut_;
    block.tiles_before = tiles_cut_;
    block.residues_before = residues_cut_;
    block.words_before = words_cut_;
    block.first_header_block = header_blocks_cut_;
    while (!block.full()) {
        while (has_more_ && ahead_.size() < kTileLanes) {
            SortHead head;
            const auto next = by_length.next_head(head);
            if (!next.ok()) return next.status();
            has_more_ = *next;
            if (!has_more_) break;
            ahead_.push_back(head);
            // A sequence that is linear whatever follows it is not kept while others are read.
            if (may_be_linear_ && ~ahead_.front().key[0] > wsdb::kAlwaysLinearResidues) break;
        }
        if (ahead_.empty()) break;
        if (may_be_linear_) {
            ahead_lengths_.clear();
            for (const SortHead& head : ahead_) ahead_lengths_.push_back(~head.key[0]);
            may_be_linear_ = wsdb::is_linear(ahead_lengths_);
        }
        if (may_be_linear_) {
            add_tile(std::span(ahead_).first(1), TileLayout::kLinear, block);
            ahead_.erase(ahead_.begin());
        } else {
            add_tile(ahead_, TileLayout::kInterleaved, block);
            ahead_.clear();
        }
    }
    if (block.heads.empty()) return Begun::kNoMore;
    residues_cut_ += block.residues;
    words_cut_ += block.words;
    bytes_on_their_way_ += block.record_bytes;
    return Begun::kYes;
}

// Uses lengths and sizes alone, because records may be on disk.
void WsdbTileWriter::add_tile(std::span<const SortHead> heads, TileLayout layout, Block& block) {
    Tile tile;
    tile.first = block.heads.size();
    tile.lanes = heads.size();
    tile.layout = layout;
    tile.words = tile_words(layout, ~heads.front().key[0]);
    for (const SortHead& head : heads) {
        const std::uint64_t length = ~head.key[0];
        const std::uint64_t header_bytes = head.payload_bytes - size_of_record(length, 0);
        tile.residues += length;
        block.record_bytes += length + header_bytes;
        if (open_header_bytes_ >= wsdb::kHeaderBlockBytes) {
            block.header_block_ends.push_back(block.heads.size());
            ++header_blocks_cut_;
            open_header_bytes_ = 0;
        }
        open_header_bytes_ += header_bytes + 1;
        block.heads.push_back(head);
    }
    sequences_cut_ += heads.size();
    ++tiles_cut_;
    block.residues += tile.residues;
    block.words += tile.words;
    if (layout == TileLayout::kLinear) ++linear_tiles_;
    block.tiles.push_back(tile);
}

void WsdbTileWriter::add_sequence(const SortHead& head, std::span<const std::uint8_t> record, std::string& headers,
                                  Block& block, Worker& worker) const {
    static constexpr std::uint8_t kFirstName = 1;
    const std::uint64_t length = ~head.key[0];
    const RecordView view = view_of_record(record, length);
    worker.words_of.push_back(view.words);
    const std::uint64_t rank = block.sequences_before + block.columns.lengths.size();
    const std::uint64_t position =
        totals_.positions == nullptr ? head.key[1] : totals_.positions->index_of(head.key[1]);
    block.columns.lengths.push_back(static_cast<std::uint32_t>(length));
    if (wide_positions()) {
        block.columns.wide_input_positions.push_back(position);
    } else {
        block.columns.input_positions.push_back(static_cast<std::uint32_t>(position));
    }
    block.columns.digests.push_back({length, view.residues_hash, hash_of(text_bytes(view.header))});
    block.statistics.header_bytes += view.header.size();
    block.statistics.residue_words += words_for(length);
    ++block.statistics.length_histogram[wsdb::histogram_bin(length)];
    if (length == 0) ++block.statistics.empty_sequences;
    if (taxids_ != nullptr) taxids_->prepare(view, block.taxids);
    headers += view.header;
    headers += wsdb::kHeaderEnd;

    const std::vector<std::string_view> names = index_names_of(view.header);
    const auto identifier = text_bytes(identifier_of(view.header));
    block.names.push_back({{hash_of(text_bytes(names.front())), rank}, 1 + identifier.size()});
    block.name_bytes.push_back(kFirstName);
    block.name_bytes.insert(block.name_bytes.end(), identifier.begin(), identifier.end());
    for (std::size_t i = 1; i < names.size(); ++i) block.names.push_back({{hash_of(text_bytes(names[i])), rank}, 0});
}

Status WsdbTileWriter::work_on(const ExternalSort& by_length, Block& block, Worker& worker) const {
    WARPSEQ_TRY(by_length.load(block.heads, worker.records));
    const std::vector<std::span<const std::uint8_t>>& records = worker.records.payloads;
    worker.words_of.clear();
    std::string inner;
    std::string* headers = &block.first_headers;
    std::size_t ended = 0;
    for (std::size_t i = 0; i < block.heads.size(); ++i) {
        if (ended < block.header_block_ends.size() && block.header_block_ends[ended] == i) {
            if (ended > 0) {
                const std::size_t begin = block.header_block_ends[ended - 1];
                HeaderFrame& frame = block.header_frames.emplace_back();
                frame.first_sequence = block.sequences_before + begin;
                WARPSEQ_TRY(worker.compress(text_bytes(inner), header_level_, frame.frame));
                frame.checksum = hash_of(frame.frame);
                inner.clear();
            }
            ++ended;
            headers = ended == block.header_block_ends.size() ? &block.last_headers : &inner;
        }
        // Records are in memory in the order in which they were added, so each access goes to main
        // memory. The access is started some records ahead.
        constexpr std::size_t kAhead = 8;
        if (i + kAhead < records.size()) {
            const auto ahead = records[i + kAhead];
            __builtin_prefetch(ahead.data());
            __builtin_prefetch(ahead.data() + size_of_record(~block.heads[i + kAhead].key[0], 0));
        }
        add_sequence(block.heads[i], records[i], *headers, block, worker);
    }
    // Every word is written below, so none has to be zero before.
    if (worker.words_room < block.words) {
        worker.words = std::make_unique_for_overwrite<std::uint32_t[]>(block.words);
        worker.words_room = block.words;
    }
    std::uint32_t* place = worker.words.get();
    std::uint64_t words_before = block.words_before, residues_before = block.residues_before;
    for (const Tile& tile : block.tiles) {
        interleave(tile, worker, place);
        block.columns.tiles.push_back({words_before * sizeof(std::uint32_t), residues_before,
                                       checksum_of(place, tile.words * sizeof(std::uint32_t))});
        place += tile.words;
        words_before += tile.words;
        residues_before += tile.residues;
    }
    if (!packed()) return compress_residues(block, worker);
    return out_.write_at(
        wsdb::kHeaderBytes + block.words_before * sizeof(std::uint32_t),
        {reinterpret_cast<const std::uint8_t*>(worker.words.get()), block.words * sizeof(std::uint32_t)});
}

Status WsdbTileWriter::compress_residues(Block& block, Worker& worker) const {
    worker.raw.resize(block.residues);
    std::uint8_t* residues = worker.raw.data();
    const std::uint32_t* words = worker.words.get();
    for (const Tile& tile : block.tiles) {
        TileView view;
        view.words = {words, tile.words};
        view.layout = tile.layout;
        words += tile.words;
        std::array<std::uint64_t, kTileLanes> lengths{};
        for (std::size_t lane = 0; lane < tile.lanes; ++lane) lengths[lane] = ~block.heads[tile.first + lane].key[0];
        view.lengths_residues = std::span(lengths).first(tile.lanes);
        for (std::uint32_t lane = 0; lane < tile.lanes; residues += lengths[lane++]) unpack_lane(view, lane, residues);
    }
    WARPSEQ_TRY(worker.compress(worker.raw, kResidueCompressionLevel, block.frame));
    block.frame_checksum = hash_of(block.frame);
    return {};
}

void WsdbTileWriter::interleave(const Tile& tile, const Worker& worker, std::uint32_t* words) const {
    const bool linear = tile.layout == TileLayout::kLinear;
    const std::size_t stride = linear ? 1 : kTileLanes;
    const std::uint64_t rows = tile.words / stride;
    if (rows == 0) return;  // a tile of empty sequences has no words to point into
    for (std::size_t lane = 0; lane < stride; ++lane) {
        std::uint64_t filled = 0;
        if (lane < tile.lanes) {
            const auto own = worker.words_of[tile.first + lane];
            spread(own, words + lane, stride);
            filled = own.size() / sizeof(std::uint32_t);
        }
        for (; filled < rows; ++filled) words[filled * stride + lane] = kPaddingWord;
    }
}

Result<bool> WsdbTileWriter::enter(Block& block) {
    if (!by_name_.has_room(block.names.size(), block.name_bytes.size())) return false;
    by_name_.add_all(block.names, block.name_bytes, block.copies);
    if (taxids_ != nullptr) WARPSEQ_TRY(taxids_->add(block.taxids));
    const Columns& columns = block.columns;
    WARPSEQ_TRY(tile_index_.append(column_bytes(columns.tiles)));
    WARPSEQ_TRY(lengths_.append(column_bytes(columns.lengths)));
    WARPSEQ_TRY(input_positions_.append(wide_positions() ? column_bytes(columns.wide_input_positions)
                                                         : column_bytes(columns.input_positions)));
    XXH3_128bits_update(content_hash_.get(), columns.digests.data(),
                        columns.digests.size() * sizeof(wsdb::DigestEntry));
    enter_headers(block);
    WARPSEQ_TRY(append_header_frames());

    const wsdb::Statistics& sums = block.statistics;
    statistics_.header_bytes += sums.header_bytes;
    statistics_.residue_words += sums.residue_words;
    statistics_.padding_words += block.words - sums.residue_words;
    statistics_.empty_sequences += sums.empty_sequences;
    for (std::size_t bin = 0; bin < wsdb::kHistogramBins; ++bin)
        statistics_.length_histogram[bin] += sums.length_histogram[bin];
    // Sequences come longest first.
    if (sequences_done_ == 0) statistics_.longest_residues = columns.lengths.front();
    statistics_.shortest_residues = columns.lengths.back();

    if (packed()) {
        // The thread that packed the block has written it already.
        tiles_end_ += block.words * sizeof(std::uint32_t);
    } else {
        WARPSEQ_TRY(
            block_index_.append(object_bytes(wsdb::BlockEntry{tiles_done_, tiles_bytes(), block.frame_checksum})));
        block.frame_offset = tiles_end_;
        tiles_end_ += block.frame.size();
    }
    sequences_done_ += block.heads.size();
    tiles_done_ += block.tiles.size();
    residues_done_ += block.residues;
    packed_bytes_done_ += block.words * sizeof(std::uint32_t);
    return true;
}

/// Header blocks that begin and end in the block are frames already. One that only ends in it
/// becomes a frame when the block is left.
void WsdbTileWriter::enter_headers(Block& block) {
    open_headers_.text += block.first_headers;
    if (block.header_block_ends.empty()) return;
    block.headers = std::exchange(open_headers_, {});
    open_headers_.number = block.first_header_block + block.header_block_ends.size();
    open_headers_.first_sequence = block.sequences_before + block.header_block_ends.back();
    open_headers_.text = std::move(block.last_headers);
    const std::lock_guard lock(header_mutex_);
    std::uint64_t number = block.first_header_block;
    for (HeaderFrame& frame : block.header_frames) header_frames_.emplace(++number, std::move(frame));
}

Status WsdbTileWriter::append_header_frames() {
    for (;;) {
        HeaderFrame next;
        {
            const std::lock_guard lock(header_mutex_);
            const auto found = header_frames_.find(header_frames_done_);
            if (found == header_frames_.end()) return {};
            next = std::move(found->second);
            header_frames_.erase(found);
        }
        ++header_frames_done_;
        const wsdb::HeaderBlockEntry entry{next.first_sequence, headers_.size_bytes(), next.checksum};
        WARPSEQ_TRY(header_block_index_.append(object_bytes(entry)));
        WARPSEQ_TRY(headers_.append(next.frame));
    }
}

Status WsdbTileWriter::leave(Block& block, Worker& worker) {
    make_copies(block.copies);
    if (block.headers) {
        HeaderFrame frame{block.headers->first_sequence, {}, 0};
        WARPSEQ_TRY(worker.compress(text_bytes(block.headers->text), header_level_, frame.frame));
        frame.checksum = hash_of(frame.frame);
        const std::lock_guard lock(header_mutex_);
        header_frames_.emplace(block.headers->number, std::move(frame));
    }
    if (!packed()) WARPSEQ_TRY(out_.write_at(block.frame_offset, block.frame));
    bytes_on_their_way_ -= block.record_bytes;
    return {};
}

Status WsdbTileWriter::append_sections(WsdbSectionWriter& sections) {
    // The extra entry of each index says where the last item ends.
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
