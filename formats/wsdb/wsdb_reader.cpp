// Implements the reader of databases. The packed codec gives views into the map. Blocks of the zstd
// codec are expanded and packed again.
#include "formats/wsdb/wsdb_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <mutex>
#include <numeric>
#include <utility>

#include "formats/fasta/sequence_names.h"
#include "formats/io/checksum.h"
#include "formats/wsdb/wsdb_map.h"

namespace warpseq {

namespace {

/// Tells the system how the bytes will be read. It is a hint, so an error does not matter.
void advise(std::span<const std::uint8_t> bytes, int advice) {
    if (bytes.empty()) return;
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    const std::uintptr_t page = address / wsdb::kSectionAlignmentBytes * wsdb::kSectionAlignmentBytes;
    madvise(reinterpret_cast<void*>(page), bytes.size() + (address - page), advice);
}

/// Returns the first 128-byte aligned place in `words`, which is enlarged to hold `count` words
/// from there.
std::uint32_t* aligned_room(std::vector<std::uint32_t>& words, std::uint64_t count) {
    constexpr std::size_t kSlack = kTileAlignmentBytes / sizeof(std::uint32_t);
    if (words.size() < count + kSlack) words.resize(count + kSlack);
    const auto address = reinterpret_cast<std::uintptr_t>(words.data());
    return words.data() + (wsdb::align_up(address, kTileAlignmentBytes) - address) / sizeof(std::uint32_t);
}

}  // namespace

bool begins_as_wsdb(const std::filesystem::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
    std::array<std::uint8_t, wsdb::kMagic.size()> start{};
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    const ssize_t got = pread(descriptor, start.data(), start.size(), 0);
    close(descriptor);
    if (got <= 0) return false;
    const auto bytes = std::span(start).first(static_cast<std::size_t>(got));
    if (std::ranges::equal(bytes, std::span(wsdb::kMagic).first(bytes.size()))) return true;
    // A transfer that takes the file for text changes the first byte, but not to one with which
    // text begins.
    constexpr std::string_view kName = "WSD";
    const bool is_text = bytes[0] == '>' || bytes[0] == ';' || bytes[0] <= ' ' || std::isalpha(bytes[0]) != 0;
    return !is_text && bytes.size() > kName.size() && std::memcmp(bytes.data() + 1, kName.data(), kName.size()) == 0;
}

TileView WsdbTile::view(const std::uint32_t* first_word) const {
    TileView view;
    view.words = {first_word, static_cast<std::size_t>(words())};
    view.lengths_residues = lengths();
    view.word_rows = word_rows;
    view.first_sequence = first_sequence;
    view.layout = layout;
    return view;
}

WsdbReader::WsdbReader(std::unique_ptr<Map> map) : map_(std::move(map)) {}
WsdbReader::~WsdbReader() = default;
WsdbReader::WsdbReader(WsdbReader&&) noexcept = default;
WsdbReader& WsdbReader::operator=(WsdbReader&&) noexcept = default;

Result<WsdbReader> WsdbReader::open(const std::filesystem::path& file) {
    auto map = Map::map_file(file);
    if (!map.ok()) return map.status();
    return open_map(*std::move(map));
}

Result<WsdbReader> WsdbReader::open_private(int descriptor, const std::filesystem::path& file) {
    auto mapped = MappedFile::of_descriptor(descriptor, file);
    if (!mapped.ok()) return mapped.status();
    auto map = Map::of(*std::move(mapped), file);
    map->is_private = true;
    // The numbers below 3 are those of the standard streams, to which other code writes.
    map->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (map->descriptor < 0) return Status::io(file.string() + ": cannot open: " + std::strerror(errno));
    return open_map(std::move(map));
}

bool WsdbReader::is_private() const { return map_->is_private; }

void WsdbReader::close_descriptor() {
    if (map_->descriptor >= 0) close(std::exchange(map_->descriptor, -1));
}

void WsdbReader::set_name(const std::filesystem::path& name) { map_->file = name; }

Result<WsdbReader> WsdbReader::reopen_private() const { return open_private(map_->descriptor, map_->file); }

Result<WsdbReader> WsdbReader::open_map(std::unique_ptr<Map> map) {
    WsdbFaults faults(false);
    if (!map->check_header(faults)) return map->status_of(faults);
    // The numbers of residues in the header, on which every search relies, must agree with the
    // first sequence and the last tile.
    wsdb::TileEntry behind{};
    if (!map->read_entry(map->tile_count(), behind, faults)) return map->status_of(faults);
    const std::uint64_t longest = map->lengths()[0];
    WARPSEQ_TRY(map->failure);
    if (longest != map->header.longest_residues || behind.residues_before != map->header.residues) {
        faults.add(offsetof(wsdb::FileHeader, residues), "numbers of residues",
                   std::to_string(behind.residues_before) + " in all and " + std::to_string(longest) +
                       " in the longest sequence",
                   std::to_string(map->header.residues) + " and " + std::to_string(map->header.longest_residues));
        return map->status_of(faults);
    }
    if (map->mapped.lost()) return map->lost_status();
    if (map->codec() == ResidueCodec::kPacked)
        map->tiles_read = std::vector<std::atomic<std::uint64_t>>((map->tile_count() + 63) / 64);
    advise(map->section_bytes(wsdb::SectionType::kTiles), MADV_SEQUENTIAL);
    advise(map->section_bytes(wsdb::SectionType::kBlocks), MADV_SEQUENTIAL);
    return WsdbReader(std::move(map));
}

const std::filesystem::path& WsdbReader::file() const { return map_->file; }
std::uint64_t WsdbReader::file_bytes() const { return map_->bytes.size(); }
ResidueCodec WsdbReader::codec() const { return map_->codec(); }
std::uint64_t WsdbReader::sequence_count() const { return map_->header.sequences; }
std::uint64_t WsdbReader::residue_count() const { return map_->header.residues; }
std::uint64_t WsdbReader::tile_count() const { return map_->tile_count(); }
std::uint64_t WsdbReader::linear_tile_count() const { return map_->header.linear_tiles; }
std::string WsdbReader::content_digest() const { return digest_text(map_->header.content_digest); }
std::uint64_t WsdbReader::longest_residues() const { return map_->header.longest_residues; }
WsdbNumbers WsdbReader::lengths_residues() const { return map_->lengths(); }
WsdbNumbers WsdbReader::input_positions() const { return map_->input_positions(); }
std::uint64_t WsdbReader::tile_bytes(std::uint64_t tile) const { return map_->tile_bytes(tile); }
std::uint64_t WsdbReader::tile_residues(std::uint64_t tile) const { return map_->tile_residues(tile); }
std::uint64_t WsdbReader::packed_bytes(std::uint64_t first, std::uint64_t count) const {
    return map_->packed_bytes(first, count);
}
std::uint64_t WsdbReader::residues_of(std::uint64_t first, std::uint64_t count) const {
    return map_->residues_of(first, count);
}
std::uint64_t WsdbReader::tile_of_sequence(std::uint64_t rank) const { return map_->tile_of_sequence(rank); }
const WsdbReader::Map& WsdbReader::map() const { return *map_; }

std::uint64_t WsdbReader::block_start(std::uint64_t tile) const {
    WsdbFaults faults(false);
    if (codec() == ResidueCodec::kPacked || !map_->use_blocks(faults)) return tile;
    return std::min(tile, copy_of(map_->blocks[map_->block_of_tile(tile)].first_tile));
}

Status WsdbReader::verify_unchanged(const ThreadPool& pool) const { return map_->verify_unchanged(pool); }
Status WsdbReader::changed_status() const {
    if (map_->has_changed()) return map_->changed_status();
    // Damage that was there before the file was opened is reported as such.
    WARPSEQ_TRY(verify_unchanged(ThreadPool(1)));
    return Status::invalid_input(
        map_->file.string() +
        ": the data that was read does not agree with the index; inspect validate shows the details");
}

Status WsdbReader::read_tiles(std::uint64_t first, std::uint64_t count, TileBuffer& buffer) const {
    WARPSEQ_TRY(locate_tiles(first, count, buffer));
    return check_tiles(buffer);
}

Status WsdbReader::locate_tiles(std::uint64_t first, std::uint64_t count, TileBuffer& buffer) const {
    const Map& map = *map_;
    assert(first <= map.tile_count() && count <= map.tile_count() - first);
    buffer.views.clear();
    buffer.cached_reader.reset();
    buffer.views.reserve(count);
    buffer.tiles.resize(count);
    const std::uint64_t end = first + count;
    WsdbFaults faults(false);
    std::uint64_t words_needed = 0;
    for (std::uint64_t t = 0; t < count; ++t) {
        if (!map.read_tile(first + t, buffer.tiles[t], faults)) return map.status_of(faults);
        words_needed += buffer.tiles[t].words();
    }
    if (map.codec() == ResidueCodec::kPacked) {
        for (std::uint64_t t = 0; t < count; ++t) {
            buffer.views.push_back(buffer.tiles[t].view(map.packed_words(buffer.tiles[t])));
            map.mark_tile_read(first + t);
        }
        return {};
    }
    // Room is made for the whole range at once, so that views stay valid. Each block is expanded,
    // which proves its size, before its tiles are packed.
    std::uint32_t* words = nullptr;
    if (!map.use_blocks(faults)) return map.status_of(faults);
    for (std::uint64_t tile = first; tile < end;) {
        const std::uint64_t block = map.block_of_tile(tile);
        if (!map.decode_block(block, buffer.block, faults)) return map.status_of(faults);
        if (words == nullptr) words = aligned_room(buffer.words, words_needed);
        const std::uint64_t block_end = std::min(end, buffer.block.first_tile + buffer.block.tiles);
        if (tile < buffer.block.first_tile || tile >= block_end) {
            faults.add_changed(map.section(wsdb::SectionType::kBlockIndex).offset_bytes, "BLOCK_INDEX");
            return map.status_of(faults);
        }
        for (; tile < block_end; ++tile) {
            const WsdbTile& entry = buffer.tiles[tile - first];
            const auto residues = map.residues_in(buffer.block, entry, faults);
            if (faults.any()) return map.status_of(faults);
            wsdb::pack_sequences(entry.layout, entry.lengths(), residues.data(), words);
            const TileView view = entry.view(words);
            const std::uint64_t checksum = checksum_of(view.words.data(), view.words.size_bytes());
            if (checksum != entry.checksum) return map.damaged_tile_status(tile, entry.checksum, checksum);
            buffer.views.push_back(view);
            words += view.words.size();
        }
    }
    return {};
}

// Tiles that come from blocks have been checked already.
Status WsdbReader::check_tiles(const TileBuffer& buffer) const {
    const Map& map = *map_;
    if (map.codec() != ResidueCodec::kPacked) return {};
    for (std::size_t t = 0; t < buffer.views.size(); ++t) {
        const std::uint64_t tile = map.tile_of_sequence(buffer.views[t].first_sequence);
        if (!map.is_tile_sound(tile)) WARPSEQ_TRY(map.check_words(tile, buffer.tiles[t]));
    }
    return {};
}

std::span<const std::uint8_t> WsdbReader::packed_tiles() const {
    return codec() == ResidueCodec::kPacked ? map_->section_bytes(wsdb::SectionType::kTiles)
                                            : std::span<const std::uint8_t>();
}

void WsdbReader::check_ahead(const ThreadPool& pool, const std::function<bool()>& more) const {
    const Map& map = *map_;
    if (map.codec() != ResidueCodec::kPacked) return;
    map.tiles_sound = std::vector<std::atomic<std::uint64_t>>(map.tiles_read.size());
    static_cast<void>(pool.parallel_for(map.tiles_sound.size(), [&](std::uint64_t group, unsigned) {
        std::uint64_t sound = 0;
        const std::uint64_t end = std::min(group * 64 + 64, map.tile_count());
        for (std::uint64_t tile = group * 64; tile < end && more(); ++tile) {
            WsdbTile entry;
            WsdbFaults faults(false);
            if (map.read_tile(tile, entry, faults) && map.check_words(tile, entry).ok())
                sound |= std::uint64_t{1} << (tile % 64);
        }
        map.tiles_sound[group].store(sound, std::memory_order_relaxed);
    }));
}

Result<std::vector<ResidueCode>> WsdbReader::residues(std::uint64_t rank, TileBuffer& buffer) const {
    const Map& map = *map_;
    assert(rank < map.header.sequences);
    const std::uint64_t tile = map.tile_of_sequence(rank);
    const auto lane = static_cast<std::uint32_t>(rank - map.first_sequence_of(tile));
    const bool packed = map.codec() == ResidueCodec::kPacked;
    WsdbFaults faults(false);
    if (!packed && !map.use_blocks(faults)) return map.status_of(faults);
    const std::uint64_t unit = packed ? tile : map.block_of_tile(tile);
    if (buffer.cached_reader != map.identity || buffer.cached_index != unit) {
        if (packed) {
            WARPSEQ_TRY(read_tiles(tile, 1, buffer));
        } else {
            buffer.views.clear();
            buffer.cached_reader.reset();
            if (!map.decode_block(unit, buffer.block, faults)) return map.status_of(faults);
        }
        buffer.cached_reader = map.identity;
        buffer.cached_index = unit;
    }
    if (packed) {
        const TileView& view = buffer.views.front();
        std::vector<ResidueCode> residues(view.lengths_residues[lane]);
        unpack_lane(view, lane, residues.data());
        return residues;
    }
    buffer.tiles.resize(1);
    WsdbTile& entry = buffer.tiles.front();
    if (!map.read_tile(tile, entry, faults)) return map.status_of(faults);
    const auto of_tile = map.residues_in(buffer.block, entry, faults);
    if (faults.any()) return map.status_of(faults);
    const auto before = entry.lengths().first(lane);
    const auto begin =
        of_tile.begin() + static_cast<std::ptrdiff_t>(std::accumulate(before.begin(), before.end(), std::uint64_t{0}));
    return std::vector<ResidueCode>(begin, begin + static_cast<std::ptrdiff_t>(entry.lengths_residues[lane]));
}

Result<std::string> WsdbReader::header(std::uint64_t rank) const {
    const std::lock_guard lock(map_->header_mutex);
    return header(rank, map_->kept_headers);
}

Result<std::string> WsdbReader::header(std::uint64_t rank, HeaderBuffer& buffer) const {
    const Map& map = *map_;
    assert(rank < map.header.sequences);
    WsdbFaults faults(false);
    if (!map.use_header_blocks(faults)) return map.status_of(faults);
    const std::uint64_t block = map.block_of_header(rank);
    if (buffer.reader_ != map.identity || buffer.block_ != block) {
        buffer.reader_.reset();
        if (!map.decode_header_block(block, buffer, faults)) return map.status_of(faults);
        buffer.reader_ = map.identity;
        buffer.block_ = block;
    }
    const auto text = map.header_in(buffer, rank, faults);
    if (!text) return map.status_of(faults);
    return std::string(*text);
}

Status WsdbReader::find_candidates(std::string_view identifier, std::vector<std::uint64_t>& ranks) const {
    const std::string_view name = index_name_of(identifier);
    std::uint64_t first = 0;
    return map_->append_ranks_of_name(checksum_of(name.data(), name.size()), first, map_->names.size(), ranks);
}

Result<std::vector<std::uint64_t>> WsdbReader::find(std::string_view identifier) const {
    std::vector<std::uint64_t> candidates;
    WARPSEQ_TRY(find_candidates(identifier, candidates));
    struct Found {
        std::uint64_t input_position, rank;
    };
    std::vector<Found> whole, part;
    for (const std::uint64_t rank : candidates) {
        const auto text = header(rank);
        if (!text.ok()) return text.status();
        const NameMatch match = match_name(*text, identifier);
        if (match == NameMatch::kNone) continue;
        (match == NameMatch::kWhole ? whole : part).push_back({input_positions()[rank], rank});
    }
    std::vector<Found>& found = whole.empty() ? part : whole;
    std::ranges::sort(found, {}, &Found::input_position);
    std::vector<std::uint64_t> ranks;
    for (const Found& each : found) ranks.push_back(each.rank);
    return ranks;
}

}  // namespace warpseq
