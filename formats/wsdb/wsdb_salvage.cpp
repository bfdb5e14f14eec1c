#include "formats/wsdb/wsdb_salvage.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "formats/io/checksum.h"
#include "formats/wsdb/wsdb_wreck.h"
#include "libcore/sequence/tile_unpack.h"

namespace warpseq {
namespace {

using wsdb::SectionType;

/// Finds headers, which must be asked for in ascending order of ranks.
class WreckHeaders {
   public:
    explicit WreckHeaders(const WsdbWreck& wreck)
        : wreck_(wreck), blocks_(wreck.items(SectionType::kHeaderBlockIndex, sizeof(wsdb::HeaderBlockEntry))) {
        if (blocks_ > 0) --blocks_;  // one entry says where the last block ends
    }

    /// Returns the header of a sequence, or nothing if it is lost; why() then gives the reason.
    std::optional<std::string_view> header(std::uint64_t rank) {
        while (first_ + ends_.size() <= rank && next_block_ < blocks_) load_next();
        if (rank < first_ || rank - first_ >= ends_.size()) return std::nullopt;
        const std::uint64_t index = rank - first_;
        const std::size_t begin = index == 0 ? 0 : ends_[index - 1] + 1;
        return std::string_view(text_).substr(begin, ends_[index] - begin);
    }
    const std::string& why() const { return why_; }

   private:
    void load_next();
    bool place(std::uint64_t block, const wsdb::HeaderBlockEntry& entry, std::optional<std::uint64_t> following,
               std::uint64_t headers);

    const WsdbWreck& wreck_;
    std::uint64_t blocks_ = 0, next_block_ = 0;
    std::uint64_t first_ = 0;        // rank of the first header of the loaded block
    std::vector<std::size_t> ends_;  // ends of the headers in text_
    std::string text_;
    std::optional<std::uint64_t> sequences_before_ = 0, bytes_before_ = 0;  // of the next block, by the blocks before
    std::string why_ = "the index of headers is gone";
};

void WreckHeaders::load_next() {
    const std::uint64_t block = next_block_++;
    const std::uint64_t kept_end = first_ + ends_.size();
    ends_.clear();
    first_ = kept_end;
    const auto entry = wreck_.item<wsdb::HeaderBlockEntry>(SectionType::kHeaderBlockIndex, block);
    const auto next = wreck_.item<wsdb::HeaderBlockEntry>(SectionType::kHeaderBlockIndex, block + 1);
    const auto lose = [&](const std::string& why) {
        why_ = "header block " + std::to_string(block) + " " + why;
        sequences_before_.reset();
        bytes_before_.reset();
    };
    if (!entry) {
        next_block_ = blocks_;  // no later block has one either
        return lose("has no entry in its index any more");
    }
    std::vector<std::uint64_t> offsets = {entry->offset_bytes};
    if (bytes_before_) offsets.push_back(*bytes_before_);
    std::uint64_t end = 0;
    const auto frame = find_wreck_frame(wreck_, SectionType::kHeaders, offsets,
                                        next ? std::optional(next->offset_bytes) : std::nullopt, entry->checksum, end);
    if (!frame) return lose("is damaged");
    const auto raw = expand_wreck_frame(*frame);
    if (!raw || raw->empty() || raw->back() != static_cast<std::uint8_t>(wsdb::kHeaderEnd))
        return lose("cannot be expanded");
    const auto headers =
        static_cast<std::uint64_t>(std::ranges::count(*raw, static_cast<std::uint8_t>(wsdb::kHeaderEnd)));
    if (!place(block, *entry, next ? std::optional(next->first_sequence) : std::nullopt, headers) ||
        first_ < kept_end) {
        first_ = kept_end;
        return lose("has a damaged entry in its index");
    }
    text_.assign(raw->begin(), raw->end());
    for (std::size_t at = 0; (at = text_.find(wsdb::kHeaderEnd, at)) != std::string::npos; ++at) ends_.push_back(at);
    sequences_before_ = first_ + headers;
    bytes_before_ = end;
}

/// Finds the sequences of a block's headers. The place counts if two numbers agree on it, or if the
/// checksum of the index proves it. Returns false if neither holds.
bool WreckHeaders::place(std::uint64_t block, const wsdb::HeaderBlockEntry& entry,
                         std::optional<std::uint64_t> following, std::uint64_t headers) {
    const std::uint64_t sequences = wreck_.header().sequences;
    const auto fits = [&](std::uint64_t first) { return first <= sequences && headers <= sequences - first; };
    const bool said =
        fits(entry.first_sequence) &&
        ((following && *following == entry.first_sequence + headers) || sequences_before_ == entry.first_sequence ||
         wreck_.is_proven(SectionType::kHeaderBlockIndex, block * sizeof entry, sizeof entry));
    if (said) {
        first_ = entry.first_sequence;
        return true;
    }
    if (!sequences_before_ || !fits(*sequences_before_)) return false;
    const std::uint64_t behind = *sequences_before_ + headers;
    if (following ? behind != *following : behind != sequences) return false;
    first_ = *sequences_before_;
    return true;
}

class Salvage {
   public:
    Salvage(const WsdbWreck& wreck, const SalvageUse& use, const PositionSet* removed)
        : wreck_(wreck), use_(use), removed_(removed), headers_(wreck) {
        result_.sequences = wreck.header().sequences;
        if (removed != nullptr) result_.sequences -= std::min(result_.sequences, removed->size());
        result_.header_damage = wreck.header_damage();
        result_.header_is_lost = wreck.is_header_lost();
    }

    Result<WsdbSalvage> run() {
        WARPSEQ_TRY(wreck_.header().codec == 0 ? save_packed() : save_blocks());
        result_.unreadable_bytes = wreck_.unreadable().bytes;
        result_.first_unreadable_byte = wreck_.unreadable().first_offset_bytes;
        result_.why_unreadable = wreck_.unreadable().why;
        return std::move(result_);
    }

   private:
    struct Tile {
        std::uint64_t number = 0, first_sequence = 0;
        std::uint32_t lanes = 0;
        TileLayout layout{};
        std::optional<wsdb::TileEntry> entry, next;
        /// The lengths in LENGTHS, or empty if that section ends before the tile.
        std::vector<std::uint64_t> lengths;
    };
    Tile tile_of(std::uint64_t number) const;
    Status save_packed();
    Status save_blocks();
    bool read_packed(const Tile& tile, std::string& why);
    bool has_lengths(const Tile& tile);
    bool find_lengths(const Tile& tile);
    bool read_in_block(const Tile& tile, std::span<const std::uint8_t> residues, std::uint64_t& place,
                       std::uint64_t first_residues_before);
    bool is_tile(const Tile& tile, const std::vector<std::uint64_t>& lengths, std::span<const std::uint8_t> residues);
    Status hand_out(const Tile& tile);
    void lose(const Tile& tile, const std::string& why);
    void lose_rest(std::uint64_t first_tile, const std::string& why);
    void lose_run(std::uint64_t first, std::uint64_t end, const std::string& why);
    bool is_removed(std::uint64_t rank) const { return removed_ != nullptr && removed_->has(rank); }
    void add(WsdbLoss loss);

    const WsdbWreck& wreck_;
    const SalvageUse& use_;
    const PositionSet* removed_;  // null: none
    WreckHeaders headers_;
    WsdbSalvage result_;

    // The members below belong to the tile that was read.
    std::vector<std::uint32_t> words_;
    std::vector<std::uint64_t> lengths_;
    std::vector<ResidueCode> residues_;
    std::uint64_t words_end_ = 0;  // end of the last tile's words, in bytes
};

Salvage::Tile Salvage::tile_of(std::uint64_t number) const {
    const wsdb::FileHeader& header = wreck_.header();
    Tile tile;
    tile.number = number;
    tile.layout = number < header.linear_tiles ? TileLayout::kLinear : TileLayout::kInterleaved;
    tile.first_sequence =
        number < header.linear_tiles ? number : header.linear_tiles + (number - header.linear_tiles) * kTileLanes;
    tile.lanes =
        tile.layout == TileLayout::kLinear
            ? 1
            : static_cast<std::uint32_t>(std::min<std::uint64_t>(kTileLanes, header.sequences - tile.first_sequence));
    tile.entry = wreck_.item<wsdb::TileEntry>(SectionType::kTileIndex, number);
    tile.next = wreck_.item<wsdb::TileEntry>(SectionType::kTileIndex, number + 1);
    for (std::uint32_t lane = 0; lane < tile.lanes; ++lane) {
        const auto length = wreck_.item<std::uint32_t>(SectionType::kLengths, tile.first_sequence + lane);
        if (!length) {
            tile.lengths.clear();
            break;
        }
        tile.lengths.push_back(*length);
    }
    return tile;
}

Status Salvage::save_packed() {
    for (std::uint64_t number = 0; number < wreck_.header().tiles(); ++number) {
        const Tile tile = tile_of(number);
        if (!tile.entry) {
            lose_rest(number, "TILE_INDEX is cut off");
            break;
        }
        std::string why;
        if (read_packed(tile, why)) {
            WARPSEQ_TRY(hand_out(tile));
        } else {
            lose(tile, why);
        }
    }
    return {};
}

/// Reads words that have the tile's checksum. They are looked for where the index, its neighbours
/// or the lengths say that they are.
bool Salvage::read_packed(const Tile& tile, std::string& why) {
    const std::uint64_t all_bytes = wreck_.size_bytes(SectionType::kTiles);
    bool any_inside = false;
    for (const std::uint64_t offset : {tile.entry->offset_bytes, words_end_}) {
        std::array<std::uint64_t, 2> sizes{};
        std::size_t proposals = 0;
        if (!tile.lengths.empty())
            sizes[proposals++] = tile_words(tile.layout, tile.lengths.front()) * sizeof(std::uint32_t);
        if (tile.next && tile.next->offset_bytes >= offset) sizes[proposals++] = tile.next->offset_bytes - offset;
        for (const std::uint64_t size : std::span(sizes).first(proposals)) {
            if (offset % kTileAlignmentBytes != 0 || size % kTileAlignmentBytes != 0 || offset > all_bytes ||
                size > all_bytes - offset)
                continue;
            any_inside = true;
            words_.resize(size / sizeof(std::uint32_t));
            wreck_.read(SectionType::kTiles, offset, {reinterpret_cast<std::uint8_t*>(words_.data()), size});
            if (checksum_of(words_.data(), size) != tile.entry->checksum) continue;
            words_end_ = offset + size;
            if (has_lengths(tile) || find_lengths(tile)) return true;
            why = "tile " + std::to_string(tile.number) + " holds what no program writes";
            return false;
        }
    }
    if (tile.next && tile.next->offset_bytes <= all_bytes) words_end_ = tile.next->offset_bytes;
    why = any_inside ? "tile " + std::to_string(tile.number) + ", or its entry in TILE_INDEX, is damaged"
                     : "the file ends before its tile, or its entry in TILE_INDEX is damaged";
    return false;
}

/// Whether the words are sound with the lengths in LENGTHS.
bool Salvage::has_lengths(const Tile& tile) {
    if (tile.lengths.empty() || !std::ranges::is_sorted(tile.lengths, std::greater<>()) ||
        tile_words(tile.layout, tile.lengths.front()) != words_.size()) {
        return false;
    }
    lengths_ = tile.lengths;
    return is_sound({words_, lengths_, words_for(lengths_.front()), tile.first_sequence, tile.layout});
}

/// Finds the lengths from the padding, which shows where each sequence ends.
bool Salvage::find_lengths(const Tile& tile) {
    const std::size_t stride = tile.layout == TileLayout::kInterleaved ? kTileLanes : 1;
    lengths_.assign(tile.lanes, 0);
    for (std::size_t word = 0; word < words_.size(); ++word) {
        const std::size_t lane = word % stride;
        if (lane >= tile.lanes) continue;
        for (std::uint32_t i = 0; i < kResiduesPerWord; ++i)
            if (residue_of_word(words_[word], i) != kPaddingCode)
                lengths_[lane] = word / stride * kResiduesPerWord + i + 1;
    }
    if (!std::ranges::is_sorted(lengths_, std::greater<>()) ||
        tile_words(tile.layout, lengths_.front()) != words_.size())
        return false;
    return is_sound({words_, lengths_, words_for(lengths_.front()), tile.first_sequence, tile.layout});
}

Status Salvage::save_blocks() {
    const std::uint64_t tiles = wreck_.header().tiles();
    const std::uint64_t entries = wreck_.items(SectionType::kBlockIndex, sizeof(wsdb::BlockEntry));
    std::uint64_t next_tile = 0;
    std::optional<std::uint64_t> end_before = 0;
    for (std::uint64_t block = 0; block + 1 < entries && next_tile < tiles; ++block) {
        const auto entry = wreck_.item<wsdb::BlockEntry>(SectionType::kBlockIndex, block);
        const auto following = wreck_.item<wsdb::BlockEntry>(SectionType::kBlockIndex, block + 1);
        if (!entry) break;
        std::vector<std::uint64_t> offsets = {entry->offset_bytes};
        if (end_before) offsets.push_back(*end_before);
        std::uint64_t end = 0;
        const auto frame =
            find_wreck_frame(wreck_, SectionType::kBlocks, offsets,
                             following ? std::optional(following->offset_bytes) : std::nullopt, entry->checksum, end);
        end_before = frame ? std::optional(end) : std::nullopt;
        const auto residues = frame ? expand_wreck_frame(*frame) : std::nullopt;
        if (!residues) continue;  // its tiles are lost once a later block has begun
        // The first tile of the block is the one that its entry names, or the one behind the block
        // before.
        for (const std::uint64_t first : {entry->first_tile, next_tile}) {
            if (first < next_tile || first >= tiles) continue;
            const auto first_entry = wreck_.item<wsdb::TileEntry>(SectionType::kTileIndex, first);
            std::uint64_t place = 0, tile_number = first;
            bool any = false;
            while (tile_number < tiles && first_entry) {
                const Tile tile = tile_of(tile_number);
                const bool is_last = following && following->first_tile > first && tile_number >= following->first_tile;
                const bool is_empty = !tile.lengths.empty() && tile.lengths.front() == 0;
                if (is_last || (place >= residues->size() && !residues->empty() && any && !is_empty)) break;
                const bool found = read_in_block(tile, *residues, place, first_entry->residues_before);
                if (!found && !any && tile_number > first) break;
                if (found) {
                    for (; next_tile < tile_number; ++next_tile)
                        lose(tile_of(next_tile), "its block of residues, or the index of it, is damaged");
                    WARPSEQ_TRY(hand_out(tile));
                    next_tile = tile_number + 1;
                    any = true;
                }
                ++tile_number;
            }
            if (any) break;
        }
    }
    for (; next_tile < tiles; ++next_tile) {
        const Tile tile = tile_of(next_tile);
        if (!tile.entry) {
            lose_rest(next_tile, "TILE_INDEX is cut off");
            break;
        }
        lose(tile, "its block of residues, or the index of it, is damaged or cut off");
    }
    return {};
}

/// Finds residues of a tile in its block that have the tile's checksum when they are packed. They
/// are looked for at `place`, which is behind the tile before, and where the index has them. The
/// lengths are those of LENGTHS, or one of them is changed so that the sum is right. Advances
/// `place`.
bool Salvage::read_in_block(const Tile& tile, std::span<const std::uint8_t> residues, std::uint64_t& place,
                            std::uint64_t first_residues_before) {
    if (!tile.entry || tile.lengths.empty()) return false;
    const std::uint64_t sum = std::accumulate(tile.lengths.begin(), tile.lengths.end(), std::uint64_t{0});
    const std::uint64_t said = tile.next && tile.next->residues_before >= tile.entry->residues_before
                                   ? tile.next->residues_before - tile.entry->residues_before
                                   : sum;
    const std::uint64_t by_index = tile.entry->residues_before - first_residues_before;
    for (const std::uint64_t offset : {by_index, place}) {
        if (offset > residues.size()) continue;
        const auto rest = residues.subspan(offset);
        if (is_tile(tile, tile.lengths, rest)) {
            place = offset + sum;
            return true;
        }
        for (std::uint32_t lane = 0; lane < tile.lanes; ++lane) {
            const std::uint64_t others = sum - tile.lengths[lane];
            if (said == sum || said < others) continue;
            std::vector<std::uint64_t> lengths = tile.lengths;
            lengths[lane] = said - others;
            if (!is_tile(tile, lengths, rest)) continue;
            place = offset + said;
            return true;
        }
    }
    place = tile.next && tile.next->residues_before >= first_residues_before
                ? tile.next->residues_before - first_residues_before
                : place + sum;
    return false;
}

bool Salvage::is_tile(const Tile& tile, const std::vector<std::uint64_t>& lengths,
                      std::span<const std::uint8_t> residues) {
    if (!std::ranges::is_sorted(lengths, std::greater<>())) return false;
    std::uint64_t sum = 0;
    for (const std::uint64_t length : lengths) sum += length;
    if (sum > residues.size()) return false;  // this bounds the words, too
    residues = residues.first(sum);
    if (std::ranges::any_of(residues, [](std::uint8_t code) { return code >= kResidueCodes; })) return false;
    words_.resize(tile_words(tile.layout, lengths.front()));
    wsdb::pack_sequences(tile.layout, lengths, residues.data(), words_.data());
    if (checksum_of(words_.data(), words_.size() * sizeof(std::uint32_t)) != tile.entry->checksum) return false;
    lengths_ = lengths;
    return true;
}

Status Salvage::hand_out(const Tile& tile) {
    const std::uint64_t count = std::accumulate(lengths_.begin(), lengths_.end(), std::uint64_t{0});
    if (residues_.size() < count) residues_.resize(count);
    unpack_tile({words_, lengths_, words_for(lengths_.front()), tile.first_sequence, tile.layout}, residues_.data());
    std::span<const ResidueCode> left(residues_);
    for (std::uint32_t lane = 0; lane < tile.lanes; ++lane) {
        const std::uint64_t rank = tile.first_sequence + lane;
        const auto residues = left.first(lengths_[lane]);
        left = left.subspan(lengths_[lane]);
        if (is_removed(rank)) continue;
        const auto header = headers_.header(rank);
        if (!header) add({true, rank, 1, 0, headers_.why()});
        WARPSEQ_TRY(use_(header ? *header : "salvaged_rank_" + std::to_string(rank), residues));
        ++result_.saved_sequences;
        result_.saved_residues += residues.size();
    }
    return {};
}

void Salvage::lose(const Tile& tile, const std::string& why) {
    for (std::uint32_t lane = 0; lane < tile.lanes; ++lane) {
        const std::uint64_t rank = tile.first_sequence + lane, length = tile.lengths.empty() ? 0 : tile.lengths[lane];
        // An impossible length counts as unknown.
        if (!is_removed(rank)) add({false, rank, 1, length <= wreck_.header().longest_residues ? length : 0, why});
    }
}

/// Counts all sequences from a tile on as lost. The time depends on the length of the file,
/// whatever its header says.
void Salvage::lose_rest(std::uint64_t first_tile, const std::string& why) {
    std::uint64_t first = tile_of(first_tile).first_sequence;
    if (removed_ != nullptr) {
        removed_->for_each([&](std::uint64_t rank) {
            if (rank < first || rank >= wreck_.header().sequences) return;
            lose_run(first, rank, why);
            first = rank + 1;
        });
    }
    lose_run(first, wreck_.header().sequences, why);
}

/// Counts the ranks [first, end) as lost. None of them is removed.
void Salvage::lose_run(std::uint64_t first, std::uint64_t end, const std::string& why) {
    std::uint64_t residues = 0;
    for (std::uint64_t rank = first; rank < end; ++rank) {
        const auto length = wreck_.item<std::uint32_t>(SectionType::kLengths, rank);
        if (!length) break;
        residues += *length <= wreck_.header().longest_residues ? *length : 0;
    }
    if (first < end) add({false, first, end - first, residues, why});
}

void Salvage::add(WsdbLoss loss) {
    (loss.names_alone ? result_.lost_names : result_.lost_sequences) += loss.sequences;
    result_.lost_residues += loss.residues;
    if (!result_.losses.empty()) {
        WsdbLoss& last = result_.losses.back();
        if (last.names_alone == loss.names_alone && last.why == loss.why &&
            last.first_rank + last.sequences == loss.first_rank) {
            last.sequences += loss.sequences;
            last.residues += loss.residues;
            return;
        }
    }
    if (result_.losses.size() < WsdbSalvage::kMostLosses) result_.losses.push_back(std::move(loss));
}

}  // namespace

Result<WsdbSalvage> salvage_wsdb(const std::filesystem::path& file, const SalvageUse& use, const PositionSet* removed) {
    const auto wreck = WsdbWreck::open(file);
    if (!wreck.ok()) return wreck.status();
    return Salvage(*wreck, use, removed).run();
}

}  // namespace warpseq
