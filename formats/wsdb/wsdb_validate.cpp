// Validates the indexes first, then the content (formats/wsdb/wsdb_content_check.h), then the
// values that are derived from all of it.
#include "formats/wsdb/wsdb_validate.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/fasta/sequence_names.h"
#include "formats/io/checksum.h"
#include "formats/wsdb/wsdb_content_check.h"
#include "formats/wsdb/wsdb_duplicate_identifiers.h"
#include "formats/wsdb/wsdb_quick_checks.h"

namespace warpseq {

namespace {

using wsdb::SectionType;
using Map = WsdbReader::Map;

/// A set of ranks of sequences.
class RankSet {
   public:
    explicit RankSet(std::uint64_t size) : bits_((size + 63) / 64) {}
    /// Adds a rank. Returns false if it was in the set already or is not the rank of a sequence.
    bool insert(std::uint64_t rank) {
        if (rank / 64 >= bits_.size()) return false;
        std::uint64_t& word = bits_[rank / 64];
        const std::uint64_t bit = std::uint64_t{1} << (rank % 64);
        if ((word & bit) != 0) return false;
        word |= bit;
        return true;
    }

   private:
    std::vector<std::uint64_t> bits_;
};

class Validator {
   public:
    Validator(Map& map, const ThreadPool& pool, const WsdbValidateOptions& options)
        : map_(map), pool_(pool), options_(options), faults_(options.all) {}

    Result<WsdbValidation> run() {
        check();
        if (!failure_.ok()) return failure_;
        // Without this, zeros in place of bytes that could not be read would be reported as damage.
        if (map_.mapped.lost()) return map_.lost_status();
        return WsdbValidation{std::move(counts_), faults_.list()};
    }

   private:
    void check();
    bool check_gaps();
    bool check_order();
    bool find_disorder();
    bool check_taxonomy();
    bool check_content();
    bool check_sections();
    bool check_names(const NameIndexSummary& index);
    bool find_wrong_name();
    bool find_missing_name();
    bool check_statistics();

    void counted(std::string what, std::uint64_t checked) { counts_.push_back({std::move(what), checked}); }
    std::uint64_t offset_of(SectionType type, std::uint64_t index, std::size_t item) const {
        return map_.section(type).offset_bytes + index * item;
    }
    /// Takes over the faults that parts of a loop have found, in the order of the parts. Returns
    /// whether to go on.
    bool merge(const std::vector<WsdbFaults>& parts) {
        for (const WsdbFaults& part : parts) {
            for (const WsdbFault& fault : part.list()) {
                faults_.add(fault.offset_bytes, fault.what, fault.expected, fault.found);
            }
        }
        return !faults_.full();
    }

    Map& map_;
    const ThreadPool& pool_;
    const WsdbValidateOptions& options_;
    WsdbFaults faults_;
    Status failure_;  // failure of this machine, not of the file
    std::vector<WsdbValidation::Count> counts_;
    WsdbContentSummary content_;
    std::uint64_t equal_name_hashes_ = 0;
    bool has_sound_taxids_ = false;
};

void Validator::check() {
    if (!map_.check_header(faults_)) return;
    counted("bytes of the header", wsdb::kHeaderBytes);
    counted("sections in the table", map_.header.section_count);
    if (!check_gaps()) return;
    // Index sections come first, because the content is found through them.
    const auto numbers_sound = are_numbers_sound(map_, pool_);
    if (!numbers_sound.ok()) {
        failure_ = numbers_sound.status();
        return;
    }
    const bool index_sound =
        (*numbers_sound || map_.check_numbers(faults_)) && map_.use_blocks(faults_) && map_.use_header_blocks(faults_);
    if (!index_sound || faults_.full()) return;
    counted("entries of the tile index", map_.tile_count());
    counted("entries of block indexes", map_.block_count() + map_.header_block_count());
    if (!check_order()) return;
    counted("lengths, in descending order", map_.header.sequences);
    counted("input positions, each one once", map_.header.sequences);
    if (!check_taxonomy()) return;
    const bool content_sound = check_content();
    if (faults_.full() || !failure_.ok()) return;
    if (content_sound) {
        counted("tiles: checksum, codes, padding", map_.tile_count());
        counted("residues", map_.header.residues);
        counted("header blocks", content_.header_blocks);
        counted("headers", map_.header.sequences);
        if (content_.digest != map_.header.content_digest) {
            faults_.add(offsetof(wsdb::FileHeader, content_digest), "content digest",
                        digest_text(map_.header.content_digest), digest_text(content_.digest));
            if (faults_.full()) return;
        }
    }
    // Checksums of sections come last, because the checks of their content know the place of damage
    // better.
    NameIndexSummary names;
    if (content_sound) {
        // The index of names comes first, because this checks the checksums of its section, too.
        // Blocks that it has found sound are not hashed again.
        const auto summary = summarize_name_index(map_, pool_);
        if (!summary.ok()) {
            failure_ = summary.status();
            return;
        }
        names = *summary;
    }
    if (!check_sections()) return;
    counted("section checksums", map_.checksums.size());
    if (!content_sound) return;
    if (!check_names(names)) return;
    counted("names in the index", map_.names.size());
    if (!check_statistics()) return;
    counted("statistics", wsdb::kHistogramBins + kResidueTableSize + 8);
}

bool Validator::check_gaps() {
    // The section table has been checked: each section starts at the next multiple of 4096 behind
    // the one before.
    std::uint64_t end = wsdb::kHeaderBytes;
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < map_.header.section_count; ++i) {
        const wsdb::SectionEntry& entry = map_.header.sections[i];
        for (; end < entry.offset_bytes; ++end, ++bytes) {
            if (map_.bytes[end] == 0) continue;
            if (!faults_.add_number(end, "padding before a section", 0, map_.bytes[end])) return false;
        }
        end = entry.offset_bytes + entry.size_bytes;
    }
    counted("bytes of padding between sections", bytes);
    return true;
}

bool Validator::check_order() {
    const auto sound = is_order_sound(map_, pool_);
    if (!sound.ok()) {
        failure_ = sound.status();
        return false;
    }
    return *sound || find_disorder();
}

/// Finds the places where the order is wrong.
bool Validator::find_disorder() {
    RankSet seen(map_.header.sequences);
    const WsdbNumbers positions = map_.input_positions(), lengths = map_.lengths();
    const std::uint64_t width = map_.section(SectionType::kInputPositions).size_bytes / map_.header.sequences;
    for (std::uint64_t rank = 0; rank < map_.header.sequences; ++rank) {
        const std::uint64_t position = positions[rank];
        const std::uint64_t offset = offset_of(SectionType::kInputPositions, rank, width);
        if (!seen.insert(position) && !faults_.add(offset, "input position of sequence " + std::to_string(rank),
                                                   "one that no other has", std::to_string(position))) {
            return false;
        }
        if (rank > 0 && lengths[rank] == lengths[rank - 1] && position < positions[rank - 1] &&
            !faults_.add(
                offset, "input position of sequence " + std::to_string(rank),
                "more than " + std::to_string(positions[rank - 1]) + ", that of the one before with the same length",
                std::to_string(position))) {
            return false;
        }
    }
    return true;
}

bool Validator::check_taxonomy() {
    if (map_.has_taxids()) {
        if (!map_.check_taxids(faults_)) return !faults_.full();
        has_sound_taxids_ = true;
        counted("taxonomy IDs of sequences", map_.header.sequences);
    }
    const wsdb::SectionEntry& section = map_.section(SectionType::kTaxonomy);
    if (section.type == 0) return true;
    const auto tree = map_.taxonomy();
    if (!tree.ok() && tree.status().code() == StatusCode::kOutOfMemory) {
        failure_ = tree.status();
        return false;
    }
    if (!tree.ok()) {
        return faults_.add(section.offset_bytes, "section TAXONOMY", "a tree of taxa, whose names are in six columns",
                           tree.status().message());
    }
    counted("taxa with names", (*tree)->size());
    return true;
}

bool Validator::check_sections() {
    std::uint64_t first = 0;
    for (const wsdb::SectionEntry& entry : std::span(map_.header.sections).first(map_.header.section_count)) {
        if (!wsdb::is_in_checksums(entry.type)) continue;
        std::vector<WsdbFaults> parts(wsdb::checksum_blocks(entry.size_bytes), WsdbFaults(faults_.all()));
        failure_ = pool_.parallel_for(parts.size(), [&](std::uint64_t block, unsigned) {
            if (!map_.is_checked(first + block)) map_.check_block_checksum(entry, first, block, parts[block]);
        });
        if (!failure_.ok() || !merge(parts)) return false;
        first += parts.size();
    }
    return true;
}

bool Validator::check_content() {
    const bool clean_before = !faults_.any();
    WsdbContentOptions options;
    options.has_sound_taxids = has_sound_taxids_;
    options.on_progress = options_.on_progress;
    auto content = check_wsdb_content(map_, pool_, options, faults_);
    if (!content.ok()) {
        failure_ = content.status();
        return false;
    }
    content_ = *std::move(content);
    return clean_before && !faults_.any();
}

bool Validator::check_names(const NameIndexSummary& index) {
    if (!index.is_sound && !find_wrong_name()) return false;
    equal_name_hashes_ = index.equal_hashes;
    const std::uint64_t names = content_.names;
    if (index.sum == content_.names_sum && map_.names.size() == names) return true;
    if (!find_missing_name()) return false;
    return faults_.any() || faults_.add_number(map_.section(SectionType::kNameIndex).offset_bytes,
                                               "name index: entries", names, map_.names.size());
}

/// Finds the entries of the index that are wrong in themselves.
bool Validator::find_wrong_name() {
    for (std::uint64_t i = 0; i < map_.names.size(); ++i) {
        const wsdb::NameEntry entry = copy_of(map_.names[i]);
        const std::uint64_t offset = offset_of(SectionType::kNameIndex, i, sizeof entry);
        const auto refuse = [&](std::string expected, std::string found) {
            return faults_.add(offset, "name index entry " + std::to_string(i), std::move(expected), std::move(found));
        };
        if (entry.rank >= map_.header.sequences) {
            if (!refuse("a rank below " + std::to_string(map_.header.sequences), std::to_string(entry.rank)))
                return false;
            continue;
        }
        if (i == 0) continue;
        const wsdb::NameEntry before = copy_of(map_.names[i - 1]);
        if ((before.hash > entry.hash || (before.hash == entry.hash && before.rank >= entry.rank)) &&
            !refuse("entries in ascending order of hash and rank", "one out of order")) {
            return false;
        }
    }
    return true;
}

/// Looks up every name to find the place where names and index disagree.
bool Validator::find_missing_name() {
    HeaderBuffer headers;
    for (std::uint64_t block = 0; block < map_.header_block_count(); ++block) {
        if (!map_.decode_header_block(block, headers, faults_)) return false;
        for (std::uint64_t rank = headers.first_sequence; rank < headers.first_sequence + headers.ends.size(); ++rank) {
            const auto header = map_.header_in(headers, rank, faults_);
            if (!header) return false;
            for (const std::string_view name : index_names_of(*header)) {
                const std::uint64_t hash = checksum_of(name.data(), name.size());
                bool found = false;
                for (auto place = std::ranges::lower_bound(map_.names, hash, {}, &wsdb::NameEntry::hash);
                     !found && place != map_.names.end() && place->hash == hash; ++place) {
                    found = place->rank == rank;
                }
                if (!found && !faults_.add(map_.section(SectionType::kNameIndex).offset_bytes,
                                           "name index: sequence " + std::to_string(rank),
                                           "an entry with its name's hash, " + std::to_string(hash), "none")) {
                    return false;
                }
            }
        }
    }
    return !faults_.full();
}

bool Validator::check_statistics() {
    wsdb::Statistics stored{};
    std::memcpy(&stored, map_.section_bytes(SectionType::kStatistics).data(), sizeof stored);
    const auto of_lengths = statistics_of_lengths(map_, pool_);
    if (!of_lengths.ok()) {
        failure_ = of_lengths.status();
        return false;
    }
    wsdb::Statistics computed = *of_lengths;
    computed.composition = content_.composition;
    computed.header_bytes = content_.header_bytes;
    // Equal hashes are taken for equal identifiers where that gives the stored number; else the
    // identifiers themselves are compared. Headers have been read without a fault by now, so only
    // memory can be missing.
    computed.duplicate_identifiers = stored.duplicate_identifiers;
    if (equal_name_hashes_ != stored.duplicate_identifiers) {
        const auto duplicates = count_duplicate_identifiers(map_, pool_);
        if (!duplicates.ok() && duplicates.status().code() == StatusCode::kOutOfMemory) {
            failure_ = duplicates.status();
            return false;
        }
        computed.duplicate_identifiers = duplicates.ok() ? *duplicates : 0;
    }
    // Numbers that were counted in the input cannot be computed again.
    computed.unnamed_sequences = stored.unnamed_sequences;
    computed.gaps_removed = stored.gaps_removed;
    computed.skipped_invalid = stored.skipped_invalid;
    const std::uint64_t base = map_.section(SectionType::kStatistics).offset_bytes;
    static_assert(sizeof(wsdb::Statistics) % sizeof(std::uint64_t) == 0);
    std::array<std::uint64_t, sizeof(wsdb::Statistics) / sizeof(std::uint64_t)> mine{}, its{};
    std::memcpy(mine.data(), &computed, sizeof computed);
    std::memcpy(its.data(), &stored, sizeof stored);
    for (std::size_t i = 0; i < mine.size(); ++i) {
        if (mine[i] != its[i] && !faults_.add_number(base + i * sizeof(std::uint64_t),
                                                     "statistics, number " + std::to_string(i), mine[i], its[i])) {
            return false;
        }
    }
    const auto in_map = map_.section_bytes(SectionType::kProvenance);
    const std::string provenance(in_map.begin(), in_map.end());
    if (!nlohmann::json::accept(provenance.begin(), provenance.end()) &&
        !faults_.add(map_.section(SectionType::kProvenance).offset_bytes, "provenance", "JSON text",
                     "something else")) {
        return false;
    }
    return true;
}

}  // namespace

Result<WsdbValidation> validate_wsdb(const std::filesystem::path& file, const ThreadPool& pool,
                                     const WsdbValidateOptions& options) {
    auto mapped = WsdbReader::Map::map_file(file);
    if (!mapped.ok()) return mapped.status();
    return validate_wsdb(**mapped, pool, options);
}

Result<WsdbValidation> validate_wsdb(WsdbReader::Map& map, const ThreadPool& pool, const WsdbValidateOptions& options) {
    return Validator(map, pool, options).run();
}

}  // namespace warpseq
