// A damaged database file: its header, repaired where one byte of it is wrong, and what is left of its sections. Nothing is trusted; reads
// stay inside the file.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/mapped_file.h"
#include "formats/wsdb_layout.h"
#include "libcore/base/status.h"

namespace warpseq {

class WsdbWreck {
   public:
    /// An error where the file cannot be read, is no database, or has another version.
    static Result<WsdbWreck> open(const std::filesystem::path& file);

    const wsdb::FileHeader& header() const { return header_; }
    /// What was wrong with the header; empty: nothing.
    const std::string& header_damage() const { return header_damage_; }
    /// Its checksum could not be made right: its numbers are as they are.
    bool is_header_lost() const { return header_is_lost_; }

    /// What is there of a section; nothing where it is not in the table, or behind the end of the file.
    std::span<const std::uint8_t> section(wsdb::SectionType type) const;
    /// How long the section was, in items of that size.
    std::uint64_t items(wsdb::SectionType type, std::size_t item_bytes) const;

    /// An item of a section, as it is now; none where the file ends before it.
    template <typename T>
    std::optional<T> item(wsdb::SectionType type, std::uint64_t index) const {
        const auto bytes = section(type);
        if (index >= bytes.size() / sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof value);
        return value;
    }
    /// Whether the checksums by block are there and say that these bytes of a section are sound. False: nobody knows.
    bool is_proven(wsdb::SectionType type, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;

   private:
    Status read_header(const std::filesystem::path& file);
    void read_checksums();
    const wsdb::SectionEntry* entry(wsdb::SectionType type) const;

    MappedFile mapped_;
    wsdb::FileHeader header_{};
    std::string header_damage_;
    bool header_is_lost_ = false;
    std::vector<std::uint64_t> checksums_;  // by block, of all sections that have them; empty where they are damaged
};

/// Expands a zstd frame; none where it is none. Memory is bounded by the frame's own blocks.
std::optional<std::vector<std::uint8_t>> expand_wreck_frame(std::span<const std::uint8_t> frame);

/// A frame in a section of them, whose checksum is known: from `offsets`, which are tried in turn, to `end`, or as long as it says itself.
/// A copy; none where no proposal has that checksum.
std::optional<std::vector<std::uint8_t>> find_wreck_frame(std::span<const std::uint8_t> frames,
                                                          std::span<const std::uint64_t> offsets,
                                                          std::optional<std::uint64_t> end, std::uint64_t checksum,
                                                          std::uint64_t& end_found);

}  // namespace warpseq
