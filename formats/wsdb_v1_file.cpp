#include "formats/wsdb_v1_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "formats/checksum.h"
#include "formats/wsdb_faults.h"
#include "formats/wsdb_layout.h"
#include "formats/wsdb_reader.h"

namespace warpseq {

namespace {

using wsdb_v1::FileHeader;
using wsdb_v1::SectionEntry;
using wsdb_v1::SectionType;

constexpr std::string_view kWhatToDo =
    "; databases of version 1 cannot be repaired: take an undamaged copy of the file, or convert its FASTA again";

constexpr std::array<std::string_view, wsdb_v1::kKnownSections + 1> kSectionNames = {
    "",           "TILES",           "BLOCKS",         "BLOCK_INDEX",        "TILE_INDEX",
    "LENGTHS",    "INPUT_POSITIONS", "HEADER_OFFSETS", "HEADER_BLOCK_INDEX", "HEADERS",
    "NAME_INDEX", "STATISTICS",      "PROVENANCE"};

SectionType type_of(const SectionEntry& entry) { return static_cast<SectionType>(entry.type); }

/// Whether its checksum is looked at when the file is opened. Tiles and frames have checksums of their own, which are looked at when they
/// are read.
bool is_checked_at_once(std::uint32_t type) {
    return type != static_cast<std::uint32_t>(SectionType::kTiles) &&
           type != static_cast<std::uint32_t>(SectionType::kBlocks) &&
           type != static_cast<std::uint32_t>(SectionType::kHeaders);
}

bool all_zero(std::span<const std::uint8_t> bytes) {
    return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

bool begins_as_wsdb_v1(const std::filesystem::path& file) {
    if (!begins_as_wsdb(file)) return false;
    constexpr std::size_t kVersionEnd = offsetof(FileHeader, version_major) + sizeof(std::uint16_t);
    std::array<std::uint8_t, kVersionEnd> start{};
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    const ssize_t got = pread(descriptor, start.data(), start.size(), 0);
    close(descriptor);
    std::uint16_t version;
    std::memcpy(&version, start.data() + offsetof(FileHeader, version_major), sizeof version);
    return got == static_cast<ssize_t>(start.size()) &&
           std::equal(wsdb::kMagic.begin(), wsdb::kMagic.end(), start.begin()) && version == wsdb_v1::kVersionMajor;
}

Result<WsdbV1File> WsdbV1File::open(const std::filesystem::path& file) {
    auto mapped = MappedFile::open(file);
    if (!mapped.ok()) return mapped.status();
    WsdbV1File opened;
    opened.file_ = file;
    opened.mapped_ = *std::move(mapped);
    opened.bytes_ = opened.mapped_.bytes();
    WARPSEQ_TRY(opened.check());
    return opened;
}

std::string WsdbV1File::content_digest() const { return wsdb::digest_text(header_.content_digest); }

std::string WsdbV1File::section_text(SectionType type) {
    return "section " + std::string(kSectionNames[static_cast<std::size_t>(type)]);
}

Status WsdbV1File::refuse(std::uint64_t offset_bytes, std::string what, std::string expected, std::string found) const {
    WsdbFaults faults(false);
    faults.add(offset_bytes, std::move(what), std::move(expected), std::move(found));
    return status_of(faults);
}

Status WsdbV1File::refuse(std::uint64_t offset_bytes, std::string what, std::uint64_t expected,
                          std::uint64_t found) const {
    return refuse(offset_bytes, std::move(what), std::to_string(expected), std::to_string(found));
}

Status WsdbV1File::refuse_checksum(std::uint64_t offset_bytes, std::string what, std::uint64_t expected,
                                   std::uint64_t found) const {
    WsdbFaults faults(false);
    faults.add_checksum(offset_bytes, std::move(what), expected, found);
    return status_of(faults);
}

Status WsdbV1File::status_of(const WsdbFaults& faults) const {
    WARPSEQ_TRY(verify_not_cut());
    return Status::invalid_input(fault_status(file_, faults.list().front()).message() + std::string(kWhatToDo));
}

Status WsdbV1File::verify_not_cut() const {
    if (!mapped_.lost()) return {};
    return Status::invalid_input(file_.string() + ": was cut, or could not be read, while it was read");
}

Status WsdbV1File::check() {
    WARPSEQ_TRY(check_header());
    WARPSEQ_TRY(check_section_table());
    WARPSEQ_TRY(check_section_sizes());
    WARPSEQ_TRY(check_checksums());
    return read_small_sections();
}

Status WsdbV1File::check_header() {
    if (bytes_.size() < sizeof header_)
        return refuse(bytes_.size(), "the file ends inside its header", sizeof header_, bytes_.size());
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (header_.magic != wsdb::kMagic || header_.version_major != wsdb_v1::kVersionMajor)
        return refuse(0, "start of the file", "a warpseq database of version 1", "something else");
    const std::uint64_t checksum = checksum_of(&header_, offsetof(FileHeader, checksum));
    if (checksum != header_.checksum)
        return refuse_checksum(offsetof(FileHeader, checksum), "the header is damaged", header_.checksum, checksum);
    if (header_.version_minor != 0)
        return refuse(offsetof(FileHeader, version_minor), "minor version", 0, header_.version_minor);
    if (header_.header_bytes != sizeof header_)
        return refuse(offsetof(FileHeader, header_bytes), "size of the header", sizeof header_, header_.header_bytes);
    if (header_.file_bytes != bytes_.size()) {
        return refuse(offsetof(FileHeader, file_bytes),
                      header_.file_bytes > bytes_.size() ? "the file is cut short" : "bytes behind the database's end",
                      std::to_string(header_.file_bytes) + " bytes as the header says", std::to_string(bytes_.size()));
    }
    if (header_.codec > static_cast<std::uint32_t>(ResidueCodec::kZstd))
        return refuse(offsetof(FileHeader, codec), "codec", "0 (packed) or 1 (zstd)", std::to_string(header_.codec));
    if (header_.sequences == 0 || header_.sequences > wsdb::kMaxSequences) {
        return refuse(offsetof(FileHeader, sequences), "number of sequences", "1 to 2^40",
                      std::to_string(header_.sequences));
    }
    if (header_.residues > wsdb::kMaxResidues) {
        return refuse(offsetof(FileHeader, residues), "number of residues", "at most 2^56",
                      std::to_string(header_.residues));
    }
    if (header_.linear_tiles > header_.sequences) {
        return refuse(offsetof(FileHeader, linear_tiles), "number of linear tiles",
                      "at most the number of sequences, " + std::to_string(header_.sequences),
                      std::to_string(header_.linear_tiles));
    }
    const std::uint64_t tiles =
        header_.linear_tiles + (header_.sequences - header_.linear_tiles + kTileLanes - 1) / kTileLanes;
    if (header_.tiles != tiles) return refuse(offsetof(FileHeader, tiles), "number of tiles", tiles, header_.tiles);
    if (header_.longest_residues > header_.residues) {
        return refuse(offsetof(FileHeader, longest_residues), "length of the longest sequence",
                      "at most " + std::to_string(header_.residues), std::to_string(header_.longest_residues));
    }
    if (!all_zero(header_.reserved))
        return refuse(offsetof(FileHeader, reserved), "reserved bytes of the header", "zeros", "something else");
    if (header_.section_count > wsdb_v1::kMaxSections) {
        return refuse(offsetof(FileHeader, section_count), "number of sections",
                      "at most " + std::to_string(wsdb_v1::kMaxSections), std::to_string(header_.section_count));
    }
    return {};
}

Status WsdbV1File::check_section_table() {
    std::uint64_t end = sizeof header_;
    for (std::size_t index = 0; index < wsdb_v1::kMaxSections; ++index) {
        const SectionEntry& entry = header_.sections[index];
        const std::uint64_t at = offsetof(FileHeader, sections) + index * sizeof entry;
        if (index >= header_.section_count) {
            const SectionEntry none{};
            if (std::memcmp(&entry, &none, sizeof none) == 0) continue;
            return refuse(at, indexed("unused entry of the section table", index), "zeros", "something else");
        }
        if (entry.type == 0 || entry.type > wsdb_v1::kKnownSections) {
            return refuse(at + offsetof(SectionEntry, type), indexed("type of section", index), "1 to 12",
                          std::to_string(entry.type));
        }
        if (sections_[entry.type].type != 0)
            return refuse(at, section_text(type_of(entry)), "one of them", "a second one");
        if (entry.flags != 0)
            return refuse(at + offsetof(SectionEntry, flags), "flags of " + section_text(type_of(entry)), 0,
                          entry.flags);
        const std::uint64_t begin = wsdb::align_up(end, wsdb::kSectionAlignmentBytes);
        if (entry.offset_bytes != begin) {
            return refuse(at + offsetof(SectionEntry, offset_bytes), "offset of " + section_text(type_of(entry)), begin,
                          entry.offset_bytes);
        }
        if (begin > bytes_.size() || entry.size_bytes > bytes_.size() - begin) {
            return refuse(at + offsetof(SectionEntry, size_bytes), "size of " + section_text(type_of(entry)),
                          "at most " + std::to_string(bytes_.size() - std::min<std::uint64_t>(begin, bytes_.size())),
                          std::to_string(entry.size_bytes));
        }
        if (!all_zero(bytes_.subspan(end, begin - end)))
            return refuse(end, "padding before " + section_text(type_of(entry)), "zeros", "something else");
        sections_[entry.type] = entry;
        end = begin + entry.size_bytes;
    }
    if (end != bytes_.size()) return refuse(end, "end of the last section", bytes_.size(), end);
    return {};
}

Status WsdbV1File::check_section_sizes() const {
    const std::uint64_t n = header_.sequences;
    struct Size {
        SectionType type;
        std::uint64_t item_bytes;            // 0: of any size
        std::optional<std::uint64_t> items;  // where the header tells
    };
    const std::array<Size, wsdb_v1::kKnownSections> sizes = {{
        {SectionType::kTiles, 0, header_.tiles},
        {SectionType::kBlocks, 0, {}},
        {SectionType::kBlockIndex, sizeof(wsdb_v1::BlockEntry), {}},
        {SectionType::kTileIndex, sizeof(wsdb_v1::TileEntry), header_.tiles},
        {SectionType::kLengths, sizeof(std::uint64_t), n},
        {SectionType::kInputPositions, sizeof(std::uint64_t), n},
        {SectionType::kHeaderOffsets, sizeof(std::uint64_t), n + 1},
        {SectionType::kHeaderBlockIndex, sizeof(wsdb_v1::HeaderBlockEntry), {}},
        {SectionType::kHeaders, 0, {}},
        {SectionType::kNameIndex, sizeof(wsdb::NameEntry), n},
        {SectionType::kStatistics, sizeof(wsdb::Statistics), 1},
        {SectionType::kProvenance, 0, 1},
    }};
    for (const Size& each : sizes) {
        const SectionEntry& entry = section(each.type);
        const bool of_other_codec = is_packed()
                                        ? each.type == SectionType::kBlocks || each.type == SectionType::kBlockIndex
                                        : each.type == SectionType::kTiles;
        if ((entry.type != 0) == of_other_codec) {
            return refuse(offsetof(FileHeader, sections), section_text(each.type),
                          of_other_codec ? "none with this codec" : "one", of_other_codec ? "one" : "none");
        }
        if (of_other_codec) continue;
        if (each.items && entry.items != *each.items)
            return refuse(offsetof(FileHeader, sections), "items of " + section_text(each.type), *each.items,
                          entry.items);
        if (each.item_bytes != 0 &&
            (entry.size_bytes % each.item_bytes != 0 || entry.size_bytes / each.item_bytes != entry.items)) {
            return refuse(offsetof(FileHeader, sections), "size of " + section_text(each.type),
                          std::to_string(entry.items) + " items of " + std::to_string(each.item_bytes) + " bytes",
                          std::to_string(entry.size_bytes) + " bytes");
        }
    }
    if (section(SectionType::kHeaders).items != section(SectionType::kHeaderBlockIndex).items ||
        section(SectionType::kBlocks).items != section(SectionType::kBlockIndex).items)
        return refuse(offsetof(FileHeader, sections), "items of an index", "as many as there are blocks", "others");
    return {};
}

Status WsdbV1File::check_checksums() const {
    for (const SectionEntry& entry : sections_) {
        if (entry.type == 0 || !is_checked_at_once(entry.type)) continue;
        const std::uint64_t found = checksum_of(bytes_.data() + entry.offset_bytes, entry.size_bytes);
        if (found != entry.checksum)
            return refuse_checksum(entry.offset_bytes, section_text(type_of(entry)) + " is damaged", entry.checksum,
                                   found);
    }
    return {};
}

Status WsdbV1File::read_small_sections() {
    const auto statistics = item<wsdb::Statistics>(SectionType::kStatistics, 0);
    counts_before_.gaps_removed = statistics.gaps_removed;
    counts_before_.unnamed = statistics.unnamed_sequences;
    counts_before_.skipped_invalid = statistics.skipped_invalid;
    const auto in_map = bytes_of(SectionType::kProvenance);
    const std::string text(in_map.begin(), in_map.end());
    if (auto found = read_provenance(text)) {
        provenance_ = *std::move(found);
        return {};
    }
    return refuse(section(SectionType::kProvenance).offset_bytes, "provenance", "JSON text", "something else");
}

}  // namespace warpseq
