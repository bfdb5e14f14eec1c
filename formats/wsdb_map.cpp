// Maps a database and checks it. Nothing that stands in the file is used as an offset, a size or a count before it has
// been compared with what the file can hold.
#include "formats/wsdb_map.h"

// For ZSTD_decompressBound(), which every version since 1.4.0 has under this name.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "formats/checksum.h"

namespace warpseq {

namespace {

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%016llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::string indexed(std::string_view name, std::uint64_t index) {
    return std::string(name) + " " + std::to_string(index);
}

template <typename T>
std::span<const T> items_of(std::span<const std::uint8_t> bytes) {
    // Sections are aligned to 4096 bytes in the file, and the map to a page, so the cast is aligned.
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Bytes of one item of a section, 0 where items have no fixed size.
std::uint64_t item_bytes(wsdb::SectionType type) {
    switch (type) {
        case wsdb::SectionType::kBlockIndex: return sizeof(wsdb::BlockEntry);
        case wsdb::SectionType::kTileIndex: return sizeof(wsdb::TileEntry);
        case wsdb::SectionType::kLengths:
        case wsdb::SectionType::kInputPositions:
        case wsdb::SectionType::kHeaderOffsets: return sizeof(std::uint64_t);
        case wsdb::SectionType::kHeaderBlockIndex: return sizeof(wsdb::HeaderBlockEntry);
        case wsdb::SectionType::kNameIndex: return sizeof(wsdb::NameEntry);
        case wsdb::SectionType::kStatistics: return sizeof(wsdb::Statistics);
        case wsdb::SectionType::kTiles:
        case wsdb::SectionType::kBlocks:
        case wsdb::SectionType::kHeaders:
        case wsdb::SectionType::kProvenance: return 0;
    }
    return 0;
}

std::string_view codec_name(std::uint32_t codec) {
    return codec == static_cast<std::uint32_t>(ResidueCodec::kPacked) ? "packed" : "zstd";
}

}  // namespace

namespace wsdb {

std::string_view section_name(SectionType type) {
    switch (type) {
        case SectionType::kTiles: return "TILES";
        case SectionType::kBlocks: return "BLOCKS";
        case SectionType::kBlockIndex: return "BLOCK_INDEX";
        case SectionType::kTileIndex: return "TILE_INDEX";
        case SectionType::kLengths: return "LENGTHS";
        case SectionType::kInputPositions: return "INPUT_POSITIONS";
        case SectionType::kHeaderOffsets: return "HEADER_OFFSETS";
        case SectionType::kHeaderBlockIndex: return "HEADER_BLOCK_INDEX";
        case SectionType::kHeaders: return "HEADERS";
        case SectionType::kNameIndex: return "NAME_INDEX";
        case SectionType::kStatistics: return "STATISTICS";
        case SectionType::kProvenance: return "PROVENANCE";
    }
    return "unknown";
}

std::string digest_text(const std::array<std::uint8_t, 16>& digest) {
    std::string text;
    for (const std::uint8_t byte : digest) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

void pack_sequences(TileLayout layout, std::span<const std::uint64_t> lengths, const std::uint8_t* residues,
                    std::uint32_t* words) {
    const std::uint64_t total = tile_words(layout, lengths.front());
    if (total == 0) return;
    if (layout == TileLayout::kLinear) {
        pack_lane({residues, lengths.front()}, words, total, 0, 1);
        return;
    }
    const std::uint64_t word_rows = words_for(lengths.front());
    for (std::size_t lane = 0; lane < kTileLanes; ++lane) {
        const std::uint64_t length = lane < lengths.size() ? lengths[lane] : 0;
        pack_lane({residues, length}, words, word_rows, lane, kTileLanes);
        residues += length;
    }
}

}  // namespace wsdb

Status fault_status(const std::filesystem::path& file, const WsdbFault& fault) {
    return Status::invalid_input(file.string() + ": byte " + std::to_string(fault.offset_bytes) + ": " + fault.what +
                                 ": expected " + fault.expected + ", found " + fault.found);
}

bool WsdbFaults::add(std::uint64_t offset_bytes, std::string what, std::string expected, std::string found) {
    if (!full()) list_.push_back({offset_bytes, std::move(what), std::move(expected), std::move(found)});
    return !full();
}

bool WsdbFaults::add_number(std::uint64_t offset_bytes, std::string what, std::uint64_t expected, std::uint64_t found) {
    return add(offset_bytes, std::move(what), std::to_string(expected), std::to_string(found));
}

bool WsdbFaults::add_checksum(std::uint64_t offset_bytes, std::string what, std::uint64_t expected,
                              std::uint64_t found) {
    return add(offset_bytes, std::move(what), "checksum " + hexadecimal(expected), hexadecimal(found));
}

bool WsdbFaults::add_changed(std::uint64_t offset_bytes, std::string what) {
    return add(offset_bytes, std::move(what), "what it was when the file was opened", "something else");
}

Result<std::unique_ptr<WsdbReader::Map>> WsdbReader::Map::map_file(const std::filesystem::path& file) {
    auto mapped = MappedFile::open(file);
    if (!mapped.ok()) return mapped.status();
    auto map = std::make_unique<Map>();
    map->file = file;
    map->mapped = *std::move(mapped);
    map->bytes = map->mapped.bytes();
    return map;
}

std::span<const std::uint8_t> WsdbReader::Map::section_bytes(wsdb::SectionType type) const {
    const wsdb::SectionEntry& entry = section(type);
    return bytes.subspan(entry.offset_bytes, entry.size_bytes);
}

bool WsdbReader::Map::check_section_checksum(const wsdb::SectionEntry& entry, WsdbFaults& faults) const {
    const std::uint64_t found = checksum_of(bytes.data() + entry.offset_bytes, entry.size_bytes);
    if (found == entry.checksum) return true;
    faults.add_checksum(
        entry.offset_bytes,
        "section " + std::string(section_name(static_cast<wsdb::SectionType>(entry.type))) + " is damaged",
        entry.checksum, found);
    return false;
}

Status WsdbReader::Map::section_status(wsdb::SectionType type) const {
    WsdbFaults faults(false);
    if (!check_section_checksum(section(type), faults)) return status_of(faults);
    return {};
}

Result<std::string> WsdbReader::Map::section_copy(wsdb::SectionType type) const {
    const auto in_map = section_bytes(type);
    std::string copy(reinterpret_cast<const char*>(in_map.data()), in_map.size());
    if (checksum_of(copy.data(), copy.size()) == section(type).checksum) return copy;
    WARPSEQ_TRY(section_status(type));
    WsdbFaults faults(false);
    faults.add_changed(section(type).offset_bytes, "section " + std::string(section_name(type)));
    return status_of(faults);
}

Status WsdbReader::Map::cut_status() const {
    return Status::io(file.string() +
                      ": was cut short while it was read, or its disk failed; nothing that was computed from it can be "
                      "trusted; when it is whole, do it again");
}

Status WsdbReader::Map::changed_status() const {
    if (mapped.lost()) return cut_status();
    return Status::io(file.string() +
                      ": was written to while it was read; nothing that was computed from it can be trusted; do it "
                      "again, and replace a database only by renaming another one over it");
}

Status WsdbReader::Map::status_of(const WsdbFaults& faults) const {
    return mapped.lost() ? cut_status() : fault_status(file, faults.list().front());
}

void WsdbReader::Map::mark_tile_read(std::uint64_t tile) const {
    std::atomic<std::uint64_t>& word = tiles_read[tile / 64];
    const std::uint64_t bit = std::uint64_t{1} << (tile % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

// Blocks and headers are copied before their checksums are looked at, so they cannot have changed behind them.
Status WsdbReader::Map::verify_unchanged(ThreadPool& pool) const {
    const Status tiles_status = pool.parallel_for(tiles_read.size(), [&](std::uint64_t group, unsigned) -> Status {
        for (std::uint64_t read = tiles_read[group]; read != 0; read &= read - 1) {
            WsdbTile tile;
            WsdbFaults faults(false);
            if (!read_tile(group * 64 + static_cast<std::uint64_t>(std::countr_zero(read)), tile, faults))
                return changed_status();
            if (checksum_of(packed_words(tile), tile.words() * sizeof(std::uint32_t)) != tile.checksum)
                return changed_status();
        }
        return {};
    });
    // Behind the tiles, whose checksums stand in one of them.
    using wsdb::SectionType;
    std::vector<SectionType> index = {SectionType::kTileIndex, SectionType::kLengths, SectionType::kInputPositions,
                                      SectionType::kHeaderOffsets, SectionType::kHeaderBlockIndex};
    if (codec() == ResidueCodec::kZstd) index.push_back(SectionType::kBlockIndex);
    if (names_read) index.push_back(SectionType::kNameIndex);
    Status index_status;
    if (tiles_status.ok()) {
        index_status = pool.parallel_for(index.size(), [&](std::uint64_t i, unsigned) -> Status {
            WsdbFaults faults(false);
            return check_section_checksum(section(index[i]), faults) ? Status() : changed_status();
        });
    }
    if (mapped.lost()) return cut_status();
    return tiles_status.ok() ? index_status : tiles_status;
}

bool WsdbReader::Map::check_header(WsdbFaults& faults) {
    using wsdb::SectionType;
    const auto magic_size = std::min(bytes.size(), wsdb::kMagic.size());
    if (bytes.empty()) {
        faults.add(0, "the file is empty", "a warpseq database", "0 bytes");
        return false;
    }
    if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(magic_size), wsdb::kMagic.begin())) {
        std::string found = "bytes";
        for (std::size_t i = 0; i < magic_size; ++i) {
            std::array<char, 8> text{};
            std::snprintf(text.data(), text.size(), " %02x", bytes[i]);
            found += text.data();
        }
        const bool as_text = bytes.size() >= 4 && std::memcmp(bytes.data() + 1, "WSD", 3) == 0;
        faults.add(0, as_text ? "signature (was the file copied as text?)" : "not a warpseq database",
                   "the signature 89 57 53 44 0d 0a 1a 0a (dbconv makes databases)", found);
        return false;
    }
    if (bytes.size() < sizeof header) {
        faults.add(bytes.size(), "the file ends inside its header", std::to_string(sizeof header) + " bytes",
                   std::to_string(bytes.size()));
        return false;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.version_major != wsdb::kVersionMajor) {
        faults.add(offsetof(wsdb::FileHeader, version_major), "format version",
                   std::to_string(wsdb::kVersionMajor) + " (this program reads no other)",
                   std::to_string(header.version_major));
        return false;
    }
    const std::uint64_t checksum = checksum_of(bytes.data(), offsetof(wsdb::FileHeader, checksum));
    if (checksum != header.checksum) {
        faults.add_checksum(offsetof(wsdb::FileHeader, checksum), "the header is damaged", header.checksum, checksum);
        return false;
    }
    // What follows cannot come from chance; it guards against files made with ill will or by a faulty writer.
    const auto refuse = [&](std::size_t offset, std::string what, std::string expected, std::uint64_t found) {
        faults.add(offset, std::move(what), std::move(expected), std::to_string(found));
        return false;
    };
    if (header.header_bytes != sizeof header) {
        return refuse(offsetof(wsdb::FileHeader, header_bytes), "size of the header", "4096", header.header_bytes);
    }
    if (header.file_bytes != bytes.size()) {
        return refuse(offsetof(wsdb::FileHeader, file_bytes),
                      header.file_bytes > bytes.size() ? "the file is cut short" : "bytes behind the database's end",
                      std::to_string(header.file_bytes) + " bytes as the header says", bytes.size());
    }
    if (header.codec > static_cast<std::uint32_t>(ResidueCodec::kZstd)) {
        return refuse(offsetof(wsdb::FileHeader, codec), "codec", "0 (packed) or 1 (zstd)", header.codec);
    }
    if (header.sequences == 0 || header.sequences > wsdb::kMaxSequences) {
        return refuse(offsetof(wsdb::FileHeader, sequences), "number of sequences", "1 to 2^40", header.sequences);
    }
    if (header.residues > wsdb::kMaxResidues) {
        return refuse(offsetof(wsdb::FileHeader, residues), "number of residues", "at most 2^56", header.residues);
    }
    if (header.linear_tiles > header.sequences) {
        return refuse(offsetof(wsdb::FileHeader, linear_tiles), "number of linear tiles",
                      "at most the number of sequences, " + std::to_string(header.sequences), header.linear_tiles);
    }
    const std::uint64_t tile_count =
        header.linear_tiles + (header.sequences - header.linear_tiles + kTileLanes - 1) / kTileLanes;
    if (header.tiles != tile_count) {
        return refuse(offsetof(wsdb::FileHeader, tiles), "number of tiles", std::to_string(tile_count), header.tiles);
    }
    const bool same_minor = header.version_minor <= wsdb::kVersionMinor;
    const auto zero = [](std::uint8_t byte) { return byte == 0; };
    if (same_minor && !std::ranges::all_of(header.reserved, zero)) {
        faults.add(offsetof(wsdb::FileHeader, reserved), "reserved bytes of the header", "zeros", "something else");
        return false;
    }
    if (header.section_count > wsdb::kMaxSections) {
        return refuse(offsetof(wsdb::FileHeader, section_count), "number of sections", "at most 99",
                      header.section_count);
    }
    std::uint64_t end = sizeof header;
    for (std::size_t i = 0; i < wsdb::kMaxSections; ++i) {
        const wsdb::SectionEntry& entry = header.sections[i];
        const std::size_t place = offsetof(wsdb::FileHeader, sections) + i * sizeof entry;
        if (i >= header.section_count) {
            const wsdb::SectionEntry none{};
            if (std::memcmp(&entry, &none, sizeof none) != 0) {
                faults.add(place, indexed("unused entry of the section table", i), "zeros", "something else");
                return false;
            }
            continue;
        }
        const std::uint64_t expected_offset = wsdb::align_up(end, wsdb::kSectionAlignmentBytes);
        if (entry.offset_bytes != expected_offset) {
            return refuse(place + offsetof(wsdb::SectionEntry, offset_bytes), indexed("offset of section", i),
                          std::to_string(expected_offset), entry.offset_bytes);
        }
        if (entry.offset_bytes > bytes.size() || entry.size_bytes > bytes.size() - entry.offset_bytes) {
            return refuse(place + offsetof(wsdb::SectionEntry, size_bytes), indexed("size of section", i),
                          "at most what the file holds behind byte " + std::to_string(entry.offset_bytes),
                          entry.size_bytes);
        }
        end = entry.offset_bytes + entry.size_bytes;
        if (entry.type == 0 || entry.type > wsdb::kKnownSections) {
            if ((entry.flags & wsdb::kSectionMayBeIgnored) != 0) continue;
            return refuse(place, indexed("type of section", i), "1 to 12 (a newer program may know it)", entry.type);
        }
        const auto type = static_cast<SectionType>(entry.type);
        if (entry.flags != 0) {
            return refuse(place + offsetof(wsdb::SectionEntry, flags),
                          "flags of section " + std::string(section_name(type)), "0", entry.flags);
        }
        if (sections[entry.type].type != 0) {
            return refuse(place, "section " + std::string(section_name(type)), "only one", 2);
        }
        if (const std::uint64_t each = item_bytes(type);
            each != 0 && (entry.size_bytes % each != 0 || entry.size_bytes / each != entry.items)) {
            return refuse(
                place + offsetof(wsdb::SectionEntry, size_bytes), "size of section " + std::string(section_name(type)),
                std::to_string(entry.items) + " items of " + std::to_string(each) + " bytes", entry.size_bytes);
        }
        sections[entry.type] = entry;
    }
    if (end != bytes.size()) {
        return refuse(end, "end of the last section", std::to_string(bytes.size()) + ", the file's end", end);
    }
    const bool zstd = codec() == ResidueCodec::kZstd;
    for (std::uint32_t number = 1; number <= wsdb::kKnownSections; ++number) {
        const auto type = static_cast<SectionType>(number);
        const bool only_packed = type == SectionType::kTiles;
        const bool only_zstd = type == SectionType::kBlocks || type == SectionType::kBlockIndex;
        const bool wanted = only_packed ? !zstd : only_zstd ? zstd : true;
        if (wanted == (sections[number].type != 0)) continue;
        faults.add(offsetof(wsdb::FileHeader, sections), "section " + std::string(section_name(type)),
                   std::string(wanted ? "one" : "none") + " with codec " + std::string(codec_name(header.codec)),
                   wanted ? "none" : "one");
        return false;
    }
    struct Count {
        SectionType type;
        std::uint64_t items;
    };
    const std::uint64_t n = header.sequences;
    const SectionType content = zstd ? SectionType::kBlocks : SectionType::kTiles;
    const std::uint64_t content_items = zstd ? section(SectionType::kBlockIndex).items : header.tiles;
    for (const Count& count :
         {Count{content, content_items}, Count{SectionType::kTileIndex, header.tiles}, Count{SectionType::kLengths, n},
          Count{SectionType::kInputPositions, n}, Count{SectionType::kHeaderOffsets, n + 1},
          Count{SectionType::kHeaders, section(SectionType::kHeaderBlockIndex).items},
          Count{SectionType::kNameIndex, n}, Count{SectionType::kStatistics, 1}, Count{SectionType::kProvenance, 1}}) {
        if (section(count.type).items == count.items) continue;
        return refuse(offsetof(wsdb::FileHeader, sections), "items of section " + std::string(section_name(count.type)),
                      std::to_string(count.items), section(count.type).items);
    }
    lengths = items_of<std::uint64_t>(section_bytes(SectionType::kLengths));
    input_positions = items_of<std::uint64_t>(section_bytes(SectionType::kInputPositions));
    header_offsets = items_of<std::uint64_t>(section_bytes(SectionType::kHeaderOffsets));
    tiles = items_of<wsdb::TileEntry>(section_bytes(SectionType::kTileIndex));
    header_blocks = items_of<wsdb::HeaderBlockEntry>(section_bytes(SectionType::kHeaderBlockIndex));
    names = items_of<wsdb::NameEntry>(section_bytes(SectionType::kNameIndex));
    if (zstd) blocks = items_of<wsdb::BlockEntry>(section_bytes(SectionType::kBlockIndex));
    return true;
}

bool WsdbReader::Map::check_index(WsdbFaults& faults) {
    using wsdb::SectionType;
    bool sound = true;
    for (const SectionType type : {SectionType::kLengths, SectionType::kInputPositions, SectionType::kTileIndex,
                                   SectionType::kHeaderOffsets, SectionType::kHeaderBlockIndex}) {
        sound = check_section_checksum(section(type), faults) && sound;
    }
    if (codec() == ResidueCodec::kZstd)
        sound = check_section_checksum(section(SectionType::kBlockIndex), faults) && sound;
    if (!sound) return false;

    const auto place = [this](SectionType type, std::uint64_t index, std::size_t item, std::size_t field = 0) {
        return section(type).offset_bytes + index * item + field;
    };
    const auto refuse = [&](std::uint64_t offset, std::string what, std::string expected, std::uint64_t found) {
        faults.add(offset, std::move(what), std::move(expected), std::to_string(found));
        return false;
    };

    std::uint64_t total = 0;
    std::uint64_t longest_allowed = header.longest_residues;
    for (std::uint64_t rank = 0; rank < header.sequences; ++rank) {
        const std::uint64_t length = lengths[rank];
        if (length > longest_allowed || length > header.residues - total) {
            return refuse(place(SectionType::kLengths, rank, 8), indexed("length of sequence", rank),
                          "at most " + std::to_string(std::min(longest_allowed, header.residues - total)) +
                              " (descending, and no more in all than the header says)",
                          length);
        }
        if (rank == 0 && length != header.longest_residues) {
            return refuse(place(SectionType::kLengths, 0, 8), "length of sequence 0",
                          std::to_string(header.longest_residues) + ", the longest of the header", length);
        }
        longest_allowed = length;
        total += length;
    }
    if (total != header.residues) {
        return refuse(offsetof(wsdb::FileHeader, residues), "number of residues",
                      std::to_string(total) + ", the sum of all lengths", header.residues);
    }
    for (std::uint64_t rank = 0; rank < header.sequences; ++rank) {
        if (input_positions[rank] >= header.sequences) {
            return refuse(place(SectionType::kInputPositions, rank, 8), indexed("input position of sequence", rank),
                          "below " + std::to_string(header.sequences), input_positions[rank]);
        }
    }

    // Everything in the index of tiles but checksums follows from the lengths.
    std::uint64_t first_sequence = 0;
    std::uint64_t offset = 0;
    for (std::uint64_t tile = 0; tile < header.tiles; ++tile) {
        const wsdb::TileEntry& entry = tiles[tile];
        const TileLayout layout = tile < header.linear_tiles ? TileLayout::kLinear : TileLayout::kInterleaved;
        const std::uint64_t lanes =
            layout == TileLayout::kLinear ? 1 : std::min<std::uint64_t>(kTileLanes, header.sequences - first_sequence);
        std::uint64_t residues = 0;
        for (std::uint64_t lane = 0; lane < lanes; ++lane) residues += lengths[first_sequence + lane];
        struct Field {
            const char* name;
            std::size_t place;
            std::uint64_t expected, found;
        };
        for (const Field& field :
             {Field{"offset", offsetof(wsdb::TileEntry, offset), offset, entry.offset},
              Field{"word rows", offsetof(wsdb::TileEntry, word_rows), words_for(lengths[first_sequence]),
                    entry.word_rows},
              Field{"first sequence", offsetof(wsdb::TileEntry, first_sequence), first_sequence, entry.first_sequence},
              Field{"residues", offsetof(wsdb::TileEntry, residues), residues, entry.residues},
              Field{"lanes", offsetof(wsdb::TileEntry, lanes), lanes, entry.lanes},
              Field{"layout", offsetof(wsdb::TileEntry, layout), static_cast<std::uint64_t>(layout), entry.layout}}) {
            if (field.expected == field.found) continue;
            return refuse(place(SectionType::kTileIndex, tile, sizeof entry, field.place),
                          std::string(field.name) + " of tile " + std::to_string(tile), std::to_string(field.expected),
                          field.found);
        }
        offset += codec() == ResidueCodec::kPacked ? tile_words(layout, lengths[first_sequence]) * sizeof(std::uint32_t)
                                                   : residues;
        first_sequence += lanes;
    }
    if (codec() == ResidueCodec::kPacked && offset != section(SectionType::kTiles).size_bytes) {
        return refuse(offsetof(wsdb::FileHeader, sections), "size of section TILES",
                      std::to_string(offset) + ", the sum of all tiles", section(SectionType::kTiles).size_bytes);
    }

    std::uint64_t next_tile = 0;
    std::uint64_t next_offset = 0;
    for (std::uint64_t block = 0; block < blocks.size(); ++block) {
        const wsdb::BlockEntry& entry = blocks[block];
        const auto at = [&](std::size_t field) { return place(SectionType::kBlockIndex, block, sizeof entry, field); };
        const auto named = [&](const char* name) { return std::string(name) + " of block " + std::to_string(block); };
        if (entry.first_tile != next_tile) {
            return refuse(at(offsetof(wsdb::BlockEntry, first_tile)), named("first tile"), std::to_string(next_tile),
                          entry.first_tile);
        }
        if (entry.tiles == 0 || entry.tiles > header.tiles - next_tile) {
            return refuse(at(offsetof(wsdb::BlockEntry, tiles)), named("tiles"),
                          "1 to " + std::to_string(header.tiles - next_tile), entry.tiles);
        }
        std::uint64_t residues = 0;
        for (std::uint64_t tile = 0; tile < entry.tiles; ++tile) residues += tiles[next_tile + tile].residues;
        if (entry.residues != residues) {
            return refuse(at(offsetof(wsdb::BlockEntry, residues)), named("residues"), std::to_string(residues),
                          entry.residues);
        }
        if (entry.offset_bytes != next_offset) {
            return refuse(at(offsetof(wsdb::BlockEntry, offset_bytes)), named("offset"), std::to_string(next_offset),
                          entry.offset_bytes);
        }
        if (entry.size_bytes > section(SectionType::kBlocks).size_bytes - next_offset) {
            return refuse(at(offsetof(wsdb::BlockEntry, size_bytes)), named("size"),
                          "at most " + std::to_string(section(SectionType::kBlocks).size_bytes - next_offset),
                          entry.size_bytes);
        }
        next_tile += entry.tiles;
        next_offset += entry.size_bytes;
    }
    if (codec() == ResidueCodec::kZstd &&
        (next_tile != header.tiles || next_offset != section(SectionType::kBlocks).size_bytes)) {
        return refuse(section(SectionType::kBlockIndex).offset_bytes, "tiles of all blocks",
                      std::to_string(header.tiles) + " in all of section BLOCKS", next_tile);
    }

    std::uint64_t previous = 0;
    for (std::uint64_t rank = 0; rank <= header.sequences; ++rank) {
        const std::uint64_t current = header_offsets[rank];
        if (current < previous || (rank == 0 && current != 0)) {
            return refuse(place(SectionType::kHeaderOffsets, rank, 8), indexed("header offset of sequence", rank),
                          rank == 0 ? "0" : "at least " + std::to_string(previous), current);
        }
        previous = current;
    }
    std::uint64_t next_sequence = 0;
    std::uint64_t next_raw = 0;
    next_offset = 0;
    for (std::uint64_t block = 0; block < header_blocks.size(); ++block) {
        const wsdb::HeaderBlockEntry& entry = header_blocks[block];
        const auto at = [&](std::size_t field) {
            return place(SectionType::kHeaderBlockIndex, block, sizeof entry, field);
        };
        const auto named = [&](const char* name) {
            return std::string(name) + " of header block " + std::to_string(block);
        };
        // The first sequence may not be the next one's successor: then a header would span blocks. It is checked
        // through the offsets: block b holds exactly the headers from its first sequence to the next block's.
        const std::uint64_t following =
            block + 1 < header_blocks.size() ? header_blocks[block + 1].first_sequence : header.sequences;
        if (entry.first_sequence != next_sequence || following <= next_sequence || following > header.sequences) {
            return refuse(at(offsetof(wsdb::HeaderBlockEntry, first_sequence)), named("first sequence"),
                          std::to_string(next_sequence) + ", and more in the next block", entry.first_sequence);
        }
        if (entry.raw_offset != next_raw || header_offsets[next_sequence] != next_raw) {
            return refuse(at(offsetof(wsdb::HeaderBlockEntry, raw_offset)), named("raw offset"),
                          std::to_string(header_offsets[next_sequence]), entry.raw_offset);
        }
        if (entry.raw_bytes != header_offsets[following] - next_raw) {
            return refuse(at(offsetof(wsdb::HeaderBlockEntry, raw_bytes)), named("raw size"),
                          std::to_string(header_offsets[following] - next_raw), entry.raw_bytes);
        }
        if (entry.offset_bytes != next_offset) {
            return refuse(at(offsetof(wsdb::HeaderBlockEntry, offset_bytes)), named("offset"),
                          std::to_string(next_offset), entry.offset_bytes);
        }
        if (entry.size_bytes > section(SectionType::kHeaders).size_bytes - next_offset) {
            return refuse(at(offsetof(wsdb::HeaderBlockEntry, size_bytes)), named("size"),
                          "at most " + std::to_string(section(SectionType::kHeaders).size_bytes - next_offset),
                          entry.size_bytes);
        }
        next_sequence = following;
        next_raw += entry.raw_bytes;
        next_offset += entry.size_bytes;
    }
    if (next_sequence != header.sequences || next_offset != section(SectionType::kHeaders).size_bytes) {
        return refuse(section(SectionType::kHeaderBlockIndex).offset_bytes, "sequences of all header blocks",
                      std::to_string(header.sequences) + " in all of section HEADERS", next_sequence);
    }
    return true;
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
    const std::uint64_t longest = std::min(copy_of(lengths[first_sequence_of(tile)]), header.longest_residues);
    return tile_words(layout_of(tile), longest) * sizeof(std::uint32_t);
}

std::uint64_t WsdbReader::Map::block_of_tile(std::uint64_t tile) const {
    const auto after = std::ranges::upper_bound(blocks, tile, {}, &wsdb::BlockEntry::first_tile);
    return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(after - blocks.begin(), 1)) - 1;
}

std::uint64_t WsdbReader::Map::block_of_header(std::uint64_t rank) const {
    const auto after = std::ranges::upper_bound(header_blocks, rank, {}, &wsdb::HeaderBlockEntry::first_sequence);
    return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(after - header_blocks.begin(), 1)) - 1;
}

bool WsdbReader::Map::read_tile(std::uint64_t tile, WsdbTile& copy, WsdbFaults& faults) const {
    const wsdb::TileEntry entry = copy_of(tiles[tile]);
    copy.offset = entry.offset;
    copy.word_rows = entry.word_rows;
    copy.first_sequence = first_sequence_of(tile);
    copy.residues = entry.residues;
    copy.checksum = entry.checksum;
    copy.lanes = lanes_of(tile);
    copy.layout = layout_of(tile);
    const std::uint64_t* const in_map = lengths.data() + copy.first_sequence;
    std::uint64_t before = header.longest_residues, residues = 0;
    bool descend = true;
    for (std::uint32_t lane = 0; lane < copy.lanes; ++lane) {
        const std::uint64_t length = copy_of(in_map[lane]);
        descend = descend && length <= before;
        copy.lengths_residues[lane] = before = length;
        residues += length;
    }
    // Descending lengths are at most the longest, which keeps what follows from overflowing.
    if (descend && residues == entry.residues && entry.word_rows == words_for(copy.lengths_residues.front())) {
        if (codec() == ResidueCodec::kZstd) return true;  // residues_in() sees to the offset
        const std::uint64_t size_bytes = section(wsdb::SectionType::kTiles).size_bytes;
        const std::uint64_t tile_bytes = copy.words() * sizeof(std::uint32_t);
        if (copy.offset % kTileAlignmentBytes == 0 && copy.offset <= size_bytes &&
            tile_bytes <= size_bytes - copy.offset) {
            return true;
        }
    }
    faults.add_changed(section(wsdb::SectionType::kTileIndex).offset_bytes + tile * sizeof entry,
                       indexed("entry of tile", tile) + ", or the lengths of its sequences");
    return false;
}

bool WsdbReader::Map::read_block(std::uint64_t block, wsdb::BlockEntry& copy, WsdbFaults& faults) const {
    copy = copy_of(blocks[block]);
    const std::uint64_t size_bytes = section(wsdb::SectionType::kBlocks).size_bytes;
    if (copy.first_tile < header.tiles && copy.tiles > 0 && copy.tiles <= header.tiles - copy.first_tile &&
        copy.offset_bytes <= size_bytes && copy.size_bytes <= size_bytes - copy.offset_bytes) {
        return true;
    }
    faults.add_changed(section(wsdb::SectionType::kBlockIndex).offset_bytes + block * sizeof copy,
                       indexed("entry of block", block));
    return false;
}

bool WsdbReader::Map::read_header_block(std::uint64_t block, wsdb::HeaderBlockEntry& copy, WsdbFaults& faults) const {
    copy = copy_of(header_blocks[block]);
    const std::uint64_t size_bytes = section(wsdb::SectionType::kHeaders).size_bytes;
    if (copy.offset_bytes <= size_bytes && copy.size_bytes <= size_bytes - copy.offset_bytes) return true;
    faults.add_changed(section(wsdb::SectionType::kHeaderBlockIndex).offset_bytes + block * sizeof copy,
                       indexed("entry of header block", block));
    return false;
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

const std::uint32_t* WsdbReader::Map::packed_words(const WsdbTile& tile) const {
    return reinterpret_cast<const std::uint32_t*>(section_bytes(wsdb::SectionType::kTiles).data() + tile.offset);
}

std::uint64_t WsdbReader::Map::tile_file_offset(std::uint64_t tile) const {
    if (codec() == ResidueCodec::kPacked) return section(wsdb::SectionType::kTiles).offset_bytes + tiles[tile].offset;
    return section(wsdb::SectionType::kBlocks).offset_bytes + blocks[block_of_tile(tile)].offset_bytes;
}

namespace {

/// Expands one zstd frame into `raw_bytes` bytes, for which make() makes room once the size is known to be possible.
/// The frame is copied, so that what is expanded is what has the checksum.
template <typename Make>
bool expand_frame(std::span<const std::uint8_t> in_map, std::vector<std::uint8_t>& frame, std::uint64_t raw_bytes,
                  std::uint64_t checksum, std::uint64_t file_offset, const std::string& what, WsdbFaults& faults,
                  const Make& make) {
    frame.assign(in_map.begin(), in_map.end());
    const std::uint64_t found = checksum_of(frame.data(), frame.size());
    if (found != checksum) {
        faults.add_checksum(file_offset, what + " is damaged", checksum, found);
        return false;
    }
    // The bound follows from the frame's own blocks, so memory is never asked for on the word of the index alone.
    const unsigned long long bound = ZSTD_decompressBound(frame.data(), frame.size());
    if (ZSTD_isError(bound) != 0 || raw_bytes > bound) {
        faults.add(file_offset, "size of " + what, "a zstd frame of " + std::to_string(raw_bytes) + " bytes",
                   ZSTD_isError(bound) != 0 ? "no zstd frame" : "one of at most " + std::to_string(bound));
        return false;
    }
    const std::size_t size = ZSTD_decompress(make(raw_bytes), raw_bytes, frame.data(), frame.size());
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();  // no fault of the file
    if (ZSTD_isError(size) != 0 || size != raw_bytes) {
        faults.add(file_offset, what, std::to_string(raw_bytes) + " bytes when expanded",
                   ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : std::to_string(size));
        return false;
    }
    return true;
}

}  // namespace

bool WsdbReader::Map::decode_block(std::uint64_t block, WsdbBlock& decoded, WsdbFaults& faults) const {
    wsdb::BlockEntry entry;
    if (!read_block(block, entry, faults)) return false;
    decoded.first_tile = entry.first_tile;
    decoded.tiles = entry.tiles;
    decoded.residue_count = 0;
    decoded.residues_before = copy_of(tiles[entry.first_tile].offset);
    const auto in_map = section_bytes(wsdb::SectionType::kBlocks).subspan(entry.offset_bytes, entry.size_bytes);
    const std::uint64_t file_offset = section(wsdb::SectionType::kBlocks).offset_bytes + entry.offset_bytes;
    const std::string what = indexed("block", block);
    std::vector<std::uint8_t>& residues = decoded.residues;
    if (!expand_frame(in_map, decoded.frame, entry.residues, entry.checksum, file_offset, what, faults,
                      [&](std::uint64_t size) {
                          if (residues.size() < size) residues.resize(size);
                          return residues.data();
                      })) {
        return false;
    }
    std::uint8_t largest = 0;
    for (std::uint64_t i = 0; i < entry.residues; ++i) largest = std::max(largest, residues[i]);
    if (largest >= kResidueCodes) {
        faults.add(file_offset, "residue codes of " + what, "0 to 26", std::to_string(largest));
        return false;
    }
    decoded.residue_count = entry.residues;
    return true;
}

std::span<const std::uint8_t> WsdbReader::Map::residues_in(const WsdbBlock& block, const WsdbTile& tile,
                                                           WsdbFaults& faults) const {
    const std::uint64_t offset = tile.offset - block.residues_before;
    if (tile.offset >= block.residues_before && offset <= block.residue_count &&
        tile.residues <= block.residue_count - offset) {
        return std::span<const std::uint8_t>(block.residues).subspan(offset, tile.residues);
    }
    faults.add_changed(section(wsdb::SectionType::kTileIndex).offset_bytes, "TILE_INDEX, or BLOCK_INDEX");
    return {};
}

bool WsdbReader::Map::decode_header_block(std::uint64_t block, HeaderBuffer& decoded, WsdbFaults& faults) const {
    wsdb::HeaderBlockEntry entry;
    if (!read_header_block(block, entry, faults)) return false;
    decoded.raw_offset = entry.raw_offset;
    decoded.text.clear();
    return expand_frame(section_bytes(wsdb::SectionType::kHeaders).subspan(entry.offset_bytes, entry.size_bytes),
                        decoded.frame, entry.raw_bytes, entry.checksum,
                        section(wsdb::SectionType::kHeaders).offset_bytes + entry.offset_bytes,
                        indexed("header block", block), faults, [&](std::uint64_t size) {
                            decoded.text.resize(size);
                            return decoded.text.data();
                        });
}

std::optional<std::string_view> WsdbReader::Map::header_in(const HeaderBuffer& decoded, std::uint64_t rank,
                                                           WsdbFaults& faults) const {
    const std::uint64_t begin = copy_of(header_offsets[rank]), end = copy_of(header_offsets[rank + 1]);
    if (begin >= decoded.raw_offset && begin <= end && end - decoded.raw_offset <= decoded.text.size())
        return std::string_view(decoded.text).substr(begin - decoded.raw_offset, end - begin);
    faults.add_changed(section(wsdb::SectionType::kHeaderOffsets).offset_bytes + rank * sizeof begin,
                       indexed("header offset of sequence", rank) + ", or HEADER_BLOCK_INDEX");
    return std::nullopt;
}

Result<wsdb::Statistics> WsdbReader::Map::statistics() const {
    const auto copy = section_copy(wsdb::SectionType::kStatistics);
    if (!copy.ok()) return copy.status();
    wsdb::Statistics statistics{};
    std::memcpy(&statistics, copy->data(), sizeof statistics);
    return statistics;
}

Result<std::string> WsdbReader::Map::provenance() const { return section_copy(wsdb::SectionType::kProvenance); }

}  // namespace warpseq
