// Reading a database: views into the map with the packed codec, decoded and packed again with the zstd codec.
#include "formats/wsdb_reader.h"

#include <sys/mman.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/fasta.h"
#include "formats/wsdb_map.h"

namespace warpseq {

namespace {

/// Asks the system to read ahead; what it makes of it is its own affair.
void advise(std::span<const std::uint8_t> bytes, int advice) {
    if (bytes.empty()) return;
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    const std::uintptr_t page = address / wsdb::kSectionAlignmentBytes * wsdb::kSectionAlignmentBytes;
    madvise(reinterpret_cast<void*>(page), bytes.size() + (address - page), advice);
}

/// The first 128-byte aligned place in `words`, which is made large enough for `count` words behind it.
std::uint32_t* aligned_room(std::vector<std::uint32_t>& words, std::uint64_t count) {
    constexpr std::size_t kSlack = kTileAlignmentBytes / sizeof(std::uint32_t);
    if (words.size() < count + kSlack) words.resize(count + kSlack);
    const auto address = reinterpret_cast<std::uintptr_t>(words.data());
    return words.data() + (wsdb::align_up(address, kTileAlignmentBytes) - address) / sizeof(std::uint32_t);
}

}  // namespace

WsdbReader::WsdbReader(std::unique_ptr<Map> map) : map_(std::move(map)) {}
WsdbReader::~WsdbReader() = default;
WsdbReader::WsdbReader(WsdbReader&&) noexcept = default;
WsdbReader& WsdbReader::operator=(WsdbReader&&) noexcept = default;

Result<WsdbReader> WsdbReader::open(const std::filesystem::path& file) {
    auto mapped = Map::map_file(file);
    if (!mapped.ok()) return mapped.status();
    std::unique_ptr<Map> map = *std::move(mapped);
    WsdbFaults faults(false);
    if (!map->check_header(faults)) return fault_status(file, faults.list().front());
    for (const wsdb::SectionType type :
         {wsdb::SectionType::kLengths, wsdb::SectionType::kInputPositions, wsdb::SectionType::kTileIndex,
          wsdb::SectionType::kBlockIndex, wsdb::SectionType::kHeaderOffsets, wsdb::SectionType::kHeaderBlockIndex}) {
        advise(map->section_bytes(type), MADV_WILLNEED);
    }
    if (!map->check_index(faults)) return fault_status(file, faults.list().front());
    advise(map->section_bytes(wsdb::SectionType::kTiles), MADV_SEQUENTIAL);
    advise(map->section_bytes(wsdb::SectionType::kBlocks), MADV_SEQUENTIAL);
    return WsdbReader(std::move(map));
}

const std::filesystem::path& WsdbReader::file() const { return map_->file; }
std::uint64_t WsdbReader::file_bytes() const { return map_->bytes.size(); }
ResidueCodec WsdbReader::codec() const { return map_->codec(); }
std::uint64_t WsdbReader::sequence_count() const { return map_->header.sequences; }
std::uint64_t WsdbReader::residue_count() const { return map_->header.residues; }
std::uint64_t WsdbReader::tile_count() const { return map_->header.tiles; }
std::uint64_t WsdbReader::linear_tile_count() const { return map_->header.linear_tiles; }
std::string WsdbReader::content_digest() const { return wsdb::digest_text(map_->header.content_digest); }
std::uint64_t WsdbReader::longest_residues() const { return map_->header.longest_residues; }
std::span<const std::uint64_t> WsdbReader::lengths_residues() const { return map_->lengths; }
std::span<const std::uint64_t> WsdbReader::input_positions() const { return map_->input_positions; }
std::uint64_t WsdbReader::tile_bytes(std::uint64_t tile) const { return map_->tile_bytes(tile); }
std::uint64_t WsdbReader::tile_residues(std::uint64_t tile) const { return map_->tiles[tile].residues; }
std::uint64_t WsdbReader::tile_of_sequence(std::uint64_t rank) const { return map_->tile_of_sequence(rank); }
const WsdbReader::Map& WsdbReader::map() const { return *map_; }

std::uint64_t WsdbReader::block_start(std::uint64_t tile) const {
    return codec() == ResidueCodec::kPacked ? tile : map_->blocks[map_->block_of_tile(tile)].first_tile;
}

Status WsdbReader::read_tiles(std::uint64_t first, std::uint64_t count, TileBuffer& buffer) const {
    const Map& map = *map_;
    assert(first <= map.header.tiles && count <= map.header.tiles - first);
    buffer.views.clear();
    buffer.cached_reader.reset();
    buffer.views.reserve(count);
    const std::uint64_t end = first + count;
    const auto damaged = [&](std::uint64_t tile, std::uint64_t found) {
        WsdbFaults faults(false);
        faults.add_checksum(map.tile_file_offset(tile), "tile " + std::to_string(tile) + " is damaged",
                            map.tiles[tile].checksum, found);
        return fault_status(map.file, faults.list().front());
    };
    if (map.codec() == ResidueCodec::kPacked) {
        for (std::uint64_t tile = first; tile < end; ++tile) {
            const std::uint32_t* words = map.packed_words(tile);
            const std::uint64_t checksum = XXH3_64bits(words, map.tile_bytes(tile));
            if (checksum != map.tiles[tile].checksum) return damaged(tile, checksum);
            const TileView view = map.view(tile, words);
            // Programs that repair checksums exist; kernels and reports count on letters.
            if (!is_sound(view)) {
                return Status::invalid_input(
                    map.file.string() + ": byte " + std::to_string(map.tile_file_offset(tile)) + ": tile " +
                    std::to_string(tile) +
                    " holds residue codes that stand for no letter, or no padding where it belongs; make the "
                    "database again, inspect validate says more");
            }
            buffer.views.push_back(view);
        }
        return {};
    }
    std::uint64_t words_needed = 0;
    // Room is made for the whole range at once, so that views stay valid; its size is backed by blocks that exist: each
    // block is expanded, and so its size proven, before the next tile is packed.
    for (std::uint64_t tile = first; tile < end; ++tile) words_needed += map.tile_bytes(tile) / sizeof(std::uint32_t);
    std::uint32_t* words = nullptr;
    for (std::uint64_t tile = first; tile < end;) {
        const std::uint64_t block = map.block_of_tile(tile);
        const wsdb::BlockEntry& entry = map.blocks[block];
        WsdbFaults faults(false);
        if (!map.decode_block(block, buffer.scratch, faults)) return fault_status(map.file, faults.list().front());
        if (words == nullptr) words = aligned_room(buffer.words, words_needed);
        const std::uint64_t block_end = std::min(end, entry.first_tile + entry.tiles);
        const std::uint64_t block_offset = map.tiles[entry.first_tile].offset;
        for (; tile < block_end; ++tile) {
            map.pack_tile(tile, buffer.scratch.data() + (map.tiles[tile].offset - block_offset), words);
            const std::uint64_t checksum = XXH3_64bits(words, map.tile_bytes(tile));
            if (checksum != map.tiles[tile].checksum) return damaged(tile, checksum);
            buffer.views.push_back(map.view(tile, words));
            words += map.tile_bytes(tile) / sizeof(std::uint32_t);
        }
    }
    return {};
}

Result<std::vector<ResidueCode>> WsdbReader::residues(std::uint64_t rank, TileBuffer& buffer) const {
    const Map& map = *map_;
    assert(rank < map.header.sequences);
    const std::uint64_t tile = map.tile_of_sequence(rank);
    const std::uint64_t first = map.tiles[tile].first_sequence;
    const std::uint64_t length = map.lengths[rank];
    const bool packed = map.codec() == ResidueCodec::kPacked;
    const std::uint64_t unit = packed ? tile : map.block_of_tile(tile);
    if (buffer.cached_reader != map.identity || buffer.cached_index != unit) {
        if (packed) {
            WARPSEQ_TRY(read_tiles(tile, 1, buffer));
        } else {
            buffer.views.clear();
            buffer.cached_reader.reset();
            WsdbFaults faults(false);
            if (!map.decode_block(unit, buffer.scratch, faults)) {
                return fault_status(map.file, faults.list().front());
            }
        }
        buffer.cached_reader = map.identity;
        buffer.cached_index = unit;
    }
    std::vector<ResidueCode> residues(length);
    if (packed) {
        unpack_lane(map.view(tile, map.packed_words(tile)), static_cast<std::uint32_t>(rank - first), residues.data());
        return residues;
    }
    std::uint64_t offset = map.tiles[tile].offset - map.tiles[map.blocks[unit].first_tile].offset;
    for (std::uint64_t before = first; before < rank; ++before) offset += map.lengths[before];
    std::copy_n(buffer.scratch.data() + offset, length, residues.data());
    return residues;
}

Result<std::string> WsdbReader::header(std::uint64_t rank) const { return map_->header_text_of(rank); }
Result<std::string> WsdbReader::header(std::uint64_t rank, HeaderBuffer& buffer) const {
    return map_->header_text_of(rank, buffer);
}

Result<std::vector<std::uint64_t>> WsdbReader::find(std::string_view identifier) const {
    const Map& map = *map_;
    std::call_once(map.names_once, [&] { map.names_status = map.section_status(wsdb::SectionType::kNameIndex); });
    WARPSEQ_TRY(map.names_status);
    const std::uint64_t hash = XXH3_64bits(identifier.data(), identifier.size());
    // A pair of bounds, because Clang 14 cannot compile the ranges of libstdc++ 12 that equal_range() returns.
    const std::span candidates(std::ranges::lower_bound(map.names, hash, {}, &wsdb::NameEntry::hash),
                               std::ranges::upper_bound(map.names, hash, {}, &wsdb::NameEntry::hash));
    std::vector<std::uint64_t> ranks;
    for (const wsdb::NameEntry& entry : candidates) {
        if (entry.rank >= map.header.sequences) {
            WsdbFaults faults(false);
            faults.add(map.section(wsdb::SectionType::kNameIndex).offset_bytes, "rank in NAME_INDEX",
                       "below " + std::to_string(map.header.sequences), std::to_string(entry.rank));
            return fault_status(map.file, faults.list().front());
        }
        auto found = header(entry.rank);
        if (!found.ok()) return found.status();
        if (identifier_of(*found) == identifier) ranks.push_back(entry.rank);
    }
    std::ranges::sort(ranks, {}, [&](std::uint64_t rank) { return map.input_positions[rank]; });
    return ranks;
}

}  // namespace warpseq
