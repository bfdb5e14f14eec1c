// Where the sequences of a conversion come from: FASTA, a database of NCBI BLAST, a database. Who
// takes them need not know.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/blast/blast_database.h"
#include "formats/fasta/fasta.h"
#include "formats/fasta/nucleotide_detector.h"
#include "formats/fasta/record_batch.h"
#include "formats/fasta/record_limits.h"
#include "formats/fasta/record_selection.h"
#include "formats/io/byte_source.h"
#include "formats/io/pending_copies.h"
#include "formats/io/position_set.h"
#include "formats/taxonomy/taxonomy.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class BlastDatabaseWriter;

/// A file that was read, for provenance.
struct RecordOrigin {
    std::string name;  // without its folder; "-" for standard input
    std::uint64_t size_bytes = 0;
    std::string xxh3_128;        // of FASTA and BLAST databases: of the bytes
    std::string content_digest;  // of databases
};

/// Of a database.
RecordOrigin origin_of(const WsdbReader& reader);

class RecordSource {
   public:
    virtual ~RecordSource() = default;

    /// Takes a batch: true. False where there is no room; it is offered again once make_room() has
    /// been called. `copies` gets what still has to be copied from the batch before make_room() is
    /// called or reading ends, by any thread.
    using Take = std::function<Result<bool>(const RecordBatch& batch, PendingCopies& copies)>;
    /// Reads all, once. take() is called by one thread at a time, though not always the same one;
    /// make_room() by the calling thread while the pool is at rest. Records come in input order, or
    /// with their positions in it. The first error, of a file or of either, ends the reading.
    virtual Status read(const Take& take, const std::function<Status()>& make_room) = 0;
    /// How far it is, in units of size_bytes(); thread-safe.
    virtual std::uint64_t bytes_read() const = 0;
    /// What there is to read; 0: nobody knows.
    virtual std::uint64_t size_bytes() const = 0;

    // After read():
    virtual FastaCounts counts() const = 0;
    /// What was noticed of the same records when the databases that they come from were made.
    virtual FastaCounts counts_before() const { return {}; }
    /// Whether invalid records were to be left out then.
    virtual bool skipped_invalid_before() const { return false; }
    virtual NucleotideDetector nucleotides() const = 0;
    virtual std::vector<RecordOrigin> origins() const = 0;
    /// Returns the facts about a BLAST database that the records come from; nothing for other
    /// sources.
    virtual std::optional<BlastFacts> blast_facts() const { return std::nullopt; }
    /// What is known of the taxa of its sequences; null: nothing is.
    virtual Result<std::shared_ptr<const Taxonomy>> taxonomy() const { return std::shared_ptr<const Taxonomy>(); }
    /// An error that names a file that was changed while it was read, where reading alone does not
    /// notice.
    virtual Status verify_unchanged() const { return {}; }
};

/// What is to become of the records.
struct RecordReading {
    FastaOptions fasta = {};                     // of FASTA
    const RecordSelection* selection = nullptr;  // null: all of them. It outlives the source
    /// Called for every record, one at a time, which it may change; an error ends the reading.
    std::function<Status(FastaRecord& record)> on_record = {};
    /// Gets every record before, and makes of it what is read. Null: none. It outlives the source.
    BlastDatabaseWriter* blast_database = nullptr;
    /// Whether taxonomy IDs at the end of definition lines (formats/blast/blast_database.h) are
    /// taken for what is known of their taxa.
    bool takes_marked_taxids = false;
    /// The same members as in FastaBatchOptions. A source that learns a sequence's size only by
    /// reading it leaves the limits to the consumer of the sequence.
    std::uint64_t decoding_bytes = 0;
    RecordLimits limits = {};
};

/// Size of all files as they are stored; 0 where one of them is a pipe.
std::uint64_t stored_bytes_of(const std::vector<std::filesystem::path>& files);

/// FASTA files in turn, "-" is standard input. The pool outlives the source, here and below.
std::unique_ptr<RecordSource> make_fasta_source(std::vector<std::filesystem::path> files, const RecordReading& reading,
                                                const ThreadPool& pool);
/// One file that is open already.
std::unique_ptr<RecordSource> make_fasta_source(std::filesystem::path file, ByteSource opened,
                                                const RecordReading& reading, const ThreadPool& pool);
std::unique_ptr<RecordSource> make_blast_source(BlastDatabaseReader reader, const RecordReading& reading);
/// Which sequences of a database are read, whatever is wanted of them.
struct WsdbMembers {
    std::uint64_t first_position = 0, end_position = ~std::uint64_t{0};  // in its input
    std::shared_ptr<const PositionSet> removed = {};                     // by rank; null: none
};
/// A database, read by all threads in its own order, so that every tile and block is read once;
/// records have positions.
std::unique_ptr<RecordSource> make_wsdb_source(std::shared_ptr<const WsdbReader> reader, const RecordReading& reading,
                                               const ThreadPool& pool, WsdbMembers members = {});

}  // namespace warpseq
