// WsdbWreck: a damaged database file. It gives access to the header, which is repaired if one byte
// of it is wrong, and to the remaining bytes of the sections. Nothing in the file is trusted, and
// reads stay inside it. The file is read, not mapped, so a page that the disk cannot read is the
// only loss. Zeros replace the page, and the checksum of the data that it belongs to shows that
// they are wrong.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/regular_file.h"
#include "formats/wsdb/wsdb_layout.h"
#include "libcore/base/status.h"

namespace warpseq {

class WsdbWreck {
   public:
    /// Opens a file. It is an error if the file cannot be read, is no database, or has another
    /// version.
    static Result<WsdbWreck> open(const std::filesystem::path& file);

    const wsdb::FileHeader& header() const { return header_; }
    /// Returns what was wrong with the header; empty if nothing was.
    const std::string& header_damage() const { return header_damage_; }
    /// Whether the header could not be repaired. Its numbers are then those in the file, right or
    /// wrong.
    bool is_header_lost() const { return header_is_lost_; }

    /// Returns how many bytes of a section the file has. It is 0 if the section is not in the table
    /// or lies behind the end of the file.
    std::uint64_t size_bytes(wsdb::SectionType type) const;
    /// Returns the size of the section according to the table, in items of `item_bytes` bytes.
    std::uint64_t items(wsdb::SectionType type, std::size_t item_bytes) const;
    /// Reads bytes of a section, which must have them. Bytes that cannot be read become zeros.
    void read(wsdb::SectionType type, std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const;

    /// Returns an item of a section, or nothing if the file ends before it. Neighbouring items are
    /// read together.
    template <typename T>
    std::optional<T> item(wsdb::SectionType type, std::uint64_t index) const {
        if (index >= size_bytes(type) / sizeof(T)) return std::nullopt;
        T value;
        read_item(type, index * sizeof(T), {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
        return value;
    }
    /// Whether checksums in CHECKSUMS prove that these bytes of a section are sound. False means
    /// that it is not known whether they are.
    bool is_proven(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;

    /// The bytes that the system could not read so far: their number, the offset of the first one
    /// in the file, and the system's error text.
    struct Unreadable {
        std::uint64_t bytes = 0, first_offset_bytes = 0;
        std::string why;
    };
    const Unreadable& unreadable() const { return unreadable_; }

   private:
    /// A part of a section that was read.
    struct Window {
        std::uint64_t begin = 0;
        std::vector<std::uint8_t> bytes;
    };

    Status read_header(const std::filesystem::path& file);
    void read_checksums();
    const wsdb::SectionEntry* entry(wsdb::SectionType type) const;
    void read_file(std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const;
    void read_item(wsdb::SectionType type, std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const;

    std::optional<RegularFile> file_;
    wsdb::FileHeader header_{};
    std::string header_damage_;
    bool header_is_lost_ = false;
    std::vector<std::uint64_t> checksums_;  // by block, of all sections that have them; empty if they are damaged
    mutable std::array<Window, wsdb::kKnownSections + 1> windows_;  // by SectionType, for sections with items
    mutable Unreadable unreadable_;
};

/// Expands a zstd frame. Returns nothing if it is not a sound frame. Memory is bounded by the
/// frame's own blocks.
std::optional<std::vector<std::uint8_t>> expand_wreck_frame(std::span<const std::uint8_t> frame);

/// Finds a frame with a known checksum in a section of frames. Tries each of `offsets` as its
/// start. For each start it tries `end` as the end, and then the length that the frame itself
/// states. Sets `end_found` to the end of the frame. Returns nothing if no combination has the
/// checksum.
std::optional<std::vector<std::uint8_t>> find_wreck_frame(const WsdbWreck& wreck, wsdb::SectionType frames,
                                                          std::span<const std::uint64_t> offsets,
                                                          std::optional<std::uint64_t> end, std::uint64_t checksum,
                                                          std::uint64_t& end_found);

}  // namespace warpseq
