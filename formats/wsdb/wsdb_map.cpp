// Implements the map of a database file: its sections, copies of entries of the index, and the
// check whether the file is still what it was. wsdb_header_check.cpp and wsdb_index_check.cpp check
// it. wsdb_blocks.cpp expands compressed blocks.
#include "formats/wsdb/wsdb_map.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "formats/io/checksum.h"

namespace warpseq {

namespace {

/// The hints that follow the place and the kind of a fault in a message.
constexpr std::string_view kSalvageHint = "; inspect salvage writes its undamaged sequences as FASTA";
constexpr std::string_view kChangedHint = "; the file was written to while it was read, so run the command again";

}  // namespace

WsdbReader::Map::~Map() {
    if (descriptor >= 0) close(descriptor);
}

Result<std::unique_ptr<WsdbReader::Map>> WsdbReader::Map::map_file(const std::filesystem::path& file) {
    auto mapped = MappedFile::open(file);
    if (!mapped.ok()) return mapped.status();
    return of(*std::move(mapped), file);
}

std::unique_ptr<WsdbReader::Map> WsdbReader::Map::of(MappedFile mapped, const std::filesystem::path& file) {
    auto map = std::make_unique<Map>();
    map->file = file;
    map->mapped = std::move(mapped);
    map->bytes = map->mapped.bytes();
    return map;
}

std::span<const std::uint8_t> WsdbReader::Map::section_bytes(wsdb::SectionType type) const {
    const wsdb::SectionEntry& entry = section(type);
    return bytes.subspan(entry.offset_bytes, entry.size_bytes);
}

// Sections begin at multiples of 4096 bytes, the smallest size of a page. With larger pages the
// system follows the hint as far as it can, or refuses it.
void WsdbReader::Map::begin_stretch(wsdb::SectionType type, std::uint64_t offset_bytes,
                                    std::uint64_t size_bytes) const {
    const std::uint64_t begin = offset_bytes / wsdb::kSectionAlignmentBytes * wsdb::kSectionAlignmentBytes;
    const auto in_map = section_bytes(type).subspan(begin, offset_bytes + size_bytes - begin);
    if (!in_map.empty()) madvise(const_cast<std::uint8_t*>(in_map.data()), in_map.size(), MADV_POPULATE_READ);
}

void WsdbReader::Map::end_stretch(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    const std::uint64_t begin = wsdb::align_up(offset_bytes, wsdb::kSectionAlignmentBytes);
    const std::uint64_t end = (offset_bytes + size_bytes) / wsdb::kSectionAlignmentBytes * wsdb::kSectionAlignmentBytes;
    if (begin < end) madvise(const_cast<std::uint8_t*>(section_bytes(type).data() + begin), end - begin, MADV_DONTNEED);
}

bool WsdbReader::Map::check_block_checksum(const wsdb::SectionEntry& entry, std::uint64_t first_number,
                                           std::uint64_t block, WsdbFaults& faults) const {
    const std::uint64_t offset = block * wsdb::kChecksumBlockBytes;
    const std::uint64_t number = first_number + block;
    const std::uint64_t size = std::min(wsdb::kChecksumBlockBytes, entry.size_bytes - offset);
    const std::uint64_t found = checksum_of(bytes.data() + entry.offset_bytes + offset, size);
    if (found == checksums[number]) return true;
    faults.add_checksum(
        entry.offset_bytes + offset,
        "section " + std::string(section_name(static_cast<wsdb::SectionType>(entry.type))) + " is damaged",
        checksums[number], found);
    return false;
}

bool WsdbReader::Map::check_bytes(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                                  WsdbFaults& faults) const {
    if (size_bytes == 0) return true;
    const wsdb::SectionEntry& entry = section(type);
    const std::uint64_t first = first_checksum[entry.type];
    const std::uint64_t last = first + (offset_bytes + size_bytes - 1) / wsdb::kChecksumBlockBytes;
    for (std::uint64_t number = first + offset_bytes / wsdb::kChecksumBlockBytes; number <= last; ++number) {
        std::atomic<std::uint64_t>& word = checked[number / 64];
        const std::uint64_t bit = std::uint64_t{1} << (number % 64);
        if ((word.load(std::memory_order_relaxed) & bit) != 0) continue;
        if (!check_block_checksum(entry, first, number - first, faults)) return false;
        word.fetch_or(bit, std::memory_order_relaxed);
    }
    return true;
}

Result<std::string> WsdbReader::Map::section_copy(wsdb::SectionType type) const {
    const auto in_map = section_bytes(type);
    std::string copy(reinterpret_cast<const char*>(in_map.data()), in_map.size());
    WsdbFaults faults(false);
    const std::uint64_t first = first_checksum[static_cast<std::size_t>(type)];
    for (std::uint64_t block = 0; block < wsdb::checksum_blocks(copy.size()); ++block) {
        const std::uint64_t offset = block * wsdb::kChecksumBlockBytes;
        const auto size = std::min<std::uint64_t>(wsdb::kChecksumBlockBytes, copy.size() - offset);
        if (checksum_of(copy.data() + offset, size) == checksums[first + block]) continue;
        if (check_block_checksum(section(type), first, block, faults))
            faults.add_changed(section(type).offset_bytes, "section " + std::string(section_name(type)));
        return status_of(faults);
    }
    return copy;
}

Result<wsdb::Statistics> WsdbReader::Map::statistics() const {
    const auto copy = section_copy(wsdb::SectionType::kStatistics);
    if (!copy.ok()) return copy.status();
    wsdb::Statistics statistics{};
    std::memcpy(&statistics, copy->data(), sizeof statistics);
    return statistics;
}

Result<std::string> WsdbReader::Map::provenance() const { return section_copy(wsdb::SectionType::kProvenance); }

Result<std::uint64_t> WsdbReader::Map::items(const wsdb::SectionEntry& entry) const {
    switch (static_cast<wsdb::SectionType>(entry.type)) {
        case wsdb::SectionType::kTiles:
        case wsdb::SectionType::kTileIndex: return tile_count();
        case wsdb::SectionType::kBlocks:
        case wsdb::SectionType::kBlockIndex: return block_count();
        case wsdb::SectionType::kHeaders:
        case wsdb::SectionType::kHeaderBlockIndex: return header_block_count();
        case wsdb::SectionType::kLengths:
        case wsdb::SectionType::kInputPositions:
        case wsdb::SectionType::kTaxids: return header.sequences;
        case wsdb::SectionType::kNameIndex: return names.size();
        case wsdb::SectionType::kChecksums: return checksums.size();
        case wsdb::SectionType::kStatistics:
        case wsdb::SectionType::kProvenance: return std::uint64_t{1};
        case wsdb::SectionType::kTaxonomy: {
            const auto text = section_copy(wsdb::SectionType::kTaxonomy);
            if (!text.ok()) return text.status();
            return static_cast<std::uint64_t>(std::ranges::count(*text, '\n'));
        }
    }
    return std::uint64_t{1};
}

bool WsdbReader::Map::has_changed() const { return !is_private && FileStamp::of(file) != mapped.stamp(); }

Status WsdbReader::Map::lost_status() const {
    const std::optional<FileStamp> now = FileStamp::of(file);
    if (now && now->is_same_file(mapped.stamp()) && now->size_bytes >= bytes.size()) {
        return Status::io(file.string() + ": byte " + std::to_string(mapped.lost_offset_bytes()) +
                          ": cannot be read, its disk has failed there; nothing that was computed from the file can be "
                          "trusted" +
                          std::string(kSalvageHint));
    }
    return Status::io(file.string() +
                      ": was cut short while it was read; nothing that was computed from it can be trusted; run the "
                      "command again when the file is complete");
}

Status WsdbReader::Map::changed_status() const {
    if (mapped.lost()) return lost_status();
    return Status::io(file.string() +
                      ": was written to while it was read; nothing that was computed from it can be trusted; run the "
                      "command again, and replace a database only by renaming another one over it");
}

Status WsdbReader::Map::status_of(const WsdbFaults& faults) const {
    if (mapped.lost()) return lost_status();
    Status status = fault_status(file, faults.list().front());
    // A file cannot be salvaged if it is no database of this version or not enough of one.
    if (header.magic != wsdb::kMagic || header.version_major != wsdb::kVersionMajor) return status;
    return {status.code(), status.message() + std::string(has_changed() ? kChangedHint : kSalvageHint)};
}

Status WsdbReader::Map::damaged_tile_status(std::uint64_t tile, std::uint64_t expected, std::uint64_t found) const {
    WsdbFaults faults(false);
    faults.add_checksum(tile_file_offset(tile), "tile " + std::to_string(tile) + " is damaged", expected, found);
    return status_of(faults);
}

void WsdbReader::Map::mark_tile_read(std::uint64_t tile) const {
    std::atomic<std::uint64_t>& word = tiles_read[tile / 64];
    const std::uint64_t bit = std::uint64_t{1} << (tile % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

Status WsdbReader::Map::check_words(std::uint64_t tile, const WsdbTile& entry) const {
    const TileView view = entry.view(packed_words(entry));
    const std::uint64_t checksum = checksum_of(view.words.data(), view.words.size_bytes());
    if (checksum != entry.checksum) return damaged_tile_status(tile, entry.checksum, checksum);
    // The codes are checked, too, because programs that repair checksums exist and kernels and
    // reports rely on letters.
    if (is_sound(view)) return {};
    if (mapped.lost()) return lost_status();
    return Status::invalid_input(
        file.string() + ": byte " + std::to_string(tile_file_offset(tile)) + ": tile " + std::to_string(tile) +
        " holds invalid residue codes or wrong padding; make the database again; inspect validate shows the "
        "details");
}

void WsdbReader::Map::keep_failure(const WsdbFaults& faults) const {
    const std::lock_guard lock(failure_mutex);
    if (failure.ok()) failure = status_of(faults);
}

// Blocks and headers are not checked again. They are copied before their checksums are checked, and
// only the copy is used.
Status WsdbReader::Map::verify_unchanged(const ThreadPool& pool) const {
    {
        const std::lock_guard lock(failure_mutex);
        if (mapped.lost()) return lost_status();
        WARPSEQ_TRY(failure);
    }
    if (is_private) return {};
    const auto refuse = [this](const WsdbFaults& faults) {
        return has_changed() ? changed_status() : status_of(faults);
    };
    const Status tiles_status = pool.parallel_for(tiles_read.size(), [&](std::uint64_t group, unsigned) -> Status {
        for (std::uint64_t read = tiles_read[group]; read != 0; read &= read - 1) {
            const std::uint64_t number = group * 64 + static_cast<std::uint64_t>(std::countr_zero(read));
            WsdbTile tile;
            WsdbFaults faults(false);
            if (!read_tile(number, tile, faults)) return refuse(faults);
            const std::uint64_t found = checksum_of(packed_words(tile), tile.words() * sizeof(std::uint32_t));
            if (found != tile.checksum)
                return has_changed() ? changed_status() : damaged_tile_status(number, tile.checksum, found);
        }
        return {};
    });
    // The index is checked after the tiles, because it holds their checksums.
    Status index_status;
    if (tiles_status.ok()) {
        index_status = pool.parallel_for(checked.size(), [&](std::uint64_t group, unsigned) -> Status {
            for (std::uint64_t used = checked[group]; used != 0; used &= used - 1) {
                const std::uint64_t number = group * 64 + static_cast<std::uint64_t>(std::countr_zero(used));
                WsdbFaults faults(false);
                const wsdb::SectionEntry& entry = section_of_checksum(number);
                const std::uint64_t first = first_checksum[entry.type];
                // It was sound when it was used.
                if (!check_block_checksum(entry, first, number - first, faults)) return changed_status();
            }
            return {};
        });
    }
    if (mapped.lost()) return lost_status();
    return tiles_status.ok() ? index_status : tiles_status;
}

const wsdb::SectionEntry& WsdbReader::Map::section_of_checksum(std::uint64_t number) const {
    const wsdb::SectionEntry* owner = nullptr;
    for (const wsdb::SectionEntry& entry : sections) {
        if (entry.type != 0 && wsdb::is_in_checksums(entry.type) && number >= first_checksum[entry.type] &&
            number - first_checksum[entry.type] < wsdb::checksum_blocks(entry.size_bytes))
            owner = &entry;
    }
    assert(owner != nullptr);
    return *owner;
}

WsdbNumbers WsdbReader::Map::lengths() const {
    return numbers(wsdb::SectionType::kLengths, sizeof(std::uint32_t), header.longest_residues);
}

WsdbNumbers WsdbReader::Map::input_positions() const {
    const bool wide = (header.required_features & wsdb::feature::kWideInputPositions) != 0;
    return numbers(wsdb::SectionType::kInputPositions, wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t),
                   header.sequences - 1);
}

WsdbNumbers WsdbReader::Map::numbers(wsdb::SectionType type, std::uint32_t width_bytes, std::uint64_t most) const {
    WsdbNumbers numbers;
    numbers.map_ = this;
    numbers.bytes_ = section_bytes(type).data();
    numbers.checked_ = checked.data();
    numbers.section_ = static_cast<std::uint32_t>(type);
    numbers.first_block_ = first_checksum[numbers.section_];
    numbers.size_ = header.sequences;
    numbers.most_ = most;
    numbers.width_bytes_ = width_bytes;
    return numbers;
}

WsdbNumbers WsdbNumbers::subspan(std::uint64_t first, std::uint64_t count) const {
    assert(first <= size_ && count <= size_ - first);
    WsdbNumbers part = *this;
    part.first_ += first;
    part.size_ = count;
    return part;
}

void WsdbNumbers::check(std::uint64_t index) const {
    WsdbFaults faults(false);
    if (!map_->check_bytes(static_cast<wsdb::SectionType>(section_), (first_ + index) * width_bytes_, width_bytes_,
                           faults))
        map_->keep_failure(faults);
}

std::uint64_t WsdbNumbers::refuse(std::uint64_t index, std::uint64_t value) const {
    WsdbFaults faults(false);
    const auto type = static_cast<wsdb::SectionType>(section_);
    faults.add_number(map_->section(type).offset_bytes + (first_ + index) * width_bytes_,
                      std::string(type == wsdb::SectionType::kLengths ? "length" : "input position") + " of sequence " +
                          std::to_string(first_ + index) + ", which is at most",
                      most_, value);
    map_->keep_failure(faults);
    return most_;
}

std::uint64_t WsdbReader::Map::tile_of_sequence(std::uint64_t rank) const {
    if (rank < header.linear_tiles) return rank;
    return header.linear_tiles + (rank - header.linear_tiles) / kTileLanes;
}

std::uint64_t WsdbReader::Map::first_sequence_of(std::uint64_t tile) const {
    if (tile < header.linear_tiles) return tile;
    return header.linear_tiles + (tile - header.linear_tiles) * kTileLanes;
}

std::uint32_t WsdbReader::Map::lanes_of(std::uint64_t tile) const {
    if (tile < header.linear_tiles) return 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(kTileLanes, header.sequences - first_sequence_of(tile)));
}

TileLayout WsdbReader::Map::layout_of(std::uint64_t tile) const {
    return tile < header.linear_tiles ? TileLayout::kLinear : TileLayout::kInterleaved;
}

std::uint64_t WsdbReader::Map::tile_bytes(std::uint64_t tile) const {
    // The first lane is the longest. Its length is never more than the header's longest.
    return tile_words(layout_of(tile), lengths()[first_sequence_of(tile)]) * sizeof(std::uint32_t);
}

std::uint64_t WsdbReader::Map::tile_residues(std::uint64_t tile) const {
    WsdbFaults faults(false);
    wsdb::TileEntry entry{}, next{};
    const std::uint64_t most = lanes_of(tile) * header.longest_residues;
    if (read_entry(tile, entry, faults) && read_entry(tile + 1, next, faults) &&
        next.residues_before - entry.residues_before <= most)
        return next.residues_before - entry.residues_before;
    if (!faults.any()) {
        faults.add_number(section(wsdb::SectionType::kTileIndex).offset_bytes + tile * sizeof entry,
                          "residues of tile " + std::to_string(tile) + ", which are at most", most,
                          next.residues_before - entry.residues_before);
    }
    keep_failure(faults);
    return most;
}

std::uint64_t WsdbReader::Map::packed_bytes(std::uint64_t first, std::uint64_t count) const {
    if (count == 0) return 0;
    WsdbFaults faults(false);
    wsdb::TileEntry begin{}, end{};
    const std::uint64_t most = tile_words(TileLayout::kInterleaved, header.longest_residues) * sizeof(std::uint32_t);
    if (read_entry(first, begin, faults) && read_entry(first + count, end, faults) &&
        begin.offset_bytes <= end.offset_bytes && (end.offset_bytes - begin.offset_bytes) / count <= most)
        return end.offset_bytes - begin.offset_bytes;
    if (!faults.any()) {
        faults.add_number(section(wsdb::SectionType::kTileIndex).offset_bytes + first * sizeof begin,
                          "bytes of each of " + std::to_string(count) + " tiles, which are at most", most,
                          (end.offset_bytes - begin.offset_bytes) / count);
    }
    keep_failure(faults);
    return std::min(most, wsdb::kMaxResidues / count) * count;
}

std::uint64_t WsdbReader::Map::residues_of(std::uint64_t first, std::uint64_t count) const {
    if (count == 0) return 0;
    WsdbFaults faults(false);
    wsdb::TileEntry begin{}, end{};
    if (read_entry(first, begin, faults) && read_entry(first + count, end, faults) &&
        begin.residues_before <= end.residues_before && end.residues_before <= header.residues)
        return end.residues_before - begin.residues_before;
    if (!faults.any()) {
        faults.add_number(section(wsdb::SectionType::kTileIndex).offset_bytes + first * sizeof begin,
                          "residues of " + std::to_string(count) + " tiles, which are at most", header.residues,
                          end.residues_before - begin.residues_before);
    }
    keep_failure(faults);
    return header.residues;
}

std::uint64_t WsdbReader::Map::block_of_tile(std::uint64_t tile) const {
    const auto real = blocks.first(block_count());
    const auto after = std::ranges::upper_bound(real, tile, {}, &wsdb::BlockEntry::first_tile);
    return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(after - real.begin(), 1)) - 1;
}

std::uint64_t WsdbReader::Map::block_of_header(std::uint64_t rank) const {
    const auto real = header_blocks.first(header_block_count());
    const auto after = std::ranges::upper_bound(real, rank, {}, &wsdb::HeaderBlockEntry::first_sequence);
    return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(after - real.begin(), 1)) - 1;
}

bool WsdbReader::Map::read_entry(std::uint64_t tile, wsdb::TileEntry& copy, WsdbFaults& faults) const {
    if (!check_bytes(wsdb::SectionType::kTileIndex, tile * sizeof copy, sizeof copy, faults)) return false;
    copy = copy_of(tiles[tile]);
    return true;
}

bool WsdbReader::Map::read_name(std::uint64_t index, wsdb::NameEntry& copy, WsdbFaults& faults) const {
    if (!check_bytes(wsdb::SectionType::kNameIndex, index * sizeof copy, sizeof copy, faults)) return false;
    copy = copy_of(names[index]);
    return true;
}

Status WsdbReader::Map::append_ranks_of_name(std::uint64_t hash, std::uint64_t& first, std::uint64_t end,
                                             std::vector<std::uint64_t>& ranks) const {
    WsdbFaults faults(false);
    wsdb::NameEntry entry{};
    while (first < end) {
        const std::uint64_t middle = first + (end - first) / 2;
        if (!read_name(middle, entry, faults)) return status_of(faults);
        if (entry.hash < hash) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    for (; first < names.size(); ++first) {
        if (!read_name(first, entry, faults)) return status_of(faults);
        if (entry.hash != hash) break;
        if (entry.rank >= header.sequences) {
            faults.add(section(wsdb::SectionType::kNameIndex).offset_bytes, "rank in NAME_INDEX",
                       "below " + std::to_string(header.sequences), std::to_string(entry.rank));
            return status_of(faults);
        }
        ranks.push_back(entry.rank);
    }
    return {};
}

bool WsdbReader::Map::read_tile(std::uint64_t tile, WsdbTile& copy, WsdbFaults& faults) const {
    wsdb::TileEntry entry{}, next{};
    if (!read_entry(tile, entry, faults) || !read_entry(tile + 1, next, faults)) return false;
    copy.offset_bytes = entry.offset_bytes;
    copy.residues_before = entry.residues_before;
    copy.first_sequence = first_sequence_of(tile);
    copy.residues = next.residues_before - entry.residues_before;
    copy.checksum = entry.checksum;
    copy.lanes = lanes_of(tile);
    copy.layout = layout_of(tile);
    if (!check_bytes(wsdb::SectionType::kLengths, copy.first_sequence * sizeof(std::uint32_t),
                     copy.lanes * sizeof(std::uint32_t), faults))
        return false;
    const auto* const in_map =
        reinterpret_cast<const std::uint32_t*>(section_bytes(wsdb::SectionType::kLengths).data()) + copy.first_sequence;
    std::uint64_t before = header.longest_residues, residues = 0;
    bool descend = true;
    for (std::uint32_t lane = 0; lane < copy.lanes; ++lane) {
        const std::uint64_t length = copy_of(in_map[lane]);
        descend = descend && length <= before;
        copy.lengths_residues[lane] = before = length;
        residues += length;
    }
    copy.word_rows = words_for(copy.lengths_residues.front());
    // Descending lengths are at most the longest, so the sums below cannot overflow.
    if (descend && residues == copy.residues && entry.residues_before <= header.residues) {
        const std::uint64_t tile_bytes = copy.words() * sizeof(std::uint32_t);
        const std::uint64_t stored_bytes =
            codec() == ResidueCodec::kPacked ? section(wsdb::SectionType::kTiles).size_bytes : next.offset_bytes;
        if (copy.offset_bytes % kTileAlignmentBytes == 0 && next.offset_bytes - entry.offset_bytes == tile_bytes &&
            copy.offset_bytes <= stored_bytes && tile_bytes <= stored_bytes - copy.offset_bytes)
            return true;
    }
    faults.add(section(wsdb::SectionType::kTileIndex).offset_bytes + tile * sizeof entry,
               indexed("entry of tile", tile), "what follows from the lengths of its sequences, which descend",
               "something else");
    return false;
}

bool WsdbReader::Map::read_block(std::uint64_t block, Frame& copy, WsdbFaults& faults) const {
    if (!use_blocks(faults)) return false;
    const wsdb::BlockEntry entry = copy_of(blocks[block]), next = copy_of(blocks[block + 1]);
    copy = {entry.first_tile, next.first_tile - entry.first_tile, entry.offset_bytes,
            next.offset_bytes - entry.offset_bytes, entry.checksum};
    return is_inside(copy, tile_count(), wsdb::SectionType::kBlocks, block, faults);
}

bool WsdbReader::Map::read_header_block(std::uint64_t block, Frame& copy, WsdbFaults& faults) const {
    if (!use_header_blocks(faults)) return false;
    const wsdb::HeaderBlockEntry entry = copy_of(header_blocks[block]), next = copy_of(header_blocks[block + 1]);
    copy = {entry.first_sequence, next.first_sequence - entry.first_sequence, entry.offset_bytes,
            next.offset_bytes - entry.offset_bytes, entry.checksum};
    return is_inside(copy, header.sequences, wsdb::SectionType::kHeaders, block, faults);
}

bool WsdbReader::Map::is_inside(const Frame& frame, std::uint64_t most, wsdb::SectionType frames, std::uint64_t number,
                                WsdbFaults& faults) const {
    const std::uint64_t size_bytes = section(frames).size_bytes;
    if (frame.count > 0 && frame.first < most && frame.count <= most - frame.first &&
        frame.offset_bytes <= size_bytes && frame.size_bytes <= size_bytes - frame.offset_bytes)
        return true;
    const bool of_headers = frames == wsdb::SectionType::kHeaders;
    const auto index = of_headers ? wsdb::SectionType::kHeaderBlockIndex : wsdb::SectionType::kBlockIndex;
    faults.add_changed(section(index).offset_bytes + number * sizeof(wsdb::BlockEntry),
                       indexed(of_headers ? "entry of header block" : "entry of block", number));
    return false;
}

const std::uint32_t* WsdbReader::Map::packed_words(const WsdbTile& tile) const {
    return reinterpret_cast<const std::uint32_t*>(section_bytes(wsdb::SectionType::kTiles).data() + tile.offset_bytes);
}

std::uint64_t WsdbReader::Map::tile_file_offset(std::uint64_t tile) const {
    if (codec() == ResidueCodec::kPacked)
        return section(wsdb::SectionType::kTiles).offset_bytes + tiles[tile].offset_bytes;
    return section(wsdb::SectionType::kBlocks).offset_bytes + blocks[block_of_tile(tile)].offset_bytes;
}

}  // namespace warpseq
