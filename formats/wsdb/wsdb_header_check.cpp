// Implements WsdbReader::Map::check_header(), which checks the signature, the numbers of the header
// and the section table.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "formats/io/checksum.h"
#include "formats/wsdb/wsdb_map.h"

namespace warpseq {

namespace {

using wsdb::FileHeader;
using wsdb::SectionEntry;
using wsdb::SectionType;

/// Returns the bytes of one item of a section, or 0 if its items have no fixed size.
std::uint64_t item_bytes(SectionType type) {
    switch (type) {
        case SectionType::kBlockIndex: return sizeof(wsdb::BlockEntry);
        case SectionType::kTileIndex: return sizeof(wsdb::TileEntry);
        case SectionType::kLengths: return sizeof(std::uint32_t);
        case SectionType::kInputPositions: return sizeof(std::uint32_t);  // or twice that
        case SectionType::kHeaderBlockIndex: return sizeof(wsdb::HeaderBlockEntry);
        case SectionType::kNameIndex: return sizeof(wsdb::NameEntry);
        case SectionType::kStatistics: return sizeof(wsdb::Statistics);
        case SectionType::kTiles:
        case SectionType::kBlocks:
        case SectionType::kHeaders:
        case SectionType::kProvenance:
        case SectionType::kTaxonomy: return 0;
        case SectionType::kTaxids: return sizeof(std::uint32_t);
        case SectionType::kChecksums: return sizeof(std::uint64_t);
    }
    return 0;
}

std::string_view codec_name(ResidueCodec codec) { return codec == ResidueCodec::kPacked ? "packed" : "zstd"; }

std::string section_text(SectionType type) { return "section " + std::string(section_name(type)); }

template <typename T>
std::span<const T> items_of(std::span<const std::uint8_t> bytes) {
    // Sections are aligned to 4096 bytes in the file, and the map to a page, so the cast is
    // aligned.
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Runs the checks in an order in which each makes the next one safe. Every function returns false,
/// with a fault, if something is wrong.
class HeaderCheck {
   public:
    HeaderCheck(WsdbReader::Map& map, WsdbFaults& faults)
        : map_(map), header_(map.header), bytes_(map.bytes), faults_(faults) {}

    bool run() {
        return check_signature() && copy_header() && check_numbers() && check_section_table() &&
               check_sections_of_codec() && check_sizes() && copy_checksums();
    }

   private:
    bool check_signature();
    /// Copies the header. After that it cannot change.
    bool copy_header();
    bool check_numbers();
    /// Checks offsets, sizes and types. Copies the entries of known sections into the map's
    /// `sections`.
    bool check_section_table();
    /// Checks one entry of the table. `end` is the end of the section before, and becomes the end
    /// of this one.
    bool check_section(std::size_t index, std::uint64_t& end);
    bool check_sections_of_codec();
    /// Checks that the size of each section agrees with the numbers of the header.
    bool check_sizes();
    bool copy_checksums();

    bool refuse(std::size_t offset, std::string what, std::string expected, std::uint64_t found) {
        faults_.add(offset, std::move(what), std::move(expected), std::to_string(found));
        return false;
    }

    WsdbReader::Map& map_;
    FileHeader& header_;
    const std::span<const std::uint8_t> bytes_;
    WsdbFaults& faults_;
};

bool HeaderCheck::check_signature() {
    const auto magic_size = std::min(bytes_.size(), wsdb::kMagic.size());
    if (bytes_.empty()) {
        faults_.add(0, "the file is empty", "a warpseq database", "0 bytes");
        return false;
    }
    if (std::equal(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(magic_size), wsdb::kMagic.begin())) {
        return true;
    }
    std::string found = "bytes";
    for (std::size_t i = 0; i < magic_size; ++i) {
        std::array<char, 8> text{};
        std::snprintf(text.data(), text.size(), " %02x", bytes_[i]);
        found += text.data();
    }
    if (bytes_[0] == '>') found += " (FASTA begins so; dbconv converts it)";
    const bool as_text = bytes_.size() >= 4 && std::memcmp(bytes_.data() + 1, "WSD", 3) == 0;
    faults_.add(0, as_text ? "signature (was the file copied as text?)" : "not a warpseq database",
                "the signature 89 57 53 44 0d 0a 1a 0a (dbconv makes databases)", found);
    return false;
}

bool HeaderCheck::copy_header() {
    if (bytes_.size() < sizeof header_) {
        faults_.add(bytes_.size(), "the file ends inside its header", std::to_string(sizeof header_) + " bytes",
                    std::to_string(bytes_.size()));
        return false;
    }
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (header_.version_major != wsdb::kVersionMajor) {
        return refuse(offsetof(FileHeader, version_major), "format version",
                      std::to_string(wsdb::kVersionMajor) + " (this program reads no other)", header_.version_major);
    }
    const std::uint64_t checksum = checksum_of(bytes_.data(), offsetof(FileHeader, checksum));
    if (checksum != header_.checksum) {
        faults_.add_checksum(offsetof(FileHeader, checksum), "the header is damaged", header_.checksum, checksum);
        return false;
    }
    return true;
}

// The functions below run after the checksum was found right. What they refuse was made on purpose
// or by a faulty writer.

bool HeaderCheck::check_numbers() {
    if (header_.header_bytes != sizeof header_) {
        return refuse(offsetof(FileHeader, header_bytes), "size of the header", "4096", header_.header_bytes);
    }
    if (header_.file_bytes != bytes_.size()) {
        return refuse(offsetof(FileHeader, file_bytes),
                      header_.file_bytes > bytes_.size() ? "the file is cut short" : "bytes behind the database's end",
                      std::to_string(header_.file_bytes) + " bytes as the header says", bytes_.size());
    }
    if (header_.codec > static_cast<std::uint32_t>(ResidueCodec::kZstd)) {
        return refuse(offsetof(FileHeader, codec), "codec", "0 (packed) or 1 (zstd)", header_.codec);
    }
    if (header_.sequences == 0 || header_.sequences > wsdb::kMaxSequences) {
        return refuse(offsetof(FileHeader, sequences), "number of sequences", "1 to 2^40", header_.sequences);
    }
    if (header_.residues > wsdb::kMaxResidues) {
        return refuse(offsetof(FileHeader, residues), "number of residues", "at most 2^56", header_.residues);
    }
    if (header_.linear_tiles > header_.sequences) {
        return refuse(offsetof(FileHeader, linear_tiles), "number of linear tiles",
                      "at most the number of sequences, " + std::to_string(header_.sequences), header_.linear_tiles);
    }
    if (header_.longest_residues > std::min(wsdb::kMaxSequenceResidues, header_.residues)) {
        return refuse(offsetof(FileHeader, longest_residues), "length of the longest sequence",
                      "at most " + std::to_string(std::min(wsdb::kMaxSequenceResidues, header_.residues)),
                      header_.longest_residues);
    }
    if ((header_.required_features & ~wsdb::feature::kKnown) != 0) {
        return refuse(offsetof(FileHeader, required_features), "features that a reader must understand",
                      "none but " + std::to_string(wsdb::feature::kKnown) + " (a newer program may know them)",
                      header_.required_features);
    }
    if (header_.alphabet != wsdb::kProteinAlphabet) {
        return refuse(offsetof(FileHeader, alphabet), "alphabet",
                      std::to_string(wsdb::kProteinAlphabet) + " (proteins)", header_.alphabet);
    }
    const bool same_minor = header_.version_minor <= wsdb::kVersionMinor;
    const auto zero = [](std::uint8_t byte) { return byte == 0; };
    if (same_minor && !std::ranges::all_of(header_.reserved, zero)) {
        faults_.add(offsetof(FileHeader, reserved), "reserved bytes of the header", "zeros", "something else");
        return false;
    }
    if (header_.section_count > wsdb::kMaxSections) {
        return refuse(offsetof(FileHeader, section_count), "number of sections",
                      "at most " + std::to_string(wsdb::kMaxSections), header_.section_count);
    }
    return true;
}

bool HeaderCheck::check_section_table() {
    std::uint64_t end = sizeof header_;
    for (std::size_t index = 0; index < header_.section_count; ++index) {
        if (!check_section(index, end)) return false;
    }
    for (std::size_t index = header_.section_count; index < wsdb::kMaxSections; ++index) {
        const SectionEntry none{};
        if (std::memcmp(&header_.sections[index], &none, sizeof none) == 0) continue;
        faults_.add(offsetof(FileHeader, sections) + index * sizeof none,
                    indexed("unused entry of the section table", index), "zeros", "something else");
        return false;
    }
    if (end == bytes_.size()) return true;
    return refuse(end, "end of the last section", std::to_string(bytes_.size()) + ", the file's end", end);
}

bool HeaderCheck::check_section(std::size_t index, std::uint64_t& end) {
    const SectionEntry& entry = header_.sections[index];
    const std::size_t place = offsetof(FileHeader, sections) + index * sizeof entry;
    const std::uint64_t expected_offset = wsdb::align_up(end, wsdb::kSectionAlignmentBytes);
    if (entry.offset_bytes != expected_offset) {
        return refuse(place + offsetof(SectionEntry, offset_bytes), indexed("offset of section", index),
                      std::to_string(expected_offset), entry.offset_bytes);
    }
    if (entry.offset_bytes > bytes_.size() || entry.size_bytes > bytes_.size() - entry.offset_bytes) {
        return refuse(place + offsetof(SectionEntry, size_bytes), indexed("size of section", index),
                      "at most what the file holds behind byte " + std::to_string(entry.offset_bytes),
                      entry.size_bytes);
    }
    end = entry.offset_bytes + entry.size_bytes;
    if (entry.type == 0 || entry.type > wsdb::kKnownSections) {
        if ((entry.flags & wsdb::kSectionMayBeIgnored) != 0) return true;
        return refuse(place, indexed("type of section", index), "1 to 14 (a newer program may know it)", entry.type);
    }
    const auto type = static_cast<SectionType>(entry.type);
    const std::uint32_t flags = wsdb::is_optional(type) ? wsdb::kSectionMayBeIgnored : 0;
    if (entry.flags != flags) {
        return refuse(place + offsetof(SectionEntry, flags), "flags of " + section_text(type), std::to_string(flags),
                      entry.flags);
    }
    if (map_.sections[entry.type].type != 0) return refuse(place, section_text(type), "only one", 2);
    map_.sections[entry.type] = entry;
    return true;
}

bool HeaderCheck::check_sections_of_codec() {
    const bool zstd = map_.codec() == ResidueCodec::kZstd;
    for (std::uint32_t number = 1; number <= wsdb::kKnownSections; ++number) {
        const auto type = static_cast<SectionType>(number);
        const bool only_packed = type == SectionType::kTiles;
        const bool only_zstd = type == SectionType::kBlocks || type == SectionType::kBlockIndex;
        const bool wanted = only_packed ? !zstd : only_zstd ? zstd : true;
        if (wanted == (map_.sections[number].type != 0) || wsdb::is_optional(type)) continue;
        faults_.add(offsetof(FileHeader, sections), section_text(type),
                    std::string(wanted ? "one" : "none") + " with codec " + std::string(codec_name(map_.codec())),
                    wanted ? "none" : "one");
        return false;
    }
    return true;
}

bool HeaderCheck::check_sizes() {
    const std::uint64_t n = header_.sequences;
    const bool wide = (header_.required_features & wsdb::feature::kWideInputPositions) != 0;
    std::uint64_t checksums = 0;
    for (const SectionEntry& entry : std::span(header_.sections).first(header_.section_count))
        if (wsdb::is_in_checksums(entry.type)) checksums += wsdb::checksum_blocks(entry.size_bytes);
    struct Size {
        SectionType type;
        std::uint64_t items;  // at least
        bool exactly;
        std::uint64_t factor = 1;
    };
    for (const Size& size :
         {Size{SectionType::kTileIndex, map_.tile_count() + 1, true}, Size{SectionType::kLengths, n, true},
          Size{SectionType::kInputPositions, n, true, wide ? 2u : 1u}, Size{SectionType::kHeaderBlockIndex, 2, false},
          Size{SectionType::kBlockIndex, 2, false}, Size{SectionType::kNameIndex, n, false},
          Size{SectionType::kStatistics, 1, true}, Size{SectionType::kChecksums, checksums, true},
          Size{SectionType::kTaxids, wsdb::taxid_lists_offset_bytes(n) / sizeof(std::uint32_t), false}}) {
        const SectionEntry& entry = map_.section(size.type);
        if (entry.type == 0) continue;  // belongs to the other codec, or is optional
        const std::uint64_t each = item_bytes(size.type) * size.factor;
        if (entry.size_bytes % each == 0 &&
            (size.exactly ? entry.size_bytes / each == size.items : entry.size_bytes / each >= size.items))
            continue;
        return refuse(offsetof(FileHeader, sections), "size of " + section_text(size.type),
                      std::to_string(size.items) + (size.exactly ? "" : " or more") + " items of " +
                          std::to_string(each) + " bytes",
                      entry.size_bytes);
    }
    return true;
}

bool HeaderCheck::copy_checksums() {
    const SectionEntry& entry = map_.section(SectionType::kChecksums);
    map_.checksums.resize(entry.size_bytes / sizeof(std::uint64_t));
    std::memcpy(map_.checksums.data(), bytes_.data() + entry.offset_bytes, entry.size_bytes);
    const std::uint64_t found = checksum_of(map_.checksums.data(), entry.size_bytes);
    if (found != header_.checksums_checksum) {
        faults_.add_checksum(entry.offset_bytes, "section CHECKSUMS is damaged", header_.checksums_checksum, found);
        return false;
    }
    std::uint64_t first = 0;
    for (const SectionEntry& each : std::span(header_.sections).first(header_.section_count)) {
        if (!wsdb::is_in_checksums(each.type)) continue;
        if (each.type <= wsdb::kKnownSections) map_.first_checksum[each.type] = first;
        first += wsdb::checksum_blocks(each.size_bytes);
    }
    map_.checked = std::vector<std::atomic<std::uint64_t>>((first + 63) / 64);
    return true;
}

}  // namespace

bool WsdbReader::Map::check_header(WsdbFaults& faults) {
    if (!HeaderCheck(*this, faults).run()) return false;
    tiles = items_of<wsdb::TileEntry>(section_bytes(SectionType::kTileIndex));
    header_blocks = items_of<wsdb::HeaderBlockEntry>(section_bytes(SectionType::kHeaderBlockIndex));
    names = items_of<wsdb::NameEntry>(section_bytes(SectionType::kNameIndex));
    if (codec() == ResidueCodec::kZstd) blocks = items_of<wsdb::BlockEntry>(section_bytes(SectionType::kBlockIndex));
    return true;
}

}  // namespace warpseq
