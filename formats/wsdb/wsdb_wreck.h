// A damaged database file: its header, repaired where one byte of it is wrong, and what is left of
// its sections. Nothing is trusted; reads stay inside the file. The file is read, not mapped, so
// that a page that the disk does not give costs that page alone: zeros stand for it, and the
// checksum of what it belongs to says that they are wrong.
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
    /// An error where the file cannot be read, is no database, or has another version.
    static Result<WsdbWreck> open(const std::filesystem::path& file);

    const wsdb::FileHeader& header() const { return header_; }
    /// Returns what was wrong with the header; empty if nothing was.
    const std::string& header_damage() const { return header_damage_; }
    /// Its checksum could not be made right: its numbers are as they are.
    bool is_header_lost() const { return header_is_lost_; }

    /// Bytes that are there of a section; 0 where it is not in the table, or behind the end of the
    /// file.
    std::uint64_t size_bytes(wsdb::SectionType type) const;
    /// How long the section was, in items of that size.
    std::uint64_t items(wsdb::SectionType type, std::size_t item_bytes) const;
    /// Reads bytes of a section, which has to have them. Zeros stand for what cannot be read.
    void read(wsdb::SectionType type, std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) const;

    /// An item of a section; none where the file ends before it. Items that are next to each other
    /// are read together.
    template <typename T>
    std::optional<T> item(wsdb::SectionType type, std::uint64_t index) const {
        if (index >= size_bytes(type) / sizeof(T)) return std::nullopt;
        T value;
        read_item(type, index * sizeof(T), {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
        return value;
    }
    /// Whether the checksums by block are there and say that these bytes of a section are sound.
    /// False: nobody knows.
    bool is_proven(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;

    /// The bytes that the system did not give so far: their number, the offset of the first one in
    /// the file, and the system's words.
    struct Unreadable {
        std::uint64_t bytes = 0, first_offset_bytes = 0;
        std::string why;
    };
    const Unreadable& unreadable() const { return unreadable_; }

   private:
    /// A stretch of a section that was read.
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
    std::vector<std::uint64_t> checksums_;  // by block, of all sections that have them; empty where they are damaged
    mutable std::array<Window, wsdb::kKnownSections + 1> windows_;  // by SectionType, of those with items
    mutable Unreadable unreadable_;
};

/// Expands a zstd frame; none where it is none. Memory is bounded by the frame's own blocks.
std::optional<std::vector<std::uint8_t>> expand_wreck_frame(std::span<const std::uint8_t> frame);

/// A frame in a section of them, whose checksum is known: from `offsets`, which are tried in turn,
/// to `end`, or as long as it says itself. None where no proposal has that checksum.
std::optional<std::vector<std::uint8_t>> find_wreck_frame(const WsdbWreck& wreck, wsdb::SectionType frames,
                                                          std::span<const std::uint64_t> offsets,
                                                          std::optional<std::uint64_t> end, std::uint64_t checksum,
                                                          std::uint64_t& end_found);

}  // namespace warpseq
