#include "formats/wsdb/wsdb_section_writer.h"

#include <algorithm>
#include <array>

#include "formats/io/byte_spans.h"
#include "formats/io/checksum.h"

namespace warpseq {

Status WsdbSectionWriter::append(wsdb::SectionType type, Spool& column) {
    WARPSEQ_TRY(begin(type));
    WARPSEQ_TRY(column.drain([this](std::span<const std::uint8_t> part) { return write(part); }));
    end();
    return {};
}

Status WsdbSectionWriter::append(wsdb::SectionType type, std::span<const std::uint8_t> bytes) {
    WARPSEQ_TRY(begin(type));
    WARPSEQ_TRY(write(bytes));
    end();
    return {};
}

Status WsdbSectionWriter::begin(wsdb::SectionType type) {
    static constexpr std::array<std::uint8_t, wsdb::kSectionAlignmentBytes> kZeros{};
    const std::uint64_t size_bytes = out_.size_bytes();
    start_bytes_ = wsdb::align_up(size_bytes, wsdb::kSectionAlignmentBytes);
    type_ = type;
    return out_.append(std::span(kZeros).first(static_cast<std::size_t>(start_bytes_ - size_bytes)));
}

Status WsdbSectionWriter::write(std::span<const std::uint8_t> bytes) {
    if (wsdb::is_in_checksums(static_cast<std::uint32_t>(type_))) {
        for (std::span<const std::uint8_t> rest = bytes; !rest.empty();) {
            const auto part = rest.first(std::min<std::size_t>(rest.size(), wsdb::kChecksumBlockBytes - block_.size()));
            if (part.size() == wsdb::kChecksumBlockBytes) {
                checksums_.push_back(checksum_of(part.data(), part.size()));
            } else {
                block_.insert(block_.end(), part.begin(), part.end());
                if (block_.size() == wsdb::kChecksumBlockBytes) end_block();
            }
            rest = rest.subspan(part.size());
        }
    }
    return out_.append(bytes);
}

void WsdbSectionWriter::end_block() {
    checksums_.push_back(checksum_of(block_.data(), block_.size()));
    block_.clear();
}

void WsdbSectionWriter::end() {
    if (!block_.empty()) end_block();
    enter(type_, out_.size_bytes() - start_bytes_);
}

void WsdbSectionWriter::enter(wsdb::SectionType type, std::uint64_t size_bytes) {
    wsdb::SectionEntry& entry = header_.sections[header_.section_count++];
    entry.type = static_cast<std::uint32_t>(type);
    entry.flags = wsdb::is_optional(type) ? wsdb::kSectionMayBeIgnored : 0;
    entry.offset_bytes = out_.size_bytes() - size_bytes;
    entry.size_bytes = size_bytes;
}

Status WsdbSectionWriter::finish() {
    WARPSEQ_TRY(append(wsdb::SectionType::kChecksums, column_bytes(checksums_)));
    header_.checksums_checksum = checksum_of(checksums_.data(), checksums_.size() * sizeof(std::uint64_t));
    return {};
}

}  // namespace warpseq
