// The source that reads the sequences of a database as input of another one. Threads of the pool
// take turns at pieces of consecutive blocks. Records have positions, so pieces are handed on as
// they are ready. Pieces for which the writer has no room wait.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "formats/fasta/sequence_names.h"
#include "formats/wsdb/name_candidates.h"
#include "formats/wsdb/record_source.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_provenance.h"

namespace warpseq {

namespace {

/// The size of a piece in packed bytes, about.
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

class WsdbSource : public RecordSource {
   public:
    WsdbSource(std::shared_ptr<const WsdbReader> reader, const RecordReading& reading, const ThreadPool& pool,
               WsdbMembers members)
        : shared_(std::move(reader)),
          reader_(*shared_),
          members_(std::move(members)),
          selection_(reading.selection),
          on_record_(reading.on_record),
          takes_marked_taxids_(reading.takes_marked_taxids),
          limits_(reading.limits),
          pool_(pool) {}

    Status read(const Take& take, const std::function<Status()>& make_room) override {
        WARPSEQ_TRY(find_listed());
        WARPSEQ_TRY(find_taxa());
        std::vector<Worker> workers(pool_.threads());
        for (;;) {
            WARPSEQ_TRY(pool_.parallel_for(
                pool_.threads(), [&](std::uint64_t, unsigned thread) { return work(workers[thread], take); }));
            if (waiting_.empty()) break;
            for (const RecordBatch& batch : waiting_) {
                PendingCopies copies;
                for (Result<bool> taken = false; !*taken;) {
                    WARPSEQ_TRY(make_room());
                    taken = take(batch, copies);
                    if (!taken.ok()) return taken.status();
                }
                make_copies(copies);
            }
            waiting_.clear();
        }
        for (const Worker& worker : workers) {
            nucleotides_.add(worker.nucleotides);
            add(worker.counts, counts_);
        }
        return reads_all() ? find_counts_before() : Status();
    }
    std::uint64_t bytes_read() const override { return bytes_read_; }
    std::uint64_t size_bytes() const override { return reader_.file_bytes(); }
    FastaCounts counts() const override { return counts_; }
    FastaCounts counts_before() const override { return counts_before_; }
    NucleotideDetector nucleotides() const override { return nucleotides_; }
    std::vector<RecordOrigin> origins() const override { return {origin_of(reader_)}; }
    std::optional<BlastFacts> blast_facts() const override {
        auto provenance = provenance_of(reader_);
        return provenance ? std::move(provenance->blast) : std::nullopt;
    }
    Result<std::shared_ptr<const Taxonomy>> taxonomy() const override { return reader_.taxonomy(); }
    Status verify_unchanged() const override { return reader_.verify_unchanged(pool_); }

   private:
    struct Worker {
        TileBuffer tiles;
        HeaderBuffer headers;
        RecordBatch batch;
        PendingCopies copies;  // copies from the batch
        std::vector<ResidueCode> residues;
        std::vector<std::uint32_t> taxids;  // taxonomy IDs of the current record
        NucleotideDetector nucleotides;
        FastaCounts counts;
    };

    bool reads_all() const {
        return (selection_ == nullptr || selection_->wants_all()) && members_.first_position == 0 &&
               members_.end_position >= reader_.sequence_count() && !members_.removed;
    }

    static void add(const FastaCounts& some, FastaCounts& all) {
        all.records += some.records;
        all.residues += some.residues;
        all.empty_sequences += some.empty_sequences;
    }

    /// Finds the ranks that the list of the selection names, in rank order.
    Status find_listed() {
        if (selection_ == nullptr || !selection_->has_list()) return {};
        const auto candidates = find_candidates(selection_->index_hashes(), reader_, pool_);
        if (!candidates.ok()) return candidates.status();
        std::vector<std::vector<std::uint64_t>> found(pool_.threads());
        WARPSEQ_TRY(for_each_header(*candidates, reader_, pool_,
                                    [&](std::uint64_t rank, std::string_view header, unsigned thread) -> Status {
                                        if (members_.removed && members_.removed->has(rank)) return {};
                                        if (selection_->lists(header)) found[thread].push_back(rank);
                                        return {};
                                    }));
        for (const auto& some : found) listed_.insert(listed_.end(), some.begin(), some.end());
        std::ranges::sort(listed_);
        return {};
    }

    /// Finds which taxa are wanted, and where taxonomy IDs are.
    Status find_taxa() {
        const auto facts = blast_facts();
        has_marks_ = facts && facts->has_taxids;
        if (selection_ == nullptr || selection_->taxids.empty()) return {};
        if (!has_marks_ && !reader_.has_taxids()) {
            return Status::invalid_input(reader_.file().string() +
                                         ": has no taxonomy IDs; convert it with a list of them before choosing taxa");
        }
        const auto tree = reader_.taxonomy();
        if (!tree.ok()) return tree.status();
        taxids_ = (*tree)->with_descendants(selection_->taxids);
        return {};
    }

    /// Finds the taxonomy IDs of the definition lines of a sequence. The result is empty if they
    /// are not needed or none is known.
    Status find_taxids(std::uint64_t rank, std::string_view header, std::vector<std::uint32_t>& taxids) const {
        taxids.clear();
        if (reader_.has_taxids()) WARPSEQ_TRY(reader_.taxids(rank, count_deflines(header), taxids));
        if (!has_marks_ || (taxids_.empty() && !takes_marked_taxids_ && !reader_.has_taxids())) return {};
        const std::vector<std::uint32_t> marked = marked_taxids(header);
        taxids.resize(marked.size());
        for (std::size_t line = 0; line < marked.size(); ++line)
            if (taxids[line] == 0) taxids[line] = marked[line];
        return {};
    }

    /// Reads pieces until there are no more, or no room for them.
    Status work(Worker& worker, const Take& take) {
        for (;;) {
            std::uint64_t first, end;
            {
                const std::lock_guard lock(mutex_);
                if (!waiting_.empty() || next_tile_ == reader_.tile_count()) return {};
                first = next_tile_;
                for (std::uint64_t bytes = 0; next_tile_ < reader_.tile_count(); ++next_tile_) {
                    if (bytes >= kPieceBytes && reader_.block_start(next_tile_) == next_tile_) break;
                    bytes += reader_.tile_bytes(next_tile_);
                }
                end = next_tile_;
            }
            worker.batch.clear();
            WARPSEQ_TRY(read_piece(first, end, worker));
            std::unique_lock lock(mutex_);
            bytes_read_ = reader_.file_bytes() / 100 * (next_tile_ * 100 / reader_.tile_count());
            if (worker.batch.empty()) continue;
            const Result<bool> taken = waiting_.empty() ? take(worker.batch, worker.copies) : Result<bool>(false);
            if (!taken.ok()) return taken.status();
            if (!*taken) waiting_.push_back(std::exchange(worker.batch, {}));
            lock.unlock();
            make_copies(worker.copies);
        }
    }

    bool is_listed(std::uint64_t rank) const {
        return selection_ == nullptr || !selection_->has_list() || std::ranges::binary_search(listed_, rank);
    }

    /// Whether one of the piece's sequences may be wanted, as far as the list tells.
    bool has_wanted(std::uint64_t first_tile, std::uint64_t end_tile) const {
        if (selection_ == nullptr || !selection_->has_list()) return true;
        const auto place = std::ranges::lower_bound(
            listed_, first_tile, {}, [this](std::uint64_t rank) { return reader_.tile_of_sequence(rank); });
        return place != listed_.end() && reader_.tile_of_sequence(*place) < end_tile;
    }

    Status read_piece(std::uint64_t first_tile, std::uint64_t end_tile, Worker& worker) {
        if (!has_wanted(first_tile, end_tile)) return {};
        // Reads one block, or one tile with the packed codec, at a time.
        for (std::uint64_t tile = first_tile; tile < end_tile;) {
            std::uint64_t end = tile + 1;
            while (end < end_tile && reader_.block_start(end) != end) ++end;
            WARPSEQ_TRY(read_tiles(tile, end, worker));
            tile = end;
        }
        return {};
    }

    /// Whether a sequence is wanted, as far as the index tells.
    Result<bool> is_wanted(std::uint64_t rank, std::uint64_t length, std::uint64_t position) const {
        if (!is_listed(rank) || (selection_ != nullptr && !selection_->wants_length(length))) return false;
        if (position >= reader_.sequence_count()) return reader_.changed_status();
        return position >= members_.first_position && position < members_.end_position &&
               !(members_.removed && members_.removed->has(rank));
    }

    /// Refuses a wanted sequence that is too large before it is read. Such a sequence has a tile of
    /// its own.
    Status check_size(std::uint64_t tile, Worker& worker) const {
        if (tile >= reader_.linear_tile_count()) return {};
        const std::uint64_t rank = tile, length = reader_.lengths_residues()[rank];
        if (length <= limits_.residues) return {};
        const auto wanted = is_wanted(rank, length, reader_.input_positions()[rank]);
        if (!wanted.ok()) return wanted.status();
        if (!*wanted) return {};
        const auto header = reader_.header(rank, worker.headers);
        if (!header.ok()) return header.status();
        WARPSEQ_TRY(find_taxids(rank, *header, worker.taxids));
        if (!taxids_.empty() && !RecordSelection::has_any(worker.taxids, taxids_)) return {};
        return limits_.refuse(*header, length, header->size());
    }

    Status read_tiles(std::uint64_t first_tile, std::uint64_t end_tile, Worker& worker) {
        if (!has_wanted(first_tile, end_tile)) return {};
        for (std::uint64_t tile = first_tile; tile < end_tile; ++tile) WARPSEQ_TRY(check_size(tile, worker));
        WARPSEQ_TRY(reader_.read_tiles(first_tile, end_tile - first_tile, worker.tiles));
        for (const TileView& tile : worker.tiles.views) {
            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                const std::uint64_t length = tile.lengths_residues[lane], rank = tile.first_sequence + lane;
                const auto position = std::uint64_t{copy_of(reader_.input_positions()[rank])};
                const auto wanted = is_wanted(rank, length, position);
                if (!wanted.ok()) return wanted.status();
                if (!*wanted) continue;
                if (worker.residues.size() < length) worker.residues.resize(length);
                unpack_lane(tile, lane, worker.residues.data());
                const auto residues = std::span<const ResidueCode>(worker.residues).first(length);
                auto header = reader_.header(rank, worker.headers);
                if (!header.ok()) return header.status();
                WARPSEQ_TRY(find_taxids(rank, *header, worker.taxids));
                if (!taxids_.empty() && !RecordSelection::has_any(worker.taxids, taxids_)) continue;
                if (!reader_.has_taxids() && !takes_marked_taxids_) worker.taxids.clear();
                WARPSEQ_TRY(add_record(*std::move(header), residues, position, worker));
                worker.nucleotides.add(residues);
                ++worker.counts.records;
                worker.counts.residues += length;
                if (length == 0) ++worker.counts.empty_sequences;
            }
        }
        return {};
    }

    Status add_record(std::string header, std::span<const ResidueCode> residues, std::uint64_t position,
                      Worker& worker) {
        if (!on_record_) {
            worker.batch.add(header, residues, position, worker.taxids);
            return {};
        }
        FastaRecord record{std::move(header), {residues.begin(), residues.end()}, {}, 0};
        {
            const std::lock_guard lock(record_mutex_);
            WARPSEQ_TRY(on_record_(record));
        }
        if (!worker.taxids.empty()) worker.taxids.resize(count_deflines(record.header));
        worker.batch.add(record.header, record.residues, position, worker.taxids);
        return {};
    }

    Status find_counts_before() {
        const auto statistics = reader_.map().statistics();
        if (!statistics.ok()) return statistics.status();
        counts_before_.gaps_removed = statistics->gaps_removed;
        counts_before_.unnamed = statistics->unnamed_sequences;
        counts_before_.skipped_invalid = statistics->skipped_invalid;
        return {};
    }

    std::shared_ptr<const WsdbReader> shared_;
    const WsdbReader& reader_;
    WsdbMembers members_;
    const RecordSelection* selection_;
    std::function<Status(FastaRecord& record)> on_record_;
    const bool takes_marked_taxids_;
    const RecordLimits limits_;
    const ThreadPool& pool_;
    std::vector<std::uint64_t> listed_;
    std::vector<std::uint32_t> taxids_;  // wanted taxa with all their descendants; empty: all
    bool has_marks_ = false;             // definition lines end with taxonomy IDs
    std::atomic<std::uint64_t> bytes_read_ = 0;
    FastaCounts counts_, counts_before_;
    NucleotideDetector nucleotides_;

    std::mutex record_mutex_;  // held while on_record_ is called
    std::mutex mutex_;         // guards what follows
    std::uint64_t next_tile_ = 0;
    std::vector<RecordBatch> waiting_;
};

}  // namespace

RecordOrigin origin_of(const WsdbReader& reader) {
    return {reader.file().filename().string(), reader.file_bytes(), {}, reader.content_digest()};
}

std::unique_ptr<RecordSource> make_wsdb_source(std::shared_ptr<const WsdbReader> reader, const RecordReading& reading,
                                               const ThreadPool& pool, WsdbMembers members) {
    return std::make_unique<WsdbSource>(std::move(reader), reading, pool, std::move(members));
}

}  // namespace warpseq
