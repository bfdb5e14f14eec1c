// Writes a warpseq database (.wsdb). docs/format.md is the specification.
//
// Sequences are added in input order. finish() sorts them by descending length and cuts them into
// tiles. It packs, hashes and compresses them with all threads and gives the file its name. The
// bytes depend only on the sequences and the options, not on the number of threads or the memory.
// Memory stays within the limit, and data that does not fit goes to unnamed temporary files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/fasta/record_batch.h"
#include "formats/fasta/record_limits.h"
#include "formats/io/pending_copies.h"
#include "formats/taxonomy/taxonomy.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

class AtomicFile;

struct WsdbWriterOptions {
    ResidueCodec codec = ResidueCodec::kPacked;
    std::uint64_t memory_bytes = std::uint64_t{4}
                                 << 30;      // for the whole process; at least WsdbWriter::min_memory_bytes()
    std::filesystem::path temporary_folder;  // empty: beside the output
    bool replace = false;                    // whether an existing file is replaced
    /// The variable that receives the finished file, or null. If it is set, the file is synced but
    /// has no name until the caller calls its commit(). The variable must outlive the writer.
    std::optional<AtomicFile>* uncommitted = nullptr;
    /// The bytes that stand in place of the header until the file is finished, at most 4096.
    std::string unfinished_mark = {};
    /// Called before the output appears if a sequence has an identifier that an earlier one has.
    /// `example` is one such identifier. An error that it returns ends the writing.
    std::function<Status(const std::string& example)> on_duplicates = {};
    /// Lists of accessions and taxonomy IDs (formats/taxonomy/accession_taxids.h). They take
    /// precedence over the records.
    std::vector<std::filesystem::path> taxid_lists = {};
    /// Called between batches while the file is written, with the residues done and all residues.
    std::function<void(std::uint64_t done_residues, std::uint64_t total_residues)> on_progress;
};

/// Counts that only the reader of the input knows. They become part of the file.
struct WsdbInputFacts {
    std::uint64_t gaps_removed = 0;
    std::uint64_t unnamed_sequences = 0;
    std::uint64_t skipped_invalid = 0;
    std::string provenance_json;
    std::shared_ptr<const Taxonomy> taxonomy = {};  // null: nothing is known of taxa
};

struct WsdbSummary {
    std::uint64_t sequences = 0;
    std::uint64_t residues = 0;
    std::uint64_t longest_residues = 0;
    std::uint64_t shortest_residues = 0;
    std::uint64_t tiles = 0;
    std::uint64_t linear_tiles = 0;
    std::uint64_t padding_words = 0;
    std::uint64_t residue_words = 0;
    std::uint64_t empty_sequences = 0;
    std::uint64_t duplicate_identifiers = 0;
    std::string duplicate_example;  // one of the duplicate identifiers
    std::uint64_t file_bytes = 0;
    std::uint64_t spilled_bytes = 0;  // bytes that sorting wrote to temporary files
    std::string content_digest;
    WsdbTaxidCounts taxids = {};  // all 0 if taxa were not written
};

/// The error of finish() if nothing was added.
inline constexpr std::string_view kNoSequenceToWrite = "there is no sequence to write";

class WsdbWriter {
   public:
    /// Creates the output. So an output that cannot be written is an error before the input is
    /// read. The pool has to outlive the writer.
    static Result<WsdbWriter> create(const std::filesystem::path& file, WsdbWriterOptions options,
                                     const ThreadPool& pool);
    /// Creates a database without a name, which disappears with its last reader. Up to
    /// kMostInMemoryBytes it is in memory; a larger one is in a file in options.temporary_folder
    /// (empty: the working folder). open_unnamed() reads it.
    static Result<WsdbWriter> create_unnamed(WsdbWriterOptions options, const ThreadPool& pool);
    static constexpr std::uint64_t kMostInMemoryBytes = std::uint64_t{64} << 20;
    ~WsdbWriter();
    WsdbWriter(WsdbWriter&&) noexcept;
    WsdbWriter& operator=(WsdbWriter&&) noexcept;

    /// Returns the smallest memory limit with `threads` threads.
    static std::uint64_t min_memory_bytes(unsigned threads);

    /// Returns the limits of a record's size. A reader that knows them can refuse a record before
    /// it holds the record in memory. Without them, add() would refuse it later.
    RecordLimits limits() const;

    /// Adds one sequence: its header line without '>', and its residue codes, all below
    /// kResidueCodes. A record that is too large for the memory limit is an error that says how
    /// much it needs.
    Status add(std::string_view header, std::span<const ResidueCode> residues);

    /// Adds the sequences of a batch and returns true. Returns false, and adds none, if make_room()
    /// has to be called first. make_room() must be called by a thread that is not working for the
    /// pool. add() may be called by any thread, but only by one at a time. `copies` receives what
    /// still has to be copied from the batch. Any thread may do that, before make_room() or
    /// finish().
    ///
    /// Records have positions, or come in input order. Positions count from the last call of
    /// begin_input() and must be distinct. Some may be missing, and they may come in any order; the
    /// positions that occur make up the input. Memory: one bit for each position.
    Result<bool> add(const RecordBatch& batch, PendingCopies& copies);
    /// Begins another input. Its sequences follow those that have already been added.
    void begin_input();
    /// Makes room for the next batch, by writing sequences to temporary files.
    Status make_room();

    /// Writes everything and gives the file its name. Call it once.
    Result<WsdbSummary> finish(const WsdbInputFacts& facts);

    /// Opens an unnamed database. Call it after finish(). `shown` is the database's name in
    /// messages.
    Result<WsdbReader> open_unnamed(const std::filesystem::path& shown) const;

   private:
    struct State;
    static Status check_memory(const WsdbWriterOptions& options, const ThreadPool& pool);
    explicit WsdbWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
