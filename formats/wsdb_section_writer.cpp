#include "formats/wsdb_section_writer.h"

#include <xxhash.h>

#include <array>

namespace warpseq {

Status WsdbSectionWriter::append(wsdb::SectionType type, Spool& column, std::uint64_t items) {
    WARPSEQ_TRY(begin());
    const std::uint64_t size_bytes = column.size_bytes();
    const std::uint64_t checksum = column.checksum();
    WARPSEQ_TRY(column.drain([this](std::span<const std::uint8_t> part) { return write(part); }));
    enter(type, items, size_bytes, checksum);
    return {};
}

Status WsdbSectionWriter::append(wsdb::SectionType type, std::span<const std::uint8_t> bytes) {
    WARPSEQ_TRY(begin());
    WARPSEQ_TRY(write(bytes));
    enter(type, 1, bytes.size(), XXH3_64bits(bytes.data(), bytes.size()));
    return {};
}

Status WsdbSectionWriter::begin() {
    static constexpr std::array<std::uint8_t, wsdb::kSectionAlignmentBytes> kZeros{};
    const std::uint64_t size_bytes = out_.size_bytes();
    const std::uint64_t padding_bytes = wsdb::align_up(size_bytes, wsdb::kSectionAlignmentBytes) - size_bytes;
    return out_.append(std::span(kZeros).first(static_cast<std::size_t>(padding_bytes)));
}

void WsdbSectionWriter::enter(wsdb::SectionType type, std::uint64_t items, std::uint64_t size_bytes,
                              std::uint64_t checksum) {
    wsdb::SectionEntry& entry = header_.sections[header_.section_count++];
    entry.type = static_cast<std::uint32_t>(type);
    entry.offset_bytes = out_.size_bytes() - size_bytes;
    entry.size_bytes = size_bytes;
    entry.items = items;
    entry.checksum = checksum;
}

}  // namespace warpseq
