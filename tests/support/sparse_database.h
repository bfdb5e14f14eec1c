// Makes databases with any number of empty sequences, for tests of work whose time must not grow
// with the number of sequences. The files consist almost entirely of holes.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <xxhash.h>

#include "formats/wsdb/wsdb_layout.h"

namespace warpseq::testing {

/// Makes a database that opens like any other. The header is right, and so are CHECKSUMS and the
/// checksums of the other sections. These sections contain only zeros, which no validator would
/// accept as the index of so many names.
inline void make_sparse_database(const std::filesystem::path& file, std::uint64_t sequences) {
    using wsdb::SectionType;
    wsdb::FileHeader header{};
    header.magic = wsdb::kMagic;
    header.version_major = wsdb::kVersionMajor;
    header.version_minor = wsdb::kVersionMinor;
    header.header_bytes = wsdb::kHeaderBytes;
    header.sequences = sequences;
    header.alphabet = wsdb::kProteinAlphabet;

    const std::string provenance = R"({"program":"test"})";
    const std::vector<char> zeros(wsdb::kChecksumBlockBytes, 0);
    std::vector<std::uint64_t> checksums;
    std::uint64_t end = wsdb::kHeaderBytes;
    const auto add = [&](SectionType type, std::uint64_t size_bytes) {
        const std::uint64_t offset = wsdb::align_up(end, wsdb::kSectionAlignmentBytes);
        header.sections[header.section_count++] = {static_cast<std::uint32_t>(type), 0, offset, size_bytes};
        end = offset + size_bytes;
        return offset;
    };
    const auto add_zeros = [&](SectionType type, std::uint64_t size_bytes) {
        add(type, size_bytes);
        const std::uint64_t of_block = XXH3_64bits(zeros.data(), zeros.size());
        checksums.insert(checksums.end(), size_bytes / zeros.size(), of_block);
        if (const std::uint64_t rest = size_bytes % zeros.size(); rest != 0)
            checksums.push_back(XXH3_64bits(zeros.data(), rest));
    };
    add(SectionType::kTiles, 0);
    add_zeros(SectionType::kTileIndex, (header.tiles() + 1) * sizeof(wsdb::TileEntry));
    add_zeros(SectionType::kLengths, sequences * sizeof(std::uint32_t));
    add_zeros(SectionType::kInputPositions, sequences * sizeof(std::uint32_t));
    add_zeros(SectionType::kHeaderBlockIndex, 2 * sizeof(wsdb::HeaderBlockEntry));
    add(SectionType::kHeaders, 0);
    add_zeros(SectionType::kNameIndex, sequences * sizeof(wsdb::NameEntry));
    add_zeros(SectionType::kStatistics, sizeof(wsdb::Statistics));
    const std::uint64_t provenance_at = add(SectionType::kProvenance, provenance.size());
    checksums.push_back(XXH3_64bits(provenance.data(), provenance.size()));
    const std::uint64_t checksums_bytes = checksums.size() * sizeof(std::uint64_t);
    const std::uint64_t checksums_at = add(SectionType::kChecksums, checksums_bytes);
    header.file_bytes = end;
    header.checksums_checksum = XXH3_64bits(checksums.data(), checksums_bytes);
    header.checksum = XXH3_64bits(&header, offsetof(wsdb::FileHeader, checksum));

    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    const auto put_at = [&out](std::uint64_t offset, const void* bytes, std::uint64_t size_bytes) {
        out.seekp(static_cast<std::streamoff>(offset));
        out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size_bytes));
    };
    put_at(0, &header, sizeof header);
    put_at(provenance_at, provenance.data(), provenance.size());
    put_at(checksums_at, checksums.data(), checksums_bytes);
    REQUIRE(out.flush().good());
}

}  // namespace warpseq::testing
