// The content is checked in windows of consecutive tiles, the headers and tiles of a window by all threads; what was found is put
// together in order, so that the first fault is the same with any number of threads. The content digest, which has to be hashed from its
// beginning to its end, is hashed beside it, a window behind.
#include "formats/wsdb_validate.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "formats/checksum.h"
#include "formats/fasta.h"
#include "formats/sequence_names.h"
#include "formats/wsdb_quick_checks.h"
#include "formats/wsdb_record_batch.h"
#include "formats/xxh3_state.h"
#include "libcore/sequence/tile_unpack.h"

namespace warpseq {

namespace {

using wsdb::SectionType;
using Map = WsdbReader::Map;

/// Residues and sequences in a window, about: large enough to keep all threads busy.
constexpr std::uint64_t kWindowResidues = std::uint64_t{128} << 20;
constexpr std::uint64_t kWindowSequences = std::uint64_t{1} << 20;

/// A set of sequences.
class RankSet {
   public:
    explicit RankSet(std::uint64_t size) : bits_((size + 63) / 64) {}
    /// False where it was in already, or is none of the sequences.
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
        : map_(map), pool_(pool), options_(options), faults_(options.all), workers_(pool.threads()) {}

    Result<WsdbValidation> run() {
        check();
        if (!failure_.ok()) return failure_;
        // Else zeros, which stand for what could not be read, would be named.
        if (map_.mapped.lost()) return map_.cut_status();
        return WsdbValidation{std::move(counts_), faults_.list()};
    }

   private:
    struct Worker {
        WsdbTile tile;
        WsdbBlock block;
        std::vector<std::uint8_t> residues;
        std::vector<std::uint32_t> words;
        HeaderBuffer headers;
        std::array<std::uint64_t, kResiduePairs> residue_pairs{};
        std::vector<std::uint32_t> taxids;
        std::uint64_t header_bytes = 0;
        std::uint64_t names = 0, names_sum = 0;  // of hashes of all (name hash, rank): the same in any order
    };
    /// Consecutive tiles and their sequences.
    struct Window {
        std::uint64_t first_tile, end_tile, first_rank, end_rank;
        std::uint64_t end_residues;  // in all windows up to this one
    };

    void check();
    bool check_gaps();
    bool check_order();
    bool find_disorder();
    bool check_taxonomy();
    bool check_content();
    bool check_window(const Window& window);
    void check_headers(const Window& window, std::uint64_t block, Worker& worker, WsdbFaults& faults);
    bool check_taxid_count(std::uint64_t rank, std::string_view header, Worker& worker, WsdbFaults& faults);
    void check_packed_tile(std::uint64_t tile, std::uint64_t first_rank, Worker& worker, WsdbFaults& faults);
    void check_block(std::uint64_t block, std::uint64_t first_rank, Worker& worker, WsdbFaults& faults);
    void hash_residues(const WsdbTile& tile, std::uint64_t first_rank, const std::uint8_t* residues);
    void hash_behind();
    bool check_sections();
    bool check_names();
    bool find_wrong_name();
    bool find_missing_name();
    bool check_statistics();
    Result<std::uint64_t> duplicate_identifiers(std::uint64_t stored) const;

    void counted(std::string what, std::uint64_t checked) { counts_.push_back({std::move(what), checked}); }
    std::uint64_t offset_of(SectionType type, std::uint64_t index, std::size_t item) const {
        return map_.section(type).offset_bytes + index * item;
    }
    /// Takes over what parts of a loop have found, in the order of the parts.
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
    Status failure_;  // of this machine, not of the file
    std::vector<WsdbValidation::Count> counts_;
    std::vector<Worker> workers_;

    std::vector<wsdb::DigestEntry> digests_;         // of the window's sequences
    std::vector<wsdb::DigestEntry> digests_before_;  // of the window before, not in the digest yet
    Xxh3State digest_state_ = make_xxh3_state();
    std::uint64_t equal_name_hashes_ = 0;
    bool has_sound_taxids_ = false;
    std::uint64_t header_blocks_checked_ = 0;
    std::array<std::uint8_t, 16> digest_{};
};

void Validator::check() {
    if (!map_.check_header(faults_)) return;
    counted("bytes of the header", wsdb::kHeaderBytes);
    counted("sections in the table", map_.header.section_count);
    if (!check_gaps()) return;
    // Index sections first: the content is found through them.
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
        counted("header blocks", header_blocks_checked_);
        counted("headers", map_.header.sequences);
        if (digest_ != map_.header.content_digest) {
            faults_.add(offsetof(wsdb::FileHeader, content_digest), "content digest",
                        wsdb::digest_text(map_.header.content_digest), wsdb::digest_text(digest_));
            if (faults_.full()) return;
        }
    }
    // The place of damage is known better from inside a section, so checksums come last.
    if (!check_sections()) return;
    counted("section checksums", map_.checksums.size());
    if (!content_sound) return;
    if (!check_names()) return;
    counted("names in the index", map_.names.size());
    if (!check_statistics()) return;
    counted("statistics", wsdb::kHistogramBins + kResidueTableSize + 8);
}

bool Validator::check_gaps() {
    // The section table has been checked: each section starts at the next multiple of 4096 behind the one before.
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

/// Says where.
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

/// Each definition line has one.
bool Validator::check_taxid_count(std::uint64_t rank, std::string_view header, Worker& worker, WsdbFaults& faults) {
    bool from_list = false;
    if (!map_.read_taxids(rank, worker.taxids, from_list, faults)) return false;
    const std::size_t lines = count_deflines(header);
    return !from_list || worker.taxids.size() == lines ||
           faults.add_number(map_.section(SectionType::kTaxids).offset_bytes,
                             "taxonomy IDs of sequence " + std::to_string(rank) + ", whose definition lines are", lines,
                             worker.taxids.size());
}

void Validator::check_headers(const Window& window, std::uint64_t block, Worker& worker, WsdbFaults& faults) {
    if (!map_.decode_header_block(block, worker.headers, faults)) return;
    const std::uint64_t first = worker.headers.first_sequence, end = first + worker.headers.ends.size();
    const bool has_carriage_returns = worker.headers.text.find('\r') != std::string::npos;
    for (std::uint64_t rank = std::max(first, window.first_rank); rank < std::min(end, window.end_rank); ++rank) {
        const auto header = map_.header_in(worker.headers, rank, faults);
        if (!header) return;
        digests_[rank - window.first_rank].header_hash = checksum_of(header->data(), header->size());
        worker.header_bytes += header->size();
        for (const std::string_view name : index_names_of(*header)) {
            const wsdb::NameEntry entry{checksum_of(name.data(), name.size()), rank};
            worker.names_sum += checksum_of(&entry, sizeof entry);
            ++worker.names;
        }
        if (has_sound_taxids_ && !check_taxid_count(rank, *header, worker, faults)) return;
        if (has_carriage_returns && header->find('\r') != std::string_view::npos) {
            faults.add(map_.section(SectionType::kHeaders).offset_bytes + map_.header_blocks[block].offset_bytes,
                       "header of sequence " + std::to_string(rank), "one line", "a line break in it");
        }
    }
}

/// `residues`: of all lanes of the tile, one sequence after another.
void Validator::hash_residues(const WsdbTile& tile, std::uint64_t first_rank, const std::uint8_t* residues) {
    for (std::uint32_t lane = 0; lane < tile.lanes; ++lane) {
        wsdb::DigestEntry& digest = digests_[tile.first_sequence + lane - first_rank];
        digest.length_residues = tile.lengths_residues[lane];
        digest.residues_hash = checksum_of(residues, tile.lengths_residues[lane]);
        residues += tile.lengths_residues[lane];
    }
}

void Validator::check_packed_tile(std::uint64_t tile, std::uint64_t first_rank, Worker& worker, WsdbFaults& faults) {
    WsdbTile& entry = worker.tile;
    if (!map_.read_tile(tile, entry, faults)) return;
    const TileView view = entry.view(map_.packed_words(entry));
    const std::uint32_t* const words = view.words.data();
    const std::uint64_t bytes = view.words.size_bytes();
    const std::uint64_t offset = map_.section(SectionType::kTiles).offset_bytes + entry.offset_bytes;
    if (const std::uint64_t found = checksum_of(words, bytes); found != entry.checksum) {
        if (!faults.add_checksum(offset, "tile " + std::to_string(tile) + " is damaged", entry.checksum, found)) return;
    }
    if (worker.residues.size() < entry.residues) worker.residues.resize(entry.residues);
    if (is_sound(view)) {
        unpack_tile(view, worker.residues.data());
        hash_residues(entry, first_rank, worker.residues.data());
        count_residue_pairs(view.words, worker.residue_pairs);
        return;
    }
    std::uint8_t* residues = worker.residues.data();
    for (std::uint32_t lane = 0; lane < entry.lanes; ++lane) {
        const std::uint64_t rank = entry.first_sequence + lane;
        unpack_lane(view, lane, residues);
        for (std::uint64_t i = 0; i < view.lengths_residues[lane]; ++i) {
            const std::uint64_t word =
                i / kResiduesPerWord * view.word_stride() + (view.layout == TileLayout::kLinear ? 0 : lane);
            const ResidueCode code = residue_of_word(words[word], static_cast<std::uint32_t>(i % kResiduesPerWord));
            if (code >= kResidueCodes &&
                !faults.add(offset + word * sizeof(std::uint32_t),
                            "code of residue " + std::to_string(i) + " of sequence " + std::to_string(rank), "0 to 26",
                            std::to_string(code))) {
                return;
            }
        }
        residues += view.lengths_residues[lane];
    }
    // The same residues packed again have to give the same words: it holds padding and unused bits to their values.
    if (worker.words.size() < view.words.size()) worker.words.resize(view.words.size());
    wsdb::pack_sequences(entry.layout, entry.lengths(), worker.residues.data(), worker.words.data());
    if (std::memcmp(worker.words.data(), words, bytes) == 0) return;
    const auto [mine, its] = std::mismatch(
        worker.words.begin(), worker.words.begin() + static_cast<std::ptrdiff_t>(view.words.size()), words);
    faults.add_number(offset + static_cast<std::uint64_t>(its - words) * sizeof(std::uint32_t),
                      "padding in a word of tile " + std::to_string(tile), *mine, *its);
}

void Validator::check_block(std::uint64_t block, std::uint64_t first_rank, Worker& worker, WsdbFaults& faults) {
    WsdbBlock& decoded = worker.block;
    if (!map_.decode_block(block, decoded, faults)) return;
    for (std::uint64_t tile = decoded.first_tile; tile < decoded.first_tile + decoded.tiles; ++tile) {
        WsdbTile& entry = worker.tile;
        if (!map_.read_tile(tile, entry, faults)) return;
        const auto residues = map_.residues_in(decoded, entry, faults);
        if (residues.size() < entry.residues) return;
        const std::uint64_t words = entry.words();
        if (worker.words.size() < words) worker.words.resize(words);
        wsdb::pack_sequences(entry.layout, entry.lengths(), residues.data(), worker.words.data());
        const std::uint64_t found = checksum_of(worker.words.data(), words * sizeof(std::uint32_t));
        if (found != entry.checksum) {
            const bool more = faults.add_checksum(
                offset_of(SectionType::kTileIndex, tile, sizeof(wsdb::TileEntry)) + offsetof(wsdb::TileEntry, checksum),
                "tile " + std::to_string(tile), entry.checksum, found);
            if (!more) return;
        }
        if (entry.first_sequence < first_rank || entry.first_sequence + entry.lanes - first_rank > digests_.size()) {
            faults.add_changed(offset_of(SectionType::kBlockIndex, block, sizeof(wsdb::BlockEntry)),
                               "entry of block " + std::to_string(block));
            return;
        }
        hash_residues(entry, first_rank, residues.data());
        count_residue_pairs({worker.words.data(), words}, worker.residue_pairs);
    }
}

bool Validator::check_window(const Window& window) {
    const std::uint64_t sequences = window.end_rank - window.first_rank;
    digests_.assign(sequences, {});
    const std::uint64_t first_header_block = map_.block_of_header(window.first_rank);
    const std::uint64_t last_header_block = map_.block_of_header(window.end_rank - 1);
    const bool packed = map_.codec() == ResidueCodec::kPacked;
    const std::uint64_t first_unit = packed ? window.first_tile : map_.block_of_tile(window.first_tile);
    const std::uint64_t last_unit = packed ? window.end_tile - 1 : map_.block_of_tile(window.end_tile - 1);
    if (last_header_block < first_header_block || last_unit < first_unit) {
        return faults_.add_changed(map_.section(SectionType::kHeaderBlockIndex).offset_bytes, "an index of blocks");
    }
    const std::uint64_t header_blocks = last_header_block - first_header_block + 1;
    const std::uint64_t units = last_unit - first_unit + 1;
    std::vector<WsdbFaults> parts(units + header_blocks, WsdbFaults(faults_.all()));
    // What takes longest goes first: the digest, which one thread takes, then blocks of headers, then residues.
    failure_ = pool_.parallel_for(1 + header_blocks + units, [&](std::uint64_t index, unsigned thread) {
        Worker& worker = workers_[thread];
        if (index == 0) {
            hash_behind();
            return;
        }
        if (index - 1 < header_blocks) {
            const std::uint64_t block = index - 1;
            check_headers(window, first_header_block + block, worker, parts[units + block]);
            return;
        }
        const std::uint64_t unit = index - 1 - header_blocks;
        if (packed) {
            check_packed_tile(first_unit + unit, window.first_rank, worker, parts[unit]);
        } else {
            check_block(first_unit + unit, window.first_rank, worker, parts[unit]);
        }
    });
    if (!failure_.ok()) return false;
    header_blocks_checked_ = first_header_block + header_blocks;
    return merge(parts);
}

/// Takes the window before into the digest.
void Validator::hash_behind() {
    XXH3_128bits_update(digest_state_.get(), digests_before_.data(),
                        digests_before_.size() * sizeof(wsdb::DigestEntry));
    digests_before_.clear();
}

bool Validator::check_sections() {
    std::uint64_t first = 0;
    for (const wsdb::SectionEntry& entry : std::span(map_.header.sections).first(map_.header.section_count)) {
        if (!wsdb::is_in_checksums(entry.type)) continue;
        std::vector<WsdbFaults> parts(wsdb::checksum_blocks(entry.size_bytes), WsdbFaults(faults_.all()));
        failure_ = pool_.parallel_for(parts.size(), [&](std::uint64_t block, unsigned) {
            map_.check_block_checksum(entry, first, block, parts[block]);
        });
        if (!failure_.ok() || !merge(parts)) return false;
        first += parts.size();
    }
    return true;
}

bool Validator::check_content() {
    const bool clean_before = !faults_.any();
    XXH3_128bits_reset(digest_state_.get());
    std::uint64_t rank = 0;
    std::uint64_t residues_before = 0;
    for (std::uint64_t tile = 0; tile < map_.tile_count();) {
        Window window{tile, tile, rank, rank, residues_before};
        while (window.end_tile < map_.tile_count() && window.end_residues - residues_before < kWindowResidues &&
               window.end_rank - rank < kWindowSequences) {
            // Whole blocks only, so that none is expanded twice.
            std::uint64_t end = window.end_tile + 1;
            if (map_.codec() == ResidueCodec::kZstd) {
                Map::Frame block;
                if (!map_.read_block(map_.block_of_tile(window.end_tile), block, faults_)) return false;
                end = std::max(end, block.first + block.count);
            }
            for (; window.end_tile < end; ++window.end_tile) {
                window.end_residues += map_.tile_residues(window.end_tile);
                window.end_rank += map_.lanes_of(window.end_tile);
            }
        }
        if (!check_window(window)) return false;
        std::swap(digests_, digests_before_);
        tile = window.end_tile;
        rank = window.end_rank;
        residues_before = window.end_residues;
        if (options_.on_progress) options_.on_progress(tile, map_.tile_count());
    }
    hash_behind();
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(digest_state_.get()));
    std::copy_n(canonical.digest, digest_.size(), digest_.begin());
    return clean_before && !faults_.any();
}

bool Validator::check_names() {
    const auto index = summarize_name_index(map_, pool_);
    if (!index.ok()) {
        failure_ = index.status();
        return false;
    }
    if (!index->is_sound && !find_wrong_name()) return false;
    equal_name_hashes_ = index->equal_hashes;
    std::uint64_t sum = 0, names = 0;
    for (const Worker& worker : workers_) {
        sum += worker.names_sum;
        names += worker.names;
    }
    if (index->sum_of_hashes == sum && map_.names.size() == names) return true;
    if (!find_missing_name()) return false;
    return faults_.any() || faults_.add_number(map_.section(SectionType::kNameIndex).offset_bytes,
                                               "name index: entries", names, map_.names.size());
}

/// Says which entries of the index are wrong in themselves.
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

/// Names and index do not agree: looks every name up to say where.
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

/// Sequences whose identifier an earlier one has. Equal hashes are taken for equal identifiers where that gives the
/// number `stored`; else the identifiers themselves are compared.
Result<std::uint64_t> Validator::duplicate_identifiers(std::uint64_t stored) const {
    if (equal_name_hashes_ == stored) return stored;
    std::uint64_t duplicates = 0;
    HeaderBuffer headers;
    for (std::size_t first = 0; first < map_.names.size();) {
        std::size_t end = first + 1;
        while (end < map_.names.size() && map_.names[end].hash == map_.names[first].hash) ++end;
        std::set<std::string> distinct;
        for (std::size_t i = first; end - first > 1 && i < end; ++i) {
            const wsdb::NameEntry entry = copy_of(map_.names[i]);
            const std::uint64_t rank = std::min(entry.rank, map_.header.sequences - 1);
            WsdbFaults faults(false);
            if (rank < headers.first_sequence || rank - headers.first_sequence >= headers.ends.size()) {
                if (!map_.decode_header_block(map_.block_of_header(rank), headers, faults))
                    return map_.status_of(faults);
            }
            const auto header = map_.header_in(headers, rank, faults);
            if (!header) return map_.status_of(faults);
            const std::string_view first_name = index_name_of(identifier_of(*header));
            if (checksum_of(first_name.data(), first_name.size()) == entry.hash &&
                !distinct.emplace(identifier_of(*header)).second)
                ++duplicates;
        }
        first = end;
    }
    return duplicates;
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
    for (const Worker& worker : workers_) {
        for (std::size_t pair = 0; pair < kResiduePairs; ++pair) {
            computed.composition[pair % kResidueTableSize] += worker.residue_pairs[pair];
            computed.composition[pair / kResidueTableSize] += worker.residue_pairs[pair];
        }
    }
    computed.composition[kPaddingCode] = 0;
    for (const Worker& worker : workers_) computed.header_bytes += worker.header_bytes;
    // Headers have been read without a fault by now, so this does not fail.
    if (const auto duplicates = duplicate_identifiers(stored.duplicate_identifiers); duplicates.ok()) {
        computed.duplicate_identifiers = *duplicates;
    }
    // What only the input told cannot be computed again.
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
    return Validator(**mapped, pool, options).run();
}

}  // namespace warpseq
