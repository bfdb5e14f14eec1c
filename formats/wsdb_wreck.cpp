#include "formats/wsdb_wreck.h"

#include <algorithm>
#include <new>

// For ZSTD_decompressBound() and ZSTD_findFrameCompressedSize(), which every version since 1.4.0 has under these names.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "formats/checksum.h"

namespace warpseq {
namespace {

using wsdb::FileHeader;
using wsdb::SectionEntry;
using wsdb::SectionType;

std::uint64_t header_checksum(const FileHeader& header) { return checksum_of(&header, offsetof(FileHeader, checksum)); }

/// Finds the byte that is wrong, if it is one alone, and puts it right: a million hashes of 4 KiB, a fifth of a second.
bool repair(FileHeader& header) {
    auto* const bytes = reinterpret_cast<std::uint8_t*>(&header);
    for (std::size_t place = 0; place < sizeof header; ++place) {
        const std::uint8_t found = bytes[place];
        const bool in_checksum = place >= offsetof(FileHeader, checksum);
        if (in_checksum) {
            // One byte of the checksum itself: the rest of it has to be right.
            const std::uint64_t difference = header_checksum(header) ^ header.checksum;
            if ((difference & ~(std::uint64_t{0xff} << 8 * (place - offsetof(FileHeader, checksum)))) != 0) continue;
            header.checksum ^= difference;
            return true;
        }
        for (unsigned value = 0; value < 256; ++value) {
            bytes[place] = static_cast<std::uint8_t>(value);
            if (value != found && header_checksum(header) == header.checksum) return true;
        }
        bytes[place] = found;
    }
    return false;
}

}  // namespace

Result<WsdbWreck> WsdbWreck::open(const std::filesystem::path& file) {
    auto mapped = MappedFile::open(file);
    if (!mapped.ok()) return mapped.status();
    WsdbWreck wreck;
    wreck.mapped_ = *std::move(mapped);
    WARPSEQ_TRY(wreck.read_header(file));
    wreck.read_checksums();
    return wreck;
}

Status WsdbWreck::read_header(const std::filesystem::path& file) {
    const auto bytes = mapped_.bytes();
    const std::string name = file.string();
    const bool has_magic =
        bytes.size() >= wsdb::kMagic.size() && std::equal(wsdb::kMagic.begin(), wsdb::kMagic.end(), bytes.begin());
    if (bytes.size() < sizeof header_) {
        return Status::invalid_input(name + (has_magic ? ": the file ends inside its header; nothing of it can be saved"
                                                       : ": not a warpseq database; nothing of it can be saved"));
    }
    std::memcpy(&header_, bytes.data(), sizeof header_);
    if (header_checksum(header_) != header_.checksum || !has_magic) {
        FileHeader repaired = header_;
        repaired.magic = wsdb::kMagic;
        if (header_checksum(repaired) == repaired.checksum) {
            header_damage_ = "its signature was wrong and is known";
        } else if (!has_magic) {
            return Status::invalid_input(name + ": not a warpseq database; nothing of it can be saved");
        } else if (repair(repaired)) {
            header_damage_ = "one byte was wrong, its checksum tells which";
        } else {
            header_damage_ = "more than one byte is wrong; there may be more sequences than it says";
            header_is_lost_ = true;
        }
        header_ = repaired;
    }
    if (header_.version_major != wsdb::kVersionMajor) {
        return Status::invalid_input(name + ": format version " + std::to_string(header_.version_major) +
                                     "; this program saves sequences of version " +
                                     std::to_string(wsdb::kVersionMajor) + " alone");
    }
    header_.section_count = std::min<std::uint32_t>(header_.section_count, wsdb::kMaxSections);
    if (header_damage_.empty() &&
        ((header_.required_features & ~wsdb::feature::kKnown) != 0 || header_.alphabet != wsdb::kProteinAlphabet))
        return Status::invalid_input(name +
                                     ": a newer program has written it, which is needed to save its sequences, too");
    header_.sequences = std::min(header_.sequences, items(SectionType::kLengths, sizeof(std::uint32_t)));
    header_.linear_tiles = std::min(header_.linear_tiles, header_.sequences);
    if (header_.codec > 1) return Status::invalid_input(name + ": its codec is unknown; nothing of it can be saved");
    return {};
}

const SectionEntry* WsdbWreck::entry(SectionType type) const {
    for (std::uint32_t i = 0; i < header_.section_count; ++i) {
        if (header_.sections[i].type == static_cast<std::uint32_t>(type)) return &header_.sections[i];
    }
    return nullptr;
}

std::span<const std::uint8_t> WsdbWreck::section(SectionType type) const {
    const SectionEntry* const found = entry(type);
    const auto bytes = mapped_.bytes();
    if (found == nullptr || found->offset_bytes >= bytes.size()) return {};
    return bytes.subspan(found->offset_bytes,
                         std::min<std::uint64_t>(found->size_bytes, bytes.size() - found->offset_bytes));
}

std::uint64_t WsdbWreck::items(SectionType type, std::size_t item_bytes) const {
    const SectionEntry* const found = entry(type);
    return found == nullptr ? 0 : found->size_bytes / item_bytes;
}

void WsdbWreck::read_checksums() {
    const SectionEntry* const found = entry(SectionType::kChecksums);
    const auto bytes = section(SectionType::kChecksums);
    if (found == nullptr || bytes.size() != found->size_bytes) return;
    const std::size_t whole_bytes = bytes.size() / sizeof(std::uint64_t) * sizeof(std::uint64_t);
    if (whole_bytes == 0 || checksum_of(bytes.data(), whole_bytes) != header_.checksums_checksum) return;
    checksums_.resize(whole_bytes / sizeof(std::uint64_t));
    std::memcpy(checksums_.data(), bytes.data(), whole_bytes);
}

bool WsdbWreck::is_proven(SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    if (checksums_.empty() || !wsdb::is_in_checksums(static_cast<std::uint32_t>(type))) return false;
    std::uint64_t first = 0;
    for (std::uint32_t i = 0; i < header_.section_count; ++i) {
        const SectionEntry& each = header_.sections[i];
        if (!wsdb::is_in_checksums(each.type)) continue;
        if (each.type != static_cast<std::uint32_t>(type)) {
            first += wsdb::checksum_blocks(each.size_bytes);
            continue;
        }
        const auto bytes = section(type);
        if (bytes.size() != each.size_bytes || offset_bytes > bytes.size() || size_bytes > bytes.size() - offset_bytes)
            return false;
        for (std::uint64_t block = offset_bytes / wsdb::kChecksumBlockBytes;
             block * wsdb::kChecksumBlockBytes < offset_bytes + size_bytes; ++block) {
            const std::uint64_t begin = block * wsdb::kChecksumBlockBytes;
            const std::uint64_t size = std::min<std::uint64_t>(wsdb::kChecksumBlockBytes, bytes.size() - begin);
            if (first + block >= checksums_.size() ||
                checksum_of(bytes.data() + begin, size) != checksums_[first + block])
                return false;
        }
        return true;
    }
    return false;
}

std::optional<std::vector<std::uint8_t>> expand_wreck_frame(std::span<const std::uint8_t> frame) {
    const unsigned long long bound = ZSTD_decompressBound(frame.data(), frame.size());
    const unsigned long long raw_bytes = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (ZSTD_isError(bound) != 0 || raw_bytes > bound) return std::nullopt;
    std::vector<std::uint8_t> raw(raw_bytes);
    const std::size_t size = ZSTD_decompress(raw.data(), raw.size(), frame.data(), frame.size());
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(size) != 0 || size != raw_bytes) return std::nullopt;
    return raw;
}

std::optional<std::vector<std::uint8_t>> find_wreck_frame(std::span<const std::uint8_t> frames,
                                                          std::span<const std::uint64_t> offsets,
                                                          std::optional<std::uint64_t> end, std::uint64_t checksum,
                                                          std::uint64_t& end_found) {
    for (const std::uint64_t offset : offsets) {
        if (offset >= frames.size()) continue;
        const auto rest = frames.subspan(offset);
        const std::size_t own_size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
        for (const std::uint64_t size :
             {end && *end > offset ? *end - offset : 0, ZSTD_isError(own_size) != 0 ? 0 : std::uint64_t{own_size}}) {
            if (size == 0 || size > rest.size()) continue;
            std::vector<std::uint8_t> frame(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
            if (checksum_of(frame.data(), frame.size()) != checksum) continue;
            end_found = offset + size;
            return frame;
        }
    }
    return std::nullopt;
}

}  // namespace warpseq
