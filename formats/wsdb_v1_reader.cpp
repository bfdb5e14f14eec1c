#include "formats/wsdb_v1_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

#include "formats/checksum.h"
#include "formats/fasta.h"
#include "formats/wsdb_faults.h"
#include "formats/wsdb_layout.h"
#include "formats/xxh3_state.h"
#include "formats/zstd_frame.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

namespace {

using wsdb_v1::FileHeader;
using wsdb_v1::SectionEntry;
using wsdb_v1::SectionType;

/// Reads one tile after another, and of the headers as much as goes with it.
class SequenceReading {
   public:
    using Use = std::function<Status(const WsdbV1Sequence& sequence)>;

    SequenceReading(const WsdbV1File& file, const Use& use)
        : file_(file), use_(use), positions_(file.header().sequences), digest_(make_xxh3_state()) {
        XXH3_128bits_reset(digest_.get());
    }

    Status run() {
        for (std::uint64_t tile = 0; tile < file_.header().tiles; ++tile) WARPSEQ_TRY(read_tile(tile));
        return check_end();
    }

   private:
    Status refuse_item(SectionType type, std::uint64_t offset, std::string what, std::uint64_t expected,
                       std::uint64_t found) const {
        return file_.refuse(file_.section(type).offset_bytes + offset, std::move(what), expected, found);
    }

    Status read_tile(std::uint64_t tile);
    Status read_lengths(std::uint32_t lanes);
    Status check_entry(std::uint64_t tile, const wsdb_v1::TileEntry& entry, TileLayout layout) const;
    Status unpack_tile(std::uint64_t tile, const wsdb_v1::TileEntry& entry, TileLayout layout);
    Status take_from_block(std::uint64_t tile, const wsdb_v1::TileEntry& entry, TileLayout layout);
    Status read_block(std::uint64_t tile);
    Status hand_out(std::uint64_t rank, std::span<const ResidueCode> residues);
    Status check_position(std::uint64_t rank, std::uint64_t length, std::uint64_t& position);
    Status read_header(std::uint64_t rank, std::string_view& header);
    Status read_header_block(std::uint64_t rank);
    Status check_end();

    const WsdbV1File& file_;
    const Use& use_;

    std::vector<std::uint64_t> lengths_;  // of the tile
    std::uint64_t tile_residues_ = 0, longest_ = ~std::uint64_t{0}, next_rank_ = 0;
    std::uint64_t next_offset_ = 0;      // packed: in TILES
    std::uint64_t residues_before_ = 0;  // in all tiles before
    std::vector<std::uint32_t> words_;
    std::vector<ResidueCode> residues_;

    std::uint64_t next_block_ = 0, next_block_offset_ = 0, block_begin_ = 0, block_end_ = 0, block_tiles_end_ = 0;
    std::vector<std::uint8_t> block_, frame_;

    std::uint64_t next_header_block_ = 0, next_header_offset_ = 0, header_end_ = 0, block_last_rank_ = 0;
    std::uint64_t text_begin_ = 0;  // of text_, in all headers
    std::string text_;

    std::vector<bool> positions_;  // those that were seen
    std::uint64_t last_position_ = 0, last_length_ = ~std::uint64_t{0};
    Xxh3State digest_;
};

Status SequenceReading::read_lengths(std::uint32_t lanes) {
    lengths_.clear();
    tile_residues_ = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint64_t rank = next_rank_ + lane, at = rank * sizeof(std::uint64_t);
        const auto length = file_.item<std::uint64_t>(SectionType::kLengths, rank);
        const std::uint64_t most = rank == 0 ? file_.header().longest_residues : longest_;
        if (length > most || (rank == 0 && length != most)) {
            return file_.refuse(file_.section(SectionType::kLengths).offset_bytes + at,
                                indexed("length of sequence", rank), "at most " + std::to_string(most),
                                std::to_string(length));
        }
        longest_ = length;
        lengths_.push_back(length);
        tile_residues_ += length;
    }
    return {};
}

Status SequenceReading::check_entry(std::uint64_t tile, const wsdb_v1::TileEntry& entry, TileLayout layout) const {
    using wsdb_v1::TileEntry;
    struct Field {
        std::size_t at;
        std::string_view name;
        std::uint64_t expected, found;
    };
    for (const Field& field : std::initializer_list<Field>{
             {offsetof(TileEntry, offset), "offset", file_.is_packed() ? next_offset_ : residues_before_, entry.offset},
             {offsetof(TileEntry, word_rows), "word rows", words_for(lengths_.front()), entry.word_rows},
             {offsetof(TileEntry, first_sequence), "first sequence", next_rank_, entry.first_sequence},
             {offsetof(TileEntry, residues), "residues", tile_residues_, entry.residues},
             {offsetof(TileEntry, lanes), "lanes", lengths_.size(), entry.lanes},
             {offsetof(TileEntry, layout), "layout", static_cast<std::uint64_t>(layout), entry.layout},
         }) {
        if (field.expected == field.found) continue;
        return refuse_item(SectionType::kTileIndex, tile * sizeof entry + field.at,
                           indexed(std::string(field.name) + " of tile", tile), field.expected, field.found);
    }
    return {};
}

Status SequenceReading::read_tile(std::uint64_t tile) {
    const bool is_linear = tile < file_.header().linear_tiles;
    const auto layout = is_linear ? TileLayout::kLinear : TileLayout::kInterleaved;
    const std::uint64_t left = file_.header().sequences - next_rank_;
    WARPSEQ_TRY(read_lengths(is_linear ? 1 : static_cast<std::uint32_t>(std::min<std::uint64_t>(left, kTileLanes))));
    const auto entry = file_.item<wsdb_v1::TileEntry>(SectionType::kTileIndex, tile);
    WARPSEQ_TRY(check_entry(tile, entry, layout));
    // It bounds the memory of a tile; no program wrote others.
    if (!is_linear && lengths_.front() > wsdb::kAlwaysLinearResidues) {
        return file_.refuse(
            file_.section(SectionType::kTileIndex).offset_bytes + tile * sizeof entry, indexed("layout of tile", tile),
            "linear, as its sequence has more than " + std::to_string(wsdb::kAlwaysLinearResidues) + " residues",
            "interleaved");
    }
    WARPSEQ_TRY(file_.is_packed() ? unpack_tile(tile, entry, layout) : take_from_block(tile, entry, layout));
    residues_before_ += tile_residues_;
    next_rank_ += lengths_.size();
    return {};
}

Status SequenceReading::unpack_tile(std::uint64_t tile, const wsdb_v1::TileEntry& entry, TileLayout layout) {
    const auto all = file_.bytes_of(SectionType::kTiles);
    const std::uint64_t words = tile_words(layout, lengths_.front());
    const std::uint64_t at = file_.section(SectionType::kTiles).offset_bytes + next_offset_;
    if (words > (all.size() - next_offset_) / sizeof(std::uint32_t)) {
        return file_.refuse(at, indexed("size of tile", tile),
                            "at most " + std::to_string(all.size() - next_offset_) + " bytes",
                            std::to_string(words) + " words");
    }
    const std::uint64_t size_bytes = words * sizeof(std::uint32_t);
    if (words_.size() < words) words_.resize(words);
    if (words > 0) std::memcpy(words_.data(), all.data() + next_offset_, size_bytes);
    next_offset_ += size_bytes;
    const std::uint64_t checksum = checksum_of(words_.data(), size_bytes);
    if (checksum != entry.checksum)
        return file_.refuse_checksum(at, indexed("tile", tile) + " is damaged", entry.checksum, checksum);
    TileView view;
    view.words = std::span<const std::uint32_t>(words_).first(words);
    view.lengths_residues = lengths_;
    view.word_rows = entry.word_rows;
    view.first_sequence = next_rank_;
    view.layout = layout;
    if (!is_sound(view))
        return file_.refuse(at, indexed("residue codes of tile", tile), "0 to 26, and 31 behind them", "others");
    if (residues_.size() < lengths_.front()) residues_.resize(lengths_.front());
    for (std::uint32_t lane = 0; lane < view.lanes(); ++lane) {
        unpack_lane(view, lane, residues_.data());
        WARPSEQ_TRY(hand_out(next_rank_ + lane, std::span<const ResidueCode>(residues_).first(lengths_[lane])));
    }
    return {};
}

Status SequenceReading::read_block(std::uint64_t tile) {
    const std::uint64_t index = next_block_++;
    const std::uint64_t blocks = file_.section(SectionType::kBlockIndex).items;
    if (index >= blocks) return refuse_item(SectionType::kBlockIndex, 0, "blocks of all tiles", index + 1, blocks);
    const auto entry = file_.item<wsdb_v1::BlockEntry>(SectionType::kBlockIndex, index);
    const std::uint64_t at = index * sizeof entry;
    if (entry.first_tile != tile)
        return refuse_item(SectionType::kBlockIndex, at, indexed("first tile of block", index), tile, entry.first_tile);
    if (entry.tiles == 0 || entry.tiles > file_.header().tiles - tile) {
        return file_.refuse(file_.section(SectionType::kBlockIndex).offset_bytes + at, indexed("tiles of block", index),
                            "1 to " + std::to_string(file_.header().tiles - tile), std::to_string(entry.tiles));
    }
    const auto all = file_.bytes_of(SectionType::kBlocks);
    if (entry.offset_bytes != next_block_offset_) {
        return refuse_item(SectionType::kBlockIndex, at, indexed("offset of block", index), next_block_offset_,
                           entry.offset_bytes);
    }
    if (entry.size_bytes > all.size() - next_block_offset_) {
        return refuse_item(SectionType::kBlockIndex, at, indexed("size of block", index),
                           all.size() - next_block_offset_, entry.size_bytes);
    }
    WsdbFaults faults(false);
    if (!expand_zstd_frame(all.subspan(next_block_offset_, entry.size_bytes), frame_, entry.residues, entry.checksum,
                           file_.section(SectionType::kBlocks).offset_bytes + next_block_offset_,
                           indexed("block", index), faults, [&](std::uint64_t size) {
                               block_.resize(size);
                               return block_.data();
                           }))
        return file_.status_of(faults);
    next_block_offset_ += entry.size_bytes;
    block_begin_ = residues_before_;
    block_end_ = residues_before_ + entry.residues;
    block_tiles_end_ = tile + entry.tiles;
    if (std::ranges::all_of(block_, [](std::uint8_t code) { return code < kResidueCodes; })) return {};
    return file_.refuse(file_.section(SectionType::kBlocks).offset_bytes + entry.offset_bytes,
                        indexed("residue codes of block", index), "0 to 26", "others");
}

Status SequenceReading::take_from_block(std::uint64_t tile, const wsdb_v1::TileEntry& entry, TileLayout layout) {
    if (tile == block_tiles_end_) WARPSEQ_TRY(read_block(tile));
    const bool ends = tile + 1 == block_tiles_end_;
    if (tile_residues_ > block_end_ - residues_before_ || (ends && tile_residues_ != block_end_ - residues_before_)) {
        return refuse_item(SectionType::kBlockIndex, (next_block_ - 1) * sizeof(wsdb_v1::BlockEntry),
                           indexed("residues of block", next_block_ - 1),
                           residues_before_ + tile_residues_ - block_begin_, block_end_ - block_begin_);
    }
    const auto codes = std::span<const std::uint8_t>(block_).subspan(residues_before_ - block_begin_, tile_residues_);
    const std::uint64_t words = tile_words(layout, lengths_.front());
    if (words_.size() < words) words_.resize(words);
    wsdb::pack_sequences(layout, lengths_, codes.data(), words_.data());
    const std::uint64_t checksum = checksum_of(words_.data(), words * sizeof(std::uint32_t));
    if (checksum != entry.checksum) {
        return file_.refuse_checksum(file_.section(SectionType::kTileIndex).offset_bytes + tile * sizeof entry,
                                     indexed("tile", tile) + " is damaged", entry.checksum, checksum);
    }
    std::uint64_t begin = 0;
    for (std::size_t lane = 0; lane < lengths_.size(); ++lane) {
        WARPSEQ_TRY(hand_out(next_rank_ + lane, codes.subspan(begin, lengths_[lane])));
        begin += lengths_[lane];
    }
    return {};
}

Status SequenceReading::check_position(std::uint64_t rank, std::uint64_t length, std::uint64_t& position) {
    position = file_.item<std::uint64_t>(SectionType::kInputPositions, rank);
    const bool fits = position < file_.header().sequences;
    if (!fits || positions_[position] || (length == last_length_ && position < last_position_)) {
        return file_.refuse(file_.section(SectionType::kInputPositions).offset_bytes + rank * sizeof position,
                            indexed("input position of sequence", rank),
                            !fits ? "below " + std::to_string(file_.header().sequences)
                                  : "one that no other has, and more than that of a sequence of the same length before",
                            std::to_string(position));
    }
    positions_[position] = true;
    last_position_ = position;
    last_length_ = length;
    return {};
}

Status SequenceReading::read_header_block(std::uint64_t rank) {
    using wsdb_v1::HeaderBlockEntry;
    const std::uint64_t index = next_header_block_++;
    const std::uint64_t blocks = file_.section(SectionType::kHeaderBlockIndex).items;
    if (index >= blocks)
        return refuse_item(SectionType::kHeaderBlockIndex, 0, "header blocks of all sequences", index + 1, blocks);
    const auto entry = file_.item<HeaderBlockEntry>(SectionType::kHeaderBlockIndex, index);
    const std::uint64_t at = index * sizeof entry;
    const auto all = file_.bytes_of(SectionType::kHeaders);
    const auto refuse = [&](std::string_view name, std::uint64_t expected, std::uint64_t found) {
        return refuse_item(SectionType::kHeaderBlockIndex, at, indexed(std::string(name) + " of header block", index),
                           expected, found);
    };
    if (entry.first_sequence != rank) return refuse("first sequence", rank, entry.first_sequence);
    if (entry.raw_offset != header_end_) return refuse("raw offset", header_end_, entry.raw_offset);
    if (entry.offset_bytes != next_header_offset_) return refuse("offset", next_header_offset_, entry.offset_bytes);
    if (entry.size_bytes > all.size() - next_header_offset_)
        return refuse("size", all.size() - next_header_offset_, entry.size_bytes);
    // A block's end is where the next one begins, so what it expands to is known twice.
    block_last_rank_ = file_.header().sequences;
    if (index + 1 < blocks) {
        const auto next = file_.item<HeaderBlockEntry>(SectionType::kHeaderBlockIndex, index + 1);
        if (next.first_sequence <= rank || next.first_sequence >= file_.header().sequences) {
            return file_.refuse(
                file_.section(SectionType::kHeaderBlockIndex).offset_bytes + at + sizeof entry,
                indexed("first sequence of header block", index + 1),
                "more than " + std::to_string(rank) + ", below " + std::to_string(file_.header().sequences),
                std::to_string(next.first_sequence));
        }
        block_last_rank_ = next.first_sequence;
    }
    WsdbFaults faults(false);
    if (!expand_zstd_frame(all.subspan(next_header_offset_, entry.size_bytes), frame_, entry.raw_bytes, entry.checksum,
                           file_.section(SectionType::kHeaders).offset_bytes + next_header_offset_,
                           indexed("header block", index), faults, [&](std::uint64_t size) {
                               text_.resize(size);
                               return text_.data();
                           }))
        return file_.status_of(faults);
    next_header_offset_ += entry.size_bytes;
    text_begin_ = header_end_;
    return {};
}

Status SequenceReading::read_header(std::uint64_t rank, std::string_view& header) {
    const auto refuse = [&](std::uint64_t of_rank, std::string expected, std::uint64_t found) {
        return file_.refuse(file_.section(SectionType::kHeaderOffsets).offset_bytes + of_rank * sizeof(std::uint64_t),
                            indexed("header offset of sequence", of_rank), std::move(expected), std::to_string(found));
    };
    const auto begin = file_.item<std::uint64_t>(SectionType::kHeaderOffsets, rank);
    if (begin != header_end_) return refuse(rank, std::to_string(header_end_), begin);
    if (rank == block_last_rank_) WARPSEQ_TRY(read_header_block(rank));
    const auto end = file_.item<std::uint64_t>(SectionType::kHeaderOffsets, rank + 1);
    const std::uint64_t text_end = text_begin_ + text_.size();
    if (end < begin || end > text_end || (rank + 1 == block_last_rank_ && end != text_end))
        return refuse(rank + 1, std::to_string(begin) + " to " + std::to_string(text_end), end);
    header = std::string_view(text_).substr(begin - text_begin_, end - begin);
    header_end_ = end;
    if (header.find_first_of("\r\n") == header.npos && !identifier_of(header).empty()) return {};
    return file_.refuse(file_.section(SectionType::kHeaders).offset_bytes, indexed("header of sequence", rank),
                        "a line that begins with an identifier", "something else");
}

Status SequenceReading::hand_out(std::uint64_t rank, std::span<const ResidueCode> residues) {
    WsdbV1Sequence sequence;
    sequence.residues = residues;
    WARPSEQ_TRY(check_position(rank, residues.size(), sequence.position));
    WARPSEQ_TRY(read_header(rank, sequence.header));
    const wsdb::DigestEntry entry{residues.size(), checksum_of(residues.data(), residues.size()),
                                  checksum_of(sequence.header.data(), sequence.header.size())};
    XXH3_128bits_update(digest_.get(), &entry, sizeof entry);
    sequence.bytes_read = file_.is_packed() ? next_offset_ : next_block_offset_;
    return use_(sequence);
}

Status SequenceReading::check_end() {
    WARPSEQ_TRY(file_.verify_not_cut());
    const auto refuse_rest = [&](SectionType type, std::uint64_t used) {
        const SectionEntry& entry = file_.section(type);
        return file_.refuse(entry.offset_bytes + used,
                            "bytes of " + WsdbV1File::section_text(type) + " that belong to nothing", 0,
                            entry.size_bytes - used);
    };
    if (file_.is_packed() && next_offset_ != file_.section(SectionType::kTiles).size_bytes)
        return refuse_rest(SectionType::kTiles, next_offset_);
    if (next_block_offset_ != file_.section(SectionType::kBlocks).size_bytes)
        return refuse_rest(SectionType::kBlocks, next_block_offset_);
    if (next_header_offset_ != file_.section(SectionType::kHeaders).size_bytes)
        return refuse_rest(SectionType::kHeaders, next_header_offset_);
    if (residues_before_ != file_.header().residues) {
        return file_.refuse(offsetof(FileHeader, residues), "number of residues", residues_before_,
                            file_.header().residues);
    }
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(digest_.get()));
    if (std::memcmp(digest.digest, file_.header().content_digest.data(), sizeof digest.digest) == 0) return {};
    std::array<std::uint8_t, 16> found;
    std::memcpy(found.data(), digest.digest, found.size());
    return file_.refuse(offsetof(FileHeader, content_digest), "digest of the content",
                        wsdb::digest_text(file_.header().content_digest), wsdb::digest_text(found));
}

}  // namespace

Status read_wsdb_v1(const WsdbV1File& file, const std::function<Status(const WsdbV1Sequence& sequence)>& use) {
    return SequenceReading(file, use).run();
}

}  // namespace warpseq
