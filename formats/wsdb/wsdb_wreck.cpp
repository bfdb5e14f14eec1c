#include "formats/wsdb/wsdb_wreck.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

// This is needed for ZSTD_decompressBound() and ZSTD_findFrameCompressedSize(), which every version
// since 1.4.0 has under these names.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "formats/io/checksum.h"

namespace warpseq {
namespace {

/// The size of the piece that is given up if the system cannot read it.
constexpr std::uint64_t kPageBytes = 4096;

using wsdb::FileHeader;
using wsdb::SectionEntry;
using wsdb::SectionType;

std::uint64_t header_checksum(const FileHeader& header) { return checksum_of(&header, offsetof(FileHeader, checksum)); }

/// Finds the wrong byte if there is only one, and repairs it. Takes a million hashes of 4 KiB, a
/// fifth of a second. Returns false if no single byte makes the checksum right.
bool repair(FileHeader& header) {
    auto* const bytes = reinterpret_cast<std::uint8_t*>(&header);
    for (std::size_t place = 0; place < sizeof header; ++place) {
        const std::uint8_t found = bytes[place];
        const bool in_checksum = place >= offsetof(FileHeader, checksum);
        if (in_checksum) {
            // Only one byte of the checksum may be wrong; the rest of it has to be right.
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
    auto opened = RegularFile::open(file);
    if (!opened.ok()) return opened.status();
    WsdbWreck wreck;
    wreck.file_ = *std::move(opened);
    WARPSEQ_TRY(wreck.read_header(file));
    wreck.read_checksums();
    return wreck;
}

Status WsdbWreck::read_header(const std::filesystem::path& file) {
    const std::string name = file.string();
    std::array<std::uint8_t, sizeof header_> bytes{};
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(file_->size_bytes(), bytes.size()));
    read_file(0, std::span(bytes).first(size));
    const bool has_magic =
        size >= wsdb::kMagic.size() && std::equal(wsdb::kMagic.begin(), wsdb::kMagic.end(), bytes.begin());
    if (unreadable_.bytes > 0)
        return Status::io(name + ": its header cannot be read: " + unreadable_.why + "; nothing of it can be saved");
    if (size < bytes.size()) {
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
                                     "; this program only saves sequences of version " +
                                     std::to_string(wsdb::kVersionMajor));
    }
    header_.section_count = std::min<std::uint32_t>(header_.section_count, wsdb::kMaxSections);
    if (header_damage_.empty() &&
        ((header_.required_features & ~wsdb::feature::kKnown) != 0 || header_.alphabet != wsdb::kProteinAlphabet))
        return Status::invalid_input(name + ": was written by a newer program; save its sequences with that program");
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

std::uint64_t WsdbWreck::size_bytes(SectionType type) const {
    const SectionEntry* const found = entry(type);
    if (found == nullptr || found->offset_bytes >= file_->size_bytes()) return 0;
    return std::min(found->size_bytes, file_->size_bytes() - found->offset_bytes);
}

void WsdbWreck::read(SectionType type, std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const {
    if (!buffer.empty()) read_file(entry(type)->offset_bytes + offset_bytes, buffer);
}

void WsdbWreck::read_file(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const {
    while (!buffer.empty()) {
        const std::uint64_t page_end = (offset_bytes / kPageBytes + 1) * kPageBytes;
        const auto page =
            buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), page_end - offset_bytes)));
        RegularFile::Part part = file_->read_some(offset_bytes, buffer);
        // The fault may be in a page behind this one.
        if (part.error != 0) part = file_->read_some(offset_bytes, page);
        std::size_t bytes = part.bytes;
        if (bytes == 0) {
            bytes = page.size();
            std::ranges::fill(page, std::uint8_t{0});
            if (unreadable_.bytes == 0) {
                unreadable_.first_offset_bytes = offset_bytes;
                unreadable_.why = part.error != 0 ? std::strerror(part.error) : "the file has become shorter";
            }
            unreadable_.bytes += bytes;
        }
        offset_bytes += bytes;
        buffer = buffer.subspan(bytes);
    }
}

void WsdbWreck::read_item(SectionType type, std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const {
    Window& window = windows_[static_cast<std::size_t>(type)];
    const std::uint64_t end = offset_bytes + buffer.size();
    if (offset_bytes < window.begin || end > window.begin + window.bytes.size()) {
        window.begin = offset_bytes;
        window.bytes.resize(static_cast<std::size_t>(
            std::min<std::uint64_t>(size_bytes(type) - offset_bytes, wsdb::kChecksumBlockBytes)));
        read(type, offset_bytes, window.bytes);
    }
    std::memcpy(buffer.data(), window.bytes.data() + (offset_bytes - window.begin), buffer.size());
}

std::uint64_t WsdbWreck::items(SectionType type, std::size_t item_bytes) const {
    const SectionEntry* const found = entry(type);
    return found == nullptr ? 0 : found->size_bytes / item_bytes;
}

void WsdbWreck::read_checksums() {
    const SectionEntry* const found = entry(SectionType::kChecksums);
    const std::uint64_t bytes = size_bytes(SectionType::kChecksums);
    if (found == nullptr || bytes != found->size_bytes) return;
    std::vector<std::uint64_t> checksums(bytes / sizeof(std::uint64_t));
    const auto in_memory =
        std::span(reinterpret_cast<std::uint8_t*>(checksums.data()), checksums.size() * sizeof(std::uint64_t));
    read(SectionType::kChecksums, 0, in_memory);
    if (in_memory.empty() || checksum_of(in_memory.data(), in_memory.size()) != header_.checksums_checksum) return;
    checksums_ = std::move(checksums);
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
        const std::uint64_t all_bytes = this->size_bytes(type);
        if (all_bytes != each.size_bytes || offset_bytes > all_bytes || size_bytes > all_bytes - offset_bytes)
            return false;
        std::vector<std::uint8_t> bytes;
        for (std::uint64_t block = offset_bytes / wsdb::kChecksumBlockBytes;
             block * wsdb::kChecksumBlockBytes < offset_bytes + size_bytes; ++block) {
            const std::uint64_t begin = block * wsdb::kChecksumBlockBytes;
            bytes.resize(static_cast<std::size_t>(std::min(wsdb::kChecksumBlockBytes, all_bytes - begin)));
            read(type, begin, bytes);
            if (first + block >= checksums_.size() ||
                checksum_of(bytes.data(), bytes.size()) != checksums_[first + block])
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

namespace {

/// Returns the length that the frame at `offset` states, or 0 if it states none. Reads more of the
/// section as long as the frame goes on.
std::uint64_t own_frame_bytes(const WsdbWreck& wreck, SectionType frames, std::uint64_t offset) {
    constexpr std::uint64_t kFirstBytes = std::uint64_t{1} << 20;
    const std::uint64_t rest = wreck.size_bytes(frames) - offset;
    std::vector<std::uint8_t> bytes;
    for (std::uint64_t wanted = std::min(kFirstBytes, rest);; wanted = std::min(wanted * 2, rest)) {
        bytes.resize(wanted);
        wreck.read(frames, offset, bytes);
        const std::size_t size = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
        if (ZSTD_isError(size) == 0) return size;
        if (ZSTD_getErrorCode(size) != ZSTD_error_srcSize_wrong || wanted == rest) return 0;
    }
}

}  // namespace

std::optional<std::vector<std::uint8_t>> find_wreck_frame(const WsdbWreck& wreck, SectionType frames,
                                                          std::span<const std::uint64_t> offsets,
                                                          std::optional<std::uint64_t> end, std::uint64_t checksum,
                                                          std::uint64_t& end_found) {
    const std::uint64_t all_bytes = wreck.size_bytes(frames);
    for (const std::uint64_t offset : offsets) {
        if (offset >= all_bytes) continue;
        const auto frame_of = [&](std::uint64_t size) -> std::optional<std::vector<std::uint8_t>> {
            if (size == 0 || size > all_bytes - offset) return std::nullopt;
            std::vector<std::uint8_t> frame(size);
            wreck.read(frames, offset, frame);
            if (checksum_of(frame.data(), frame.size()) != checksum) return std::nullopt;
            end_found = offset + size;
            return frame;
        };
        if (auto frame = frame_of(end && *end > offset ? *end - offset : 0)) return frame;
        if (auto frame = frame_of(own_frame_bytes(wreck, frames, offset))) return frame;
    }
    return std::nullopt;
}

}  // namespace warpseq
