// A database file of format version 1 (formats/wsdb_v1_layout.h) in memory. Of the version before today's: dbconv makes a database of
// today's of it (formats/wsdb_v1_source.h), and nothing else reads it.
//
// open() checks the header, the section table, and the checksums of all sections but residues and headers. Who reads those checks them
// then (formats/wsdb_v1_reader.h).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>

#include "formats/fasta.h"
#include "formats/mapped_file.h"
#include "formats/wsdb_faults.h"
#include "formats/wsdb_provenance.h"
#include "formats/wsdb_reader.h"
#include "formats/wsdb_v1_layout.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Whether a file begins as a database of version 1 does.
bool begins_as_wsdb_v1(const std::filesystem::path& file);

class WsdbV1File {
   public:
    static Result<WsdbV1File> open(const std::filesystem::path& file);

    const std::filesystem::path& file() const { return file_; }
    std::uint64_t size_bytes() const { return bytes_.size(); }
    const wsdb_v1::FileHeader& header() const { return header_; }
    std::string content_digest() const;  // 32 hexadecimal digits, as of version 2
    bool is_packed() const { return header_.codec == static_cast<std::uint32_t>(ResidueCodec::kPacked); }
    /// What was noticed of the records that it was made of: gaps, missing names, records left out.
    const FastaCounts& counts_before() const { return counts_before_; }
    const WsdbProvenance& provenance() const { return provenance_; }

    /// Type 0 and no bytes where there is none.
    const wsdb_v1::SectionEntry& section(wsdb_v1::SectionType type) const {
        return sections_[static_cast<std::size_t>(type)];
    }
    std::span<const std::uint8_t> bytes_of(wsdb_v1::SectionType type) const {
        return bytes_.subspan(section(type).offset_bytes, section(type).size_bytes);
    }
    /// A copy of an item of a section of items of one size; `index` is below their number. The file may change under the map, so what is
    /// checked has to be a copy.
    template <typename T>
    T item(wsdb_v1::SectionType type, std::uint64_t index) const {
        T copy;
        std::memcpy(&copy, bytes_of(type).data() + index * sizeof copy, sizeof copy);
        // Else the compiler might read the map again where it uses the copy.
        asm volatile("" : "+m"(copy));
        return copy;
    }

    /// "section TILES"
    static std::string section_text(wsdb_v1::SectionType type);
    /// The error of what is wrong at a byte of the file, with what to do about it.
    Status refuse(std::uint64_t offset_bytes, std::string what, std::string expected, std::string found) const;
    Status refuse(std::uint64_t offset_bytes, std::string what, std::uint64_t expected, std::uint64_t found) const;
    Status refuse_checksum(std::uint64_t offset_bytes, std::string what, std::uint64_t expected,
                           std::uint64_t found) const;
    Status status_of(const WsdbFaults& faults) const;
    /// An error where the file was cut since it was opened.
    Status verify_not_cut() const;

   private:
    WsdbV1File() = default;
    Status check();
    Status check_header();
    Status check_section_table();
    Status check_section_sizes() const;
    Status check_checksums() const;
    Status read_small_sections();

    std::filesystem::path file_;
    MappedFile mapped_;
    std::span<const std::uint8_t> bytes_;
    wsdb_v1::FileHeader header_{};                                               // a copy
    std::array<wsdb_v1::SectionEntry, wsdb_v1::kKnownSections + 1> sections_{};  // by type
    FastaCounts counts_before_;
    WsdbProvenance provenance_;
};

}  // namespace warpseq
