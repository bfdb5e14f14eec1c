// Fuzz target: hostile database files. Opening, validating and reading everything must not crash,
// hang or ask for absurd memory. Checksums would make nearly every change fail at once, so each
// input is tried twice: as it is, and with all checksums corrected that can be found.
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

#include "formats/fasta/fasta.h"
#include "formats/fasta/record_batch.h"
#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_salvage.h"
#include "formats/wsdb/wsdb_validate.h"
#include "tests/support/wsdb_checksums.h"

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

/// Corrects the checksums of tiles, blocks and header blocks, then of sections, then of the header.
void put_all_checksums_right(std::vector<std::uint8_t>& bytes) {
    wsdb::FileHeader header;
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.magic = wsdb::kMagic;
    header.version_major = wsdb::kVersionMajor;
    header.file_bytes = bytes.size();
    std::memcpy(bytes.data(), &header, sizeof header);
    const auto section = [&](wsdb::SectionType type) {
        for (const wsdb::SectionEntry& entry : header.sections) {
            const bool inside =
                entry.offset_bytes <= bytes.size() && entry.size_bytes <= bytes.size() - entry.offset_bytes;
            if (entry.type == static_cast<std::uint32_t>(type) && inside) return entry;
        }
        return wsdb::SectionEntry{};
    };
    // All three indexes have entries of three numbers, the last one the checksum of what lies
    // between two offsets.
    const auto fix = [&](wsdb::SectionType index_type, wsdb::SectionType content_type, std::size_t offset_field) {
        constexpr std::size_t kEntryBytes = sizeof(wsdb::TileEntry), kChecksum = offsetof(wsdb::TileEntry, checksum);
        static_assert(sizeof(wsdb::BlockEntry) == kEntryBytes && offsetof(wsdb::BlockEntry, checksum) == kChecksum);
        static_assert(sizeof(wsdb::HeaderBlockEntry) == kEntryBytes &&
                      offsetof(wsdb::HeaderBlockEntry, checksum) == kChecksum);
        const wsdb::SectionEntry index = section(index_type), content = section(content_type);
        for (std::uint64_t at = 0; at + 2 * kEntryBytes <= index.size_bytes; at += kEntryBytes) {
            std::uint64_t offset = 0, next = 0;
            std::memcpy(&offset, bytes.data() + index.offset_bytes + at + offset_field, sizeof offset);
            std::memcpy(&next, bytes.data() + index.offset_bytes + at + kEntryBytes + offset_field, sizeof next);
            if (offset > next || next > content.size_bytes) continue;
            const std::uint64_t checksum = hash_of(bytes, content.offset_bytes + offset, next - offset);
            std::memcpy(bytes.data() + index.offset_bytes + at + kChecksum, &checksum, sizeof checksum);
        }
    };
    fix(wsdb::SectionType::kHeaderBlockIndex, wsdb::SectionType::kHeaders,
        offsetof(wsdb::HeaderBlockEntry, offset_bytes));
    fix(wsdb::SectionType::kBlockIndex, wsdb::SectionType::kBlocks, offsetof(wsdb::BlockEntry, offset_bytes));
    fix(wsdb::SectionType::kTileIndex, wsdb::SectionType::kTiles, offsetof(wsdb::TileEntry, offset_bytes));
    warpseq::testing::put_checksums_right(bytes);
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
        std::vector<std::uint32_t> taxids;
        readable = reader->distinct_taxids(rank, taxids).ok() && readable;
        for (const std::uint32_t taxid : taxids) require(taxid <= kMostTaxid, "taxonomy IDs are usable");
        if (header.ok()) {
            readable = reader->find(identifier_of(*header)).ok() && readable;
            readable = reader->taxids(rank, count_deflines(*header), taxids).ok() && readable;
        } else {
            readable = false;
        }
        readable = reader->residues(rank, buffer).ok() && readable;
        require(reader->input_positions()[rank] < reader->sequence_count(), "input positions are usable");
        require(reader->lengths_residues()[rank] <= reader->longest_residues(), "lengths are usable");
    }
    readable = reader->verify_unchanged(pool).ok() && readable;
    if (const auto tree = reader->taxonomy(); tree.ok()) {
        for (const std::uint32_t taxid : (*tree)->with_descendants({})) (void)taxid;
        std::vector<std::uint32_t> taxids;
        for (std::uint64_t rank = 0; rank < reader->sequence_count(); ++rank) {
            if (!reader->distinct_taxids(rank, taxids).ok()) continue;
            for (const std::uint32_t taxid : (*tree)->with_descendants(taxids)) {
                (void)(*tree)->blast_name(taxid);
                (void)(*tree)->kingdom(taxid);
            }
            require(Taxonomy::parse((*tree)->text_of(taxids)).ok(), "a part of a tree is one");
        }
    } else {
        readable = false;
    }
    (void)reader->map().statistics();
    (void)reader->map().provenance();
    require(readable || !first->faults.empty(), "what cannot be read is not sound");
}

/// Salvages the file. The saved sequences consist of letters. All sequences of a sound database are
/// saved.
void salvage_everything(const std::string& file) {
    ThreadPool pool(1);
    std::uint64_t saved = 0;
    const auto salvage = salvage_wsdb(file, [&](std::string_view, std::span<const ResidueCode> residues) {
        for (const ResidueCode code : residues) require(code < kResidueCodes, "letters alone are handed out");
        ++saved;
        return Status();
    });
    const auto sound = validate_wsdb(file, pool);
    require(sound.ok(), "the file can be mapped");
    require(!sound->faults.empty() || (salvage.ok() && salvage->is_whole()), "a sound database is saved as a whole");
    if (!salvage.ok()) return;
    require(saved == salvage->saved_sequences && saved + salvage->lost_sequences == salvage->sequences,
            "saved and lost are all");
}

void try_bytes(const std::vector<std::uint8_t>& bytes, bool with_salvage) {
    const int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
    require(descriptor >= 0 && ::write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "the input can be written");
    const std::string file = "/proc/self/fd/" + std::to_string(descriptor);
    read_everything(file);
    if (with_salvage) salvage_everything(file);
    ::close(descriptor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> bytes(data, data + size);
    // A damaged header takes a million hashes to correct.
    try_bytes(bytes, false);
    put_all_checksums_right(bytes);
    try_bytes(bytes, true);
    return 0;
}
