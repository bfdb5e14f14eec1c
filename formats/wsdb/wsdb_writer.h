// Writes a warpseq database (.wsdb). docs/format.md is the specification.
//
// Sequences are added in input order; finish() sorts them by descending length, cuts them into
// tiles, packs, hashes and compresses on all threads, and puts the file in its place. The bytes
// depend on the sequences and the options alone: not on the number of threads, nor on how much
// memory there was. Memory stays within the limit; what does not fit goes to unnamed temporary
// files.
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
                                 << 30;      // of the whole process; at least WsdbWriter::min_memory_bytes()
    std::filesystem::path temporary_folder;  // empty: beside the output
    bool replace = false;                    // an existing file
    /// The place that gets the finished file, synced, or null. That file has no name until its
    /// commit(). The place outlives the writer.
    std::optional<AtomicFile>* uncommitted = nullptr;
    /// The bytes that stand in the place of the header until the file is finished, at most 4096.
    std::string unfinished_mark = {};
    /// Called before anything appears where sequences have identifiers that earlier ones have, with
    /// one of those; an error refuses them.
    std::function<Status(const std::string& example)> on_duplicates = {};
    /// Lists of accessions and taxonomy IDs (formats/taxonomy/accession_taxids.h): what they say of
    /// a definition line goes before what is known of it.
    std::vector<std::filesystem::path> taxid_lists = {};
    /// Called between batches while the file is written, with residues done and in all.
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
    std::string duplicate_example;  // one of them
    std::uint64_t file_bytes = 0;
    std::uint64_t spilled_bytes = 0;  // written to temporary files by sorting
    std::string content_digest;
    WsdbTaxidCounts taxids = {};  // all 0 where nobody has asked for them
};

class WsdbWriter {
   public:
    /// Creates the output, so that what stands in its way is known before the input is read. The
    /// pool has to outlive the writer.
    static Result<WsdbWriter> create(const std::filesystem::path& file, WsdbWriterOptions options,
                                     const ThreadPool& pool);
    /// A database without a name that goes with its last reader: in memory up to
    /// kMostInMemoryBytes, in a file in options.temporary_folder (empty: the working folder)
    /// beyond. open_unnamed() reads it.
    static Result<WsdbWriter> create_unnamed(WsdbWriterOptions options, const ThreadPool& pool);
    static constexpr std::uint64_t kMostInMemoryBytes = std::uint64_t{64} << 20;
    ~WsdbWriter();
    WsdbWriter(WsdbWriter&&) noexcept;
    WsdbWriter& operator=(WsdbWriter&&) noexcept;

    /// Returns the smallest memory limit with that many threads.
    static std::uint64_t min_memory_bytes(unsigned threads);

    /// Returns how large a record may be. With these limits a reader refuses what add() refuses
    /// before it holds it in memory.
    RecordLimits limits() const;

    /// Adds one sequence: its header line without '>', its residue codes (all below kResidueCodes).
    /// A record too large for the memory limit is an error that says how much it needs.
    Status add(std::string_view header, std::span<const ResidueCode> residues);

    /// Adds the sequences of a batch: true. False, and none is added, where make_room() has to be
    /// called first, by a thread that is not at work for the pool. Not thread-safe, but any thread
    /// may call it. `copies` gets what still has to be copied from the batch before make_room() or
    /// finish(), by any thread. Records have positions, or come in their order. Positions count
    /// from where begin_input() was called last, and are distinct; no matter which of them are left
    /// out, or in which order they come, those that are there are what the input is. A bit is held
    /// for each.
    Result<bool> add(const RecordBatch& batch, PendingCopies& copies);
    /// Begins another input. Its sequences come behind those that have been added.
    void begin_input();
    Status make_room();

    /// Writes everything and puts the file in place. Once.
    Result<WsdbSummary> finish(const WsdbInputFacts& facts);

    /// After finish() of an unnamed one. `shown` is the database's name in messages.
    Result<WsdbReader> open_unnamed(const std::filesystem::path& shown) const;

   private:
    struct State;
    static Status check_memory(const WsdbWriterOptions& options, const ThreadPool& pool);
    explicit WsdbWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
