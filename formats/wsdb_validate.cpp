// The content is checked in windows of consecutive tiles: first the headers of a window's sequences, then its tiles,
// each by all threads; what was found is put together in order, so that the first fault is the same with any number of
// threads.
#include "formats/wsdb_validate.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "formats/fasta.h"
#include "formats/xxh3_state.h"

namespace warpseq {

namespace {

using wsdb::SectionType;
using Map = WsdbReader::Map;

/// Residues in a window, about: large enough to keep all threads busy.
constexpr std::uint64_t kWindowResidues = std::uint64_t{32} << 20;

std::uint64_t hash_of(const void* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

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
        std::array<std::uint64_t, kResidueTableSize> composition{};
    };
    /// Consecutive tiles and their sequences.
    struct Window {
        std::uint64_t first_tile, end_tile, first_rank, end_rank;
    };

    void check();
    bool check_gaps();
    bool check_order();
    bool check_content();
    bool check_window(const Window& window);
    void check_headers(const Window& window, std::uint64_t block, Worker& worker, WsdbFaults& faults);
    void check_packed_tile(std::uint64_t tile, std::uint64_t first_rank, Worker& worker, WsdbFaults& faults);
    void check_block(std::uint64_t block, std::uint64_t first_rank, Worker& worker, WsdbFaults& faults);
    void hash_residues(std::uint64_t rank, std::uint64_t first_rank, std::span<const std::uint8_t> residues,
                       Worker& worker);
    std::uint64_t end_of_header_block(std::uint64_t block) const;
    bool check_names();
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

    std::vector<wsdb::DigestEntry> digests_;  // of the window's sequences
    std::vector<std::uint64_t> name_hashes_;  // likewise
    std::uint64_t names_sum_ = 0;             // of hashes of all (name hash, rank): the same in any order
    std::uint64_t header_blocks_checked_ = 0;
    std::array<std::uint8_t, 16> digest_{};
};

void Validator::check() {
    if (!map_.check_header(faults_)) return;
    counted("bytes of the header", wsdb::kHeaderBytes);
    counted("sections in the table", map_.header.section_count);
    if (!check_gaps()) return;
    // Index sections first: the content is found through them.
    const bool index_sound = map_.check_index(faults_);
    if (!index_sound || faults_.full()) return;
    counted("entries of the tile index", map_.header.tiles);
    counted("entries of block indexes", map_.blocks.size() + map_.header_blocks.size());
    if (!check_order()) return;
    counted("lengths, in descending order", map_.header.sequences);
    counted("input positions, each one once", map_.header.sequences);
    const bool content_sound = check_content();
    if (faults_.full() || !failure_.ok()) return;
    if (content_sound) {
        counted("tiles: checksum, codes, padding", map_.header.tiles);
        counted("residues", map_.header.residues);
        counted("header blocks", header_blocks_checked_);
        counted("headers", map_.header.sequences);
        if (digest_ != map_.header.content_digest) {
            faults_.add(offsetof(wsdb::FileHeader, content_digest), "content digest",
                        wsdb::digest_text(map_.header.content_digest), wsdb::digest_text(digest_));
            if (faults_.full()) return;
        }
    }
    // The place of damage is known better from inside a section, so whole sections come last.
    std::uint64_t sections = 0;
    for (; sections < map_.header.section_count; ++sections) {
        map_.check_section_checksum(map_.header.sections[sections], faults_);
        if (faults_.full()) return;
    }
    counted("section checksums", sections);
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
    RankSet seen(map_.header.sequences);
    for (std::uint64_t rank = 0; rank < map_.header.sequences; ++rank) {
        const std::uint64_t position = copy_of(map_.input_positions[rank]);
        const std::uint64_t offset = offset_of(SectionType::kInputPositions, rank, sizeof position);
        if (!seen.insert(position) && !faults_.add(offset, "input position of sequence " + std::to_string(rank),
                                                   "one that no other has", std::to_string(position))) {
            return false;
        }
        if (rank > 0 && map_.lengths[rank] == map_.lengths[rank - 1] && position < map_.input_positions[rank - 1] &&
            !faults_.add(offset, "input position of sequence " + std::to_string(rank),
                         "more than " + std::to_string(map_.input_positions[rank - 1]) +
                             ", that of the one before with the same length",
                         std::to_string(position))) {
            return false;
        }
    }
    return true;
}

/// Behind the last sequence whose header the block has.
std::uint64_t Validator::end_of_header_block(std::uint64_t block) const {
    if (block + 1 == map_.header_blocks.size()) return map_.header.sequences;
    return std::min(copy_of(map_.header_blocks[block + 1].first_sequence), map_.header.sequences);
}

void Validator::check_headers(const Window& window, std::uint64_t block, Worker& worker, WsdbFaults& faults) {
    if (!map_.decode_header_block(block, worker.headers, faults)) return;
    const std::uint64_t first = copy_of(map_.header_blocks[block].first_sequence);
    const std::uint64_t end = end_of_header_block(block);
    for (std::uint64_t rank = std::max(first, window.first_rank); rank < std::min(end, window.end_rank); ++rank) {
        const auto header = map_.header_in(worker.headers, rank, faults);
        if (!header) return;
        const std::string_view name = identifier_of(*header);
        digests_[rank - window.first_rank].header_hash = hash_of(header->data(), header->size());
        name_hashes_[rank - window.first_rank] = hash_of(name.data(), name.size());
        if (header->find_first_of("\r\n") != std::string_view::npos) {
            faults.add(map_.section(SectionType::kHeaders).offset_bytes + map_.header_blocks[block].offset_bytes,
                       "header of sequence " + std::to_string(rank), "one line", "a line break in it");
        }
    }
}

void Validator::hash_residues(std::uint64_t rank, std::uint64_t first_rank, std::span<const std::uint8_t> residues,
                              Worker& worker) {
    digests_[rank - first_rank].length_residues = residues.size();
    digests_[rank - first_rank].residues_hash = hash_of(residues.data(), residues.size());
    for (const std::uint8_t residue : residues) ++worker.composition[residue & kResidueMask];
}

void Validator::check_packed_tile(std::uint64_t tile, std::uint64_t first_rank, Worker& worker, WsdbFaults& faults) {
    WsdbTile& entry = worker.tile;
    if (!map_.read_tile(tile, entry, faults)) return;
    const TileView view = entry.view(map_.packed_words(entry));
    const std::uint32_t* const words = view.words.data();
    const std::uint64_t bytes = view.words.size_bytes();
    const std::uint64_t offset = map_.section(SectionType::kTiles).offset_bytes + entry.offset;
    if (const std::uint64_t found = hash_of(words, bytes); found != entry.checksum) {
        if (!faults.add_checksum(offset, "tile " + std::to_string(tile) + " is damaged", entry.checksum, found)) return;
    }
    const bool sound = is_sound(view);
    if (worker.residues.size() < entry.residues) worker.residues.resize(entry.residues);
    std::uint8_t* residues = worker.residues.data();
    for (std::uint32_t lane = 0; lane < entry.lanes; ++lane) {
        const std::uint64_t rank = entry.first_sequence + lane;
        unpack_lane(view, lane, residues);
        for (std::uint64_t i = 0; !sound && i < view.lengths_residues[lane]; ++i) {
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
        hash_residues(rank, first_rank, {residues, view.lengths_residues[lane]}, worker);
        residues += view.lengths_residues[lane];
    }
    if (bytes == 0) return;  // empty sequences alone
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
        auto residues = map_.residues_in(decoded, entry, faults);
        if (residues.size() < entry.residues) return;
        const std::uint64_t words = entry.words();
        if (worker.words.size() < words) worker.words.resize(words);
        wsdb::pack_sequences(entry.layout, entry.lengths(), residues.data(), worker.words.data());
        const std::uint64_t found = hash_of(worker.words.data(), words * sizeof(std::uint32_t));
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
        for (std::uint32_t lane = 0; lane < entry.lanes; ++lane) {
            hash_residues(entry.first_sequence + lane, first_rank, residues.first(entry.lengths_residues[lane]),
                          worker);
            residues = residues.subspan(entry.lengths_residues[lane]);
        }
    }
}

bool Validator::check_window(const Window& window) {
    const std::uint64_t sequences = window.end_rank - window.first_rank;
    digests_.assign(sequences, {});
    name_hashes_.assign(sequences, 0);
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
    failure_ = pool_.parallel_for(units + header_blocks, [&](std::uint64_t index, unsigned thread) {
        Worker& worker = workers_[thread];
        if (index >= units) {
            check_headers(window, first_header_block + index - units, worker, parts[index]);
        } else if (packed) {
            check_packed_tile(first_unit + index, window.first_rank, worker, parts[index]);
        } else {
            check_block(first_unit + index, window.first_rank, worker, parts[index]);
        }
    });
    if (!failure_.ok()) return false;
    header_blocks_checked_ = first_header_block + header_blocks;
    for (std::uint64_t i = 0; i < sequences; ++i) {
        const wsdb::NameEntry entry{name_hashes_[i], window.first_rank + i};
        names_sum_ += hash_of(&entry, sizeof entry);
    }
    return merge(parts);
}

bool Validator::check_content() {
    const bool clean_before = !faults_.any();
    const Xxh3State digest = make_xxh3_state();
    XXH3_128bits_reset(digest.get());
    std::uint64_t rank = 0;
    for (std::uint64_t tile = 0; tile < map_.header.tiles;) {
        Window window{tile, tile, rank, rank};
        for (std::uint64_t residues = 0, words = 0;
             window.end_tile < map_.header.tiles && residues < kWindowResidues && words < kWindowResidues;) {
            // Whole blocks only, so that none is expanded twice.
            std::uint64_t end = window.end_tile + 1;
            if (map_.codec() == ResidueCodec::kZstd) {
                wsdb::BlockEntry block;
                if (!map_.read_block(map_.block_of_tile(window.end_tile), block, faults_)) return false;
                end = std::max(end, block.first_tile + block.tiles);
            }
            for (; window.end_tile < end; ++window.end_tile) {
                residues += map_.tiles[window.end_tile].residues;
                words += map_.lanes_of(window.end_tile);  // empty sequences take time and memory, too
                window.end_rank += map_.lanes_of(window.end_tile);
            }
        }
        if (!check_window(window)) return false;
        XXH3_128bits_update(digest.get(), digests_.data(), digests_.size() * sizeof(wsdb::DigestEntry));
        tile = window.end_tile;
        rank = window.end_rank;
        if (options_.on_progress) options_.on_progress(tile, map_.header.tiles);
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(digest.get()));
    std::copy_n(canonical.digest, digest_.size(), digest_.begin());
    return clean_before && !faults_.any();
}

bool Validator::check_names() {
    RankSet seen(map_.header.sequences);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < map_.names.size(); ++i) {
        const wsdb::NameEntry entry = copy_of(map_.names[i]);
        const std::uint64_t offset = offset_of(SectionType::kNameIndex, i, sizeof entry);
        const std::string what = "name index entry " + std::to_string(i);
        if (entry.rank >= map_.header.sequences) {
            if (!faults_.add(offset, what, "a rank below " + std::to_string(map_.header.sequences),
                             std::to_string(entry.rank))) {
                return false;
            }
            continue;
        }
        if (!seen.insert(entry.rank) && !faults_.add(offset, what, "a sequence that no other entry names",
                                                     "sequence " + std::to_string(entry.rank))) {
            return false;
        }
        if (i > 0) {
            const wsdb::NameEntry& before = map_.names[i - 1];
            if ((before.hash > entry.hash || (before.hash == entry.hash && before.rank >= entry.rank)) &&
                !faults_.add(offset, what, "entries in ascending order of hash and rank", "one out of order")) {
                return false;
            }
        }
        sum += hash_of(&entry, sizeof entry);
    }
    return sum == names_sum_ || find_missing_name();
}

/// Names and index do not agree: looks every name up to say where.
bool Validator::find_missing_name() {
    HeaderBuffer headers;
    for (std::uint64_t block = 0; block < map_.header_blocks.size(); ++block) {
        const std::uint64_t end = end_of_header_block(block);
        if (!map_.decode_header_block(block, headers, faults_)) return false;
        for (std::uint64_t rank = copy_of(map_.header_blocks[block].first_sequence); rank < end; ++rank) {
            const auto header = map_.header_in(headers, rank, faults_);
            if (!header) return false;
            const std::string_view name = identifier_of(*header);
            const std::uint64_t hash = hash_of(name.data(), name.size());
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
    return !faults_.full();
}

/// Sequences whose identifier an earlier one has. Equal hashes are taken for equal identifiers where that gives the
/// number `stored`; else the identifiers themselves are compared.
Result<std::uint64_t> Validator::duplicate_identifiers(std::uint64_t stored) const {
    std::uint64_t equal_hashes = 0;
    for (std::size_t i = 1; i < map_.names.size(); ++i) {
        if (map_.names[i].hash == map_.names[i - 1].hash) ++equal_hashes;
    }
    if (equal_hashes == stored) return equal_hashes;
    std::uint64_t duplicates = 0;
    HeaderBuffer headers;
    for (std::size_t first = 0; first < map_.names.size();) {
        std::size_t end = first + 1;
        while (end < map_.names.size() && map_.names[end].hash == map_.names[first].hash) ++end;
        std::set<std::string> distinct;
        for (std::size_t i = first; end - first > 1 && i < end; ++i) {
            const std::uint64_t rank = std::min(copy_of(map_.names[i].rank), map_.header.sequences - 1);
            WsdbFaults faults(false);
            if (!map_.decode_header_block(map_.block_of_header(rank), headers, faults)) return map_.status_of(faults);
            const auto header = map_.header_in(headers, rank, faults);
            if (!header) return map_.status_of(faults);
            if (!distinct.emplace(identifier_of(*header)).second) ++duplicates;
        }
        first = end;
    }
    return duplicates;
}

bool Validator::check_statistics() {
    wsdb::Statistics stored{};
    std::memcpy(&stored, map_.section_bytes(SectionType::kStatistics).data(), sizeof stored);
    wsdb::Statistics computed{};
    for (const Worker& worker : workers_) {
        for (std::size_t code = 0; code < computed.composition.size(); ++code) {
            computed.composition[code] += worker.composition[code];
        }
    }
    std::uint64_t words = 0;
    for (std::uint64_t tile = 0; tile < map_.header.tiles; ++tile)
        words += map_.tile_bytes(tile) / sizeof(std::uint32_t);
    for (const std::uint64_t length : map_.lengths) {
        ++computed.length_histogram[wsdb::histogram_bin(length)];
        computed.residue_words += words_for(length);
        if (length == 0) ++computed.empty_sequences;
    }
    computed.padding_words = words - computed.residue_words;
    computed.longest_residues = map_.lengths.front();
    computed.shortest_residues = map_.lengths.back();
    computed.header_bytes = map_.header_offsets.back();
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
