// Bytes of a database of version 1 changed in ways that only an attacker or a faulty writer would think of: all checksums are put right
// again, but for the digest of the content.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "formats/wsdb_v1_layout.h"

namespace warpseq::testing {

/// Those of tiles (packed codec), blocks and header blocks, then of sections, then of the header. What leaves the file is left alone.
inline void put_v1_checksums_right(std::vector<std::uint8_t>& bytes) {
    using wsdb_v1::SectionEntry;
    using wsdb_v1::SectionType;
    wsdb_v1::FileHeader header;
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto is_inside = [&](const SectionEntry& entry) {
        return entry.offset_bytes <= bytes.size() && entry.size_bytes <= bytes.size() - entry.offset_bytes;
    };
    const auto section = [&](SectionType type) {
        for (const SectionEntry& entry : header.sections) {
            if (entry.type == static_cast<std::uint32_t>(type) && is_inside(entry)) return entry;
        }
        return SectionEntry{};
    };
    const auto number_at = [&](std::uint64_t offset) {
        std::uint64_t number;
        std::memcpy(&number, bytes.data() + offset, sizeof number);
        return number;
    };
    // All three indexes have entries of 48 bytes, with the offset and the size of what the checksum is of.
    const auto fix = [&](SectionType index_type, SectionType content_type, std::size_t offset_field,
                         std::size_t checksum_field) {
        constexpr std::size_t kEntryBytes = sizeof(wsdb_v1::TileEntry);
        const SectionEntry index = section(index_type), content = section(content_type);
        for (std::uint64_t at = 0; at + kEntryBytes <= index.size_bytes; at += kEntryBytes) {
            const std::uint64_t entry = index.offset_bytes + at, offset = number_at(entry + offset_field);
            const bool is_tile = content_type == SectionType::kTiles;
            // A tile ends where the next one begins.
            const bool is_last = at + 2 * kEntryBytes > index.size_bytes;
            const std::uint64_t end = !is_tile  ? offset + number_at(entry + offset_field + sizeof offset)
                                      : is_last ? content.size_bytes
                                                : number_at(entry + kEntryBytes + offset_field);
            if (end > content.size_bytes || offset > end) continue;
            const std::uint64_t checksum =
                XXH3_64bits(bytes.data() + content.offset_bytes + offset, static_cast<std::size_t>(end - offset));
            std::memcpy(bytes.data() + entry + checksum_field, &checksum, sizeof checksum);
        }
    };
    static_assert(sizeof(wsdb_v1::BlockEntry) == sizeof(wsdb_v1::TileEntry) &&
                  sizeof(wsdb_v1::HeaderBlockEntry) == sizeof(wsdb_v1::TileEntry));
    fix(SectionType::kHeaderBlockIndex, SectionType::kHeaders, offsetof(wsdb_v1::HeaderBlockEntry, offset_bytes),
        offsetof(wsdb_v1::HeaderBlockEntry, checksum));
    fix(SectionType::kBlockIndex, SectionType::kBlocks, offsetof(wsdb_v1::BlockEntry, offset_bytes),
        offsetof(wsdb_v1::BlockEntry, checksum));
    if (section(SectionType::kTiles).type != 0) {
        fix(SectionType::kTileIndex, SectionType::kTiles, offsetof(wsdb_v1::TileEntry, offset),
            offsetof(wsdb_v1::TileEntry, checksum));
    }
    for (SectionEntry& entry : header.sections) {
        if (entry.type != 0 && is_inside(entry))
            entry.checksum = XXH3_64bits(bytes.data() + entry.offset_bytes, entry.size_bytes);
    }
    header.checksum = XXH3_64bits(&header, offsetof(wsdb_v1::FileHeader, checksum));
    std::memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace warpseq::testing
