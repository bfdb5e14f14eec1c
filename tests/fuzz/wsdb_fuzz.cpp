// Fuzz target: hostile database files. Whatever the bytes, opening, validating and reading everything must not crash,
// hang or ask for absurd memory. Checksums would turn nearly every change away at the door, so each input is tried
// twice: as it is, and with all checksums that can be found put right.
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "formats/fasta.h"
#include "formats/wsdb_layout.h"
#include "formats/wsdb_map.h"
#include "formats/wsdb_reader.h"
#include "formats/wsdb_validate.h"

namespace {

using namespace warpseq;

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

std::uint64_t hash_of(const std::vector<std::uint8_t>& bytes, std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) return 0;
    return XXH3_64bits(bytes.data() + offset, size);
}

/// Puts right: the checksums of tiles, blocks and header blocks, then of sections, then of the header.
void put_checksums_right(std::vector<std::uint8_t>& bytes) {
    wsdb::FileHeader header;
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.magic = wsdb::kMagic;
    header.version_major = wsdb::kVersionMajor;
    header.file_bytes = bytes.size();
    const auto section = [&](wsdb::SectionType type) {
        for (const wsdb::SectionEntry& entry : header.sections) {
            const bool inside =
                entry.offset_bytes <= bytes.size() && entry.size_bytes <= bytes.size() - entry.offset_bytes;
            if (entry.type == static_cast<std::uint32_t>(type) && inside) return entry;
        }
        return wsdb::SectionEntry{};
    };
    const auto fix_frames = [&](wsdb::SectionType index_type, wsdb::SectionType content_type, std::size_t entry_bytes,
                                std::size_t offset_field, std::size_t size_field, std::size_t checksum_field) {
        const wsdb::SectionEntry index = section(index_type), content = section(content_type);
        for (std::uint64_t at = 0; at + entry_bytes <= index.size_bytes; at += entry_bytes) {
            std::uint64_t offset = 0, size = 0;
            std::memcpy(&offset, bytes.data() + index.offset_bytes + at + offset_field, sizeof offset);
            std::memcpy(&size, bytes.data() + index.offset_bytes + at + size_field, sizeof size);
            if (offset > content.size_bytes || size > content.size_bytes - offset) continue;
            const std::uint64_t checksum = hash_of(bytes, content.offset_bytes + offset, size);
            std::memcpy(bytes.data() + index.offset_bytes + at + checksum_field, &checksum, sizeof checksum);
        }
    };
    fix_frames(wsdb::SectionType::kHeaderBlockIndex, wsdb::SectionType::kHeaders, sizeof(wsdb::HeaderBlockEntry),
               offsetof(wsdb::HeaderBlockEntry, offset_bytes), offsetof(wsdb::HeaderBlockEntry, size_bytes),
               offsetof(wsdb::HeaderBlockEntry, checksum));
    fix_frames(wsdb::SectionType::kBlockIndex, wsdb::SectionType::kBlocks, sizeof(wsdb::BlockEntry),
               offsetof(wsdb::BlockEntry, offset_bytes), offsetof(wsdb::BlockEntry, size_bytes),
               offsetof(wsdb::BlockEntry, checksum));
    const wsdb::SectionEntry index = section(wsdb::SectionType::kTileIndex), tiles = section(wsdb::SectionType::kTiles);
    for (std::uint64_t at = 0; at + sizeof(wsdb::TileEntry) <= index.size_bytes; at += sizeof(wsdb::TileEntry)) {
        wsdb::TileEntry entry;
        std::memcpy(&entry, bytes.data() + index.offset_bytes + at, sizeof entry);
        if (entry.offset > tiles.size_bytes || entry.word_rows > tiles.size_bytes) continue;
        const std::uint64_t words = entry.layout == 1 ? wsdb::align_up(entry.word_rows, 32) : entry.word_rows * 32;
        if (words * 4 > tiles.size_bytes - entry.offset) continue;
        entry.checksum = hash_of(bytes, tiles.offset_bytes + entry.offset, words * 4);
        std::memcpy(bytes.data() + index.offset_bytes + at, &entry, sizeof entry);
    }
    for (wsdb::SectionEntry& entry : header.sections) {
        if (entry.type != 0) entry.checksum = hash_of(bytes, entry.offset_bytes, entry.size_bytes);
    }
    header.checksum = XXH3_64bits(&header, offsetof(wsdb::FileHeader, checksum));
    std::memcpy(bytes.data(), &header, sizeof header);
}

void read_everything(const std::string& file) {
    ThreadPool pool(1);
    WsdbValidateOptions all;
    all.all = true;
    const auto first = validate_wsdb(file, pool);
    const auto every = validate_wsdb(file, pool, all);
    require(first.ok() && every.ok(), "the file can be mapped");
    require(first->faults.empty() == every->faults.empty(), "--all changes how many faults are named, not whether");
    require(first->faults.size() <= 1, "the first fault is one");

    const auto reader = WsdbReader::open(file);
    if (!reader.ok()) {
        require(!first->faults.empty(), "what cannot be opened is not sound");
        return;
    }
    TileBuffer buffer;
    bool readable = true;
    for (std::uint64_t tile = 0; tile < reader->tile_count(); ++tile) {
        if (!reader->read_tiles(tile, 1, buffer).ok()) {
            readable = false;
            continue;
        }
        for (const TileView& view : buffer.views) {
            std::vector<ResidueCode> residues(view.longest_residues());
            for (std::uint32_t lane = 0; lane < view.lanes(); ++lane) unpack_lane(view, lane, residues.data());
        }
    }
    for (std::uint64_t rank = 0; rank < reader->sequence_count(); ++rank) {
        const auto header = reader->header(rank);
        if (header.ok()) {
            readable = reader->find(identifier_of(*header)).ok() && readable;
        } else {
            readable = false;
        }
        readable = reader->residues(rank, buffer).ok() && readable;
    }
    (void)reader->map().statistics();
    (void)reader->map().provenance();
    require(readable || !first->faults.empty(), "what cannot be read is not sound");
}

void try_bytes(const std::vector<std::uint8_t>& bytes) {
    const int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
    require(descriptor >= 0 && ::write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "the input can be written");
    read_everything("/proc/self/fd/" + std::to_string(descriptor));
    ::close(descriptor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> bytes(data, data + size);
    try_bytes(bytes);
    put_checksums_right(bytes);
    try_bytes(bytes);
    return 0;
}
