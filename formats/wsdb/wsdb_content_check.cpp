#include "formats/wsdb/wsdb_content_check.h"

#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "formats/fasta/record_batch.h"
#include "formats/fasta/sequence_names.h"
#include "formats/io/checksum.h"
#include "formats/io/ordered_stages.h"
#include "formats/io/xxh3_state.h"
#include "formats/wsdb/wsdb_quick_checks.h"
#include "libcore/sequence/residue_counter.h"
#include "libcore/sequence/tile_unpack.h"

namespace warpseq {

namespace {

using wsdb::SectionType;
using Map = WsdbReader::Map;

/// The work for a sequence and its header besides its residues, in residues.
constexpr std::uint64_t kSequenceResidues = 400;
/// The size of a stretch of the database, about. Within a stretch, faults of headers follow those
/// of tiles.
constexpr std::uint64_t kStretchResidues = std::uint64_t{128} << 20;
constexpr std::uint64_t kStretchSequences = std::uint64_t{1} << 20;

class ContentCheck {
   public:
    ContentCheck(const Map& map, const ThreadPool& pool, const WsdbContentOptions& options, WsdbFaults& faults)
        : map_(map),
          pool_(pool),
          options_(options),
          faults_(faults),
          later_(faults.all()),
          is_packed_(map.codec() == ResidueCodec::kPacked),
          workers_(pool.threads()),
          jobs_(std::size_t{2} * pool.threads()) {}

    Result<WsdbContentSummary> run();

   private:
    struct Worker {
        WsdbTile tile;
        WsdbBlock block;
        std::vector<std::uint8_t> residues;
        std::vector<std::uint32_t> words;
        HeaderBuffer headers;
        IndexNames names;
        ResidueCounter letters;
        std::vector<std::uint32_t> taxids;
        std::uint64_t header_bytes = 0, name_count = 0, names_sum = 0;
    };
    /// Consecutive tiles and their sequences. A job has whole blocks of residues, and the blocks of
    /// headers that begin with one of its sequences, so that none is expanded twice.
    struct Job {
        std::uint64_t first_tile = 0, end_tile = 0, first_rank = 0, end_rank = 0;
        bool ends_stretch = false;
        std::vector<wsdb::DigestEntry> digests;    // without the headers
        std::vector<std::uint64_t> header_hashes;  // of these blocks; they may begin and end behind the sequences
        WsdbFaults tile_faults{false}, header_faults{false};
    };

    /// A range of bytes in a section.
    struct Stretch {
        SectionType type;
        std::uint64_t offset_bytes, size_bytes;
    };
    /// Returns the range from the offset of one entry of an index to that of another. It is empty
    /// if it is not in the section.
    template <typename Entry>
    Stretch stretch_between(SectionType type, const Entry& first, const Entry& behind) const {
        const std::uint64_t begin = copy_of(first).offset_bytes, end = copy_of(behind).offset_bytes;
        if (begin > end || end > map_.section(type).size_bytes) return {type, 0, 0};
        return {type, begin, end - begin};
    }

    OrderedStages::Begun begin(Job& job);
    void work_on(Job& job, Worker& worker);
    void enter(Job& job);
    void add_header_hashes(Job& job);
    void check_headers(Job& job, std::uint64_t block, Worker& worker);
    bool check_taxid_count(std::uint64_t rank, std::string_view header, Worker& worker, WsdbFaults& faults);
    bool check_packed_tile(std::uint64_t tile, Job& job, Worker& worker);
    bool is_tile_packed_right(const TileView& view, std::uint64_t offset, Worker& worker, WsdbFaults& faults);
    bool check_block(std::uint64_t block, Job& job, Worker& worker);
    static void hash_residues(const WsdbTile& tile, const std::uint8_t* residues, Job& job);
    void take_over(const WsdbFaults& part) {
        for (const WsdbFault& fault : part.list())
            faults_.add(fault.offset_bytes, fault.what, fault.expected, fault.found);
    }

    const Map& map_;
    const ThreadPool& pool_;
    const WsdbContentOptions& options_;
    WsdbFaults& faults_;
    WsdbFaults later_;  // faults of headers in the current stretch
    bool is_packed_;
    std::vector<Worker> workers_;
    std::vector<Job> jobs_;

    // The members below are used where jobs begin.
    std::uint64_t next_tile_ = 0, next_rank_ = 0, stretch_residues_ = 0, stretch_sequences_ = 0;
    std::atomic<bool> is_full_ = false;
    // The members below are used where results are entered.
    std::vector<std::uint64_t> hashes_ahead_;  // hashes of headers of sequences behind the last job
    Xxh3State digest_ = make_xxh3_state();
};

/// Begins a job with the next tiles.
OrderedStages::Begun ContentCheck::begin(Job& job) {
    if (next_tile_ == map_.tile_count() || is_full_.load(std::memory_order_relaxed))
        return OrderedStages::Begun::kNoMore;
    job.tile_faults = job.header_faults = WsdbFaults(faults_.all());
    job.first_tile = job.end_tile = next_tile_;
    job.first_rank = job.end_rank = next_rank_;
    job.ends_stretch = false;
    for (std::uint64_t done = 0;
         done < options_.job_residues && job.end_tile < map_.tile_count() && !job.ends_stretch;) {
        std::uint64_t end = job.end_tile + 1;
        if (!is_packed_) {
            Map::Frame block;
            if (!map_.read_block(map_.block_of_tile(job.end_tile), block, job.tile_faults)) break;
            end = std::max(end, block.first + block.count);
        }
        std::uint64_t residues = 0, sequences = 0;
        for (; job.end_tile < end; ++job.end_tile) {
            residues += map_.tile_residues(job.end_tile);
            sequences += map_.lanes_of(job.end_tile);
        }
        job.end_rank += sequences;
        done += residues + sequences * kSequenceResidues;
        stretch_residues_ += residues;
        stretch_sequences_ += sequences;
        job.ends_stretch = stretch_residues_ >= kStretchResidues || stretch_sequences_ >= kStretchSequences;
    }
    // If a job cannot begin, no further job begins.
    next_tile_ = job.tile_faults.any() ? map_.tile_count() : job.end_tile;
    next_rank_ = job.end_rank;
    if (job.ends_stretch) stretch_residues_ = stretch_sequences_ = 0;
    return OrderedStages::Begun::kYes;
}

/// Checks that a list of taxonomy IDs has one ID for each definition line. Returns false if
/// something is wrong and no more faults are wanted, or if the IDs cannot be read.
bool ContentCheck::check_taxid_count(std::uint64_t rank, std::string_view header, Worker& worker, WsdbFaults& faults) {
    bool from_list = false;
    if (!map_.read_taxids(rank, worker.taxids, from_list, faults)) return false;
    const std::size_t lines = count_deflines(header);
    return !from_list || worker.taxids.size() == lines ||
           faults.add_number(map_.section(SectionType::kTaxids).offset_bytes,
                             "taxonomy IDs of sequence " + std::to_string(rank) + ", whose definition lines are", lines,
                             worker.taxids.size());
}

void ContentCheck::check_headers(Job& job, std::uint64_t block, Worker& worker) {
    WsdbFaults& faults = job.header_faults;
    if (!map_.decode_header_block(block, worker.headers, faults)) return;
    const std::uint64_t first = worker.headers.first_sequence, end = first + worker.headers.ends.size();
    const bool has_carriage_returns = worker.headers.text.find('\r') != std::string::npos;
    for (std::uint64_t rank = first; rank < end; ++rank) {
        const auto header = map_.header_in(worker.headers, rank, faults);
        if (!header) return;
        job.header_hashes.push_back(checksum_of(header->data(), header->size()));
        worker.header_bytes += header->size();
        for (const std::string_view name : worker.names.of(*header)) {
            worker.names_sum += mixed({checksum_of(name.data(), name.size()), rank});
            ++worker.name_count;
        }
        if (options_.has_sound_taxids && !check_taxid_count(rank, *header, worker, faults)) return;
        if (has_carriage_returns && header->find('\r') != std::string_view::npos) {
            faults.add(map_.section(SectionType::kHeaders).offset_bytes + map_.header_blocks[block].offset_bytes,
                       "header of sequence " + std::to_string(rank), "one line", "a line break in it");
        }
    }
}

/// Hashes the sequences of a tile. `residues` holds those of all lanes, one sequence after another.
void ContentCheck::hash_residues(const WsdbTile& tile, const std::uint8_t* residues, Job& job) {
    for (std::uint32_t lane = 0; lane < tile.lanes; ++lane) {
        wsdb::DigestEntry& digest = job.digests[tile.first_sequence + lane - job.first_rank];
        digest.length_residues = tile.lengths_residues[lane];
        digest.residues_hash = checksum_of(residues, tile.lengths_residues[lane]);
        residues += tile.lengths_residues[lane];
    }
}

/// Returns whether to go on.
bool ContentCheck::check_packed_tile(std::uint64_t tile, Job& job, Worker& worker) {
    WsdbFaults& faults = job.tile_faults;
    WsdbTile& entry = worker.tile;
    if (!map_.read_tile(tile, entry, faults)) return !faults.full();
    const TileView view = entry.view(map_.packed_words(entry));
    const std::uint64_t offset = map_.section(SectionType::kTiles).offset_bytes + entry.offset_bytes;
    if (const std::uint64_t found = checksum_of(view.words.data(), view.words.size_bytes()); found != entry.checksum) {
        if (!faults.add_checksum(offset, "tile " + std::to_string(tile) + " is damaged", entry.checksum, found))
            return false;
    }
    if (worker.residues.size() < entry.residues) worker.residues.resize(entry.residues);
    if (!is_sound(view)) return is_tile_packed_right(view, offset, worker, faults);
    unpack_tile(view, worker.residues.data());
    hash_residues(entry, worker.residues.data(), job);
    worker.letters.add(view.words);
    return true;
}

/// Adds the faults of worker.tile, a tile that is not sound. Returns whether to go on.
bool ContentCheck::is_tile_packed_right(const TileView& view, std::uint64_t offset, Worker& worker,
                                        WsdbFaults& faults) {
    const WsdbTile& entry = worker.tile;
    const std::uint32_t* const words = view.words.data();
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
                return false;
            }
        }
        residues += view.lengths_residues[lane];
    }
    // Packing the residues again has to give the same words. This checks the values of padding and
    // unused bits.
    if (worker.words.size() < view.words.size()) worker.words.resize(view.words.size());
    wsdb::pack_sequences(entry.layout, entry.lengths(), worker.residues.data(), worker.words.data());
    if (std::memcmp(worker.words.data(), words, view.words.size_bytes()) == 0) return true;
    const auto [mine, its] = std::mismatch(
        worker.words.begin(), worker.words.begin() + static_cast<std::ptrdiff_t>(view.words.size()), words);
    const std::uint64_t tile = map_.tile_of_sequence(entry.first_sequence);
    return faults.add_number(offset + static_cast<std::uint64_t>(its - words) * sizeof(std::uint32_t),
                             "padding in a word of tile " + std::to_string(tile), *mine, *its);
}

/// Returns whether to go on.
bool ContentCheck::check_block(std::uint64_t block, Job& job, Worker& worker) {
    WsdbFaults& faults = job.tile_faults;
    WsdbBlock& decoded = worker.block;
    if (!map_.decode_block(block, decoded, faults)) return !faults.full();
    for (std::uint64_t tile = decoded.first_tile; tile < decoded.first_tile + decoded.tiles; ++tile) {
        WsdbTile& entry = worker.tile;
        if (!map_.read_tile(tile, entry, faults)) return !faults.full();
        const auto residues = map_.residues_in(decoded, entry, faults);
        if (residues.size() < entry.residues) return !faults.full();
        const std::uint64_t words = entry.words();
        if (worker.words.size() < words) worker.words.resize(words);
        wsdb::pack_sequences(entry.layout, entry.lengths(), residues.data(), worker.words.data());
        const std::uint64_t found = checksum_of(worker.words.data(), words * sizeof(std::uint32_t));
        if (found != entry.checksum) {
            const bool more =
                faults.add_checksum(map_.section(SectionType::kTileIndex).offset_bytes +
                                        tile * sizeof(wsdb::TileEntry) + offsetof(wsdb::TileEntry, checksum),
                                    "tile " + std::to_string(tile), entry.checksum, found);
            if (!more) return false;
        }
        if (entry.first_sequence < job.first_rank ||
            entry.first_sequence + entry.lanes - job.first_rank > job.digests.size()) {
            return faults.add_changed(
                map_.section(SectionType::kBlockIndex).offset_bytes + block * sizeof(wsdb::BlockEntry),
                "entry of block " + std::to_string(block));
        }
        hash_residues(entry, residues.data(), job);
        worker.letters.add({worker.words.data(), words});
    }
    return true;
}

void ContentCheck::work_on(Job& job, Worker& worker) {
    if (job.first_rank == job.end_rank) return;
    job.digests.assign(job.end_rank - job.first_rank, {});
    job.header_hashes.clear();
    const std::uint64_t first_unit = is_packed_ ? job.first_tile : map_.block_of_tile(job.first_tile);
    const std::uint64_t last_unit = is_packed_ ? job.end_tile - 1 : map_.block_of_tile(job.end_tile - 1);
    // A block of headers that begins before the job belongs to the job before.
    const std::uint64_t first_block = job.first_rank == 0 ? 0 : map_.block_of_header(job.first_rank - 1) + 1;
    const std::uint64_t end_block = map_.block_of_header(job.end_rank - 1) + 1;
    if (end_block < first_block || last_unit < first_unit) {
        job.tile_faults.add_changed(map_.section(SectionType::kHeaderBlockIndex).offset_bytes, "an index of blocks");
        return;
    }
    const Stretch residues =
        is_packed_ ? stretch_between(SectionType::kTiles, map_.tiles[first_unit], map_.tiles[last_unit + 1])
                   : stretch_between(SectionType::kBlocks, map_.blocks[first_unit], map_.blocks[last_unit + 1]);
    map_.begin_stretch(residues.type, residues.offset_bytes, residues.size_bytes);
    for (std::uint64_t unit = first_unit; unit <= last_unit; ++unit) {
        if (!(is_packed_ ? check_packed_tile(unit, job, worker) : check_block(unit, job, worker))) break;
    }
    map_.end_stretch(residues.type, residues.offset_bytes, residues.size_bytes);
    const Stretch headers =
        stretch_between(SectionType::kHeaders, map_.header_blocks[first_block], map_.header_blocks[end_block]);
    map_.begin_stretch(headers.type, headers.offset_bytes, headers.size_bytes);
    for (std::uint64_t block = first_block; block < end_block && !job.header_faults.full(); ++block)
        check_headers(job, block, worker);
    map_.end_stretch(headers.type, headers.offset_bytes, headers.size_bytes);
}

/// Adds the hashes of headers to the job's digests. Hashes of blocks that began in earlier jobs
/// come first. If damage has left some out, the digest is of no use anyway.
void ContentCheck::add_header_hashes(Job& job) {
    std::uint64_t place = 0;
    const auto take = [&](const std::vector<std::uint64_t>& hashes) {
        const std::uint64_t count = std::min<std::uint64_t>(hashes.size(), job.digests.size() - place);
        for (std::uint64_t i = 0; i < count; ++i) job.digests[place++].header_hash = hashes[i];
        return static_cast<std::ptrdiff_t>(count);
    };
    const std::ptrdiff_t of_before = take(hashes_ahead_), of_job = take(job.header_hashes);
    hashes_ahead_.erase(hashes_ahead_.begin(), hashes_ahead_.begin() + of_before);
    hashes_ahead_.insert(hashes_ahead_.end(), job.header_hashes.begin() + of_job, job.header_hashes.end());
}

void ContentCheck::enter(Job& job) {
    add_header_hashes(job);
    XXH3_128bits_update(digest_.get(), job.digests.data(), job.digests.size() * sizeof(wsdb::DigestEntry));
    take_over(job.tile_faults);
    for (const WsdbFault& fault : job.header_faults.list())
        later_.add(fault.offset_bytes, fault.what, fault.expected, fault.found);
    if (job.ends_stretch) take_over(std::exchange(later_, WsdbFaults(faults_.all())));
    if (faults_.full()) is_full_.store(true, std::memory_order_relaxed);
    if (options_.on_progress) options_.on_progress(job.end_tile, map_.tile_count());
}

Result<WsdbContentSummary> ContentCheck::run() {
    XXH3_128bits_reset(digest_.get());
    OrderedStages stages(jobs_.size());
    const auto done =
        stages.run(pool_, {[this](std::size_t slot) -> Result<OrderedStages::Begun> { return begin(jobs_[slot]); },
                           [this](std::size_t slot, unsigned thread) -> Status {
                               work_on(jobs_[slot], workers_[thread]);
                               return {};
                           },
                           [this](std::size_t slot) -> Result<bool> {
                               enter(jobs_[slot]);
                               return true;
                           },
                           [](std::size_t, unsigned) { return Status(); }});
    if (!done.ok()) return done.status();
    take_over(later_);

    WsdbContentSummary summary;
    for (const Worker& worker : workers_) {
        const auto letters = worker.letters.counts();
        for (std::size_t code = 0; code < letters.size(); ++code) summary.composition[code] += letters[code];
        summary.header_bytes += worker.header_bytes;
        summary.names += worker.name_count;
        summary.names_sum += worker.names_sum;
    }
    summary.header_blocks = map_.header_block_count();
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(digest_.get()));
    std::copy_n(canonical.digest, summary.digest.size(), summary.digest.begin());
    return summary;
}

}  // namespace

Result<WsdbContentSummary> check_wsdb_content(const WsdbReader::Map& map, const ThreadPool& pool,
                                              const WsdbContentOptions& options, WsdbFaults& faults) {
    return ContentCheck(map, pool, options, faults).run();
}

Status check_wsdb_digest(const WsdbReader& reader, const ThreadPool& pool,
                         const std::function<void(std::uint64_t done_tiles, std::uint64_t total_tiles)>& on_progress) {
    const WsdbReader::Map& map = reader.map();
    WsdbFaults faults(false);
    const auto numbers_sound = are_numbers_sound(map, pool);
    if (!numbers_sound.ok()) return numbers_sound.status();
    if ((!*numbers_sound && !map.check_numbers(faults)) || !map.use_blocks(faults) || !map.use_header_blocks(faults))
        return map.status_of(faults);
    WsdbContentOptions options;
    options.on_progress = on_progress;
    const auto content = check_wsdb_content(map, pool, options, faults);
    if (!content.ok()) return content.status();
    if (!faults.any() && content->digest != map.header.content_digest) {
        faults.add(offsetof(wsdb::FileHeader, content_digest), "content digest", digest_text(map.header.content_digest),
                   digest_text(content->digest));
    }
    if (faults.any()) return map.status_of(faults);
    return reader.verify_unchanged(pool);
}

}  // namespace warpseq
