// Corrects all checksums of a database whose bytes were changed. Such changes could only come from
// an attacker or a faulty writer.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "formats/wsdb/wsdb_layout.h"

namespace warpseq::testing {

/// Writes the correct CHECKSUMS section, and the header with the checksum of that section and its
/// own. Skips sections that extend beyond the end of the file.
inline void put_checksums_right(std::vector<std::uint8_t>& bytes) {
    wsdb::FileHeader header;
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::vector<std::uint64_t> checksums;
    const wsdb::SectionEntry* last = nullptr;
    const auto count = std::min<std::size_t>(header.section_count, header.sections.size());
    for (std::size_t i = 0; i < count; ++i) {
        const wsdb::SectionEntry& entry = header.sections[i];
        if (entry.offset_bytes > bytes.size() || entry.size_bytes > bytes.size() - entry.offset_bytes) continue;
        if (entry.type == static_cast<std::uint32_t>(wsdb::SectionType::kChecksums)) last = &entry;
        if (!wsdb::is_in_checksums(entry.type)) continue;
        for (std::uint64_t at = 0; at < entry.size_bytes; at += wsdb::kChecksumBlockBytes) {
            checksums.push_back(XXH3_64bits(bytes.data() + entry.offset_bytes + at,
                                            std::min(wsdb::kChecksumBlockBytes, entry.size_bytes - at)));
        }
    }
    if (last != nullptr && !checksums.empty()) {
        std::memcpy(bytes.data() + last->offset_bytes, checksums.data(),
                    std::min<std::size_t>(last->size_bytes, checksums.size() * sizeof(std::uint64_t)));
        header.checksums_checksum = XXH3_64bits(bytes.data() + last->offset_bytes, last->size_bytes);
    }
    header.checksum = XXH3_64bits(&header, offsetof(wsdb::FileHeader, checksum));
    std::memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace warpseq::testing
