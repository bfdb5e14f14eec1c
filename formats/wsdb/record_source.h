// The sources of a conversion's records: FASTA, other files of sequences, a database of NCBI BLAST,
// and a warpseq database, behind one interface.
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
#include "formats/sequences/sequence_file.h"
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
    std::string xxh3_128;        // digest of the bytes; FASTA and BLAST databases only
    std::string content_digest;  // databases only
};

/// Returns the origin for a database.
RecordOrigin origin_of(const WsdbReader& reader);

class RecordSource {
   public:
    virtual ~RecordSource() = default;

    /// A callback that takes a batch and returns true. It returns false if there is no room; the
    /// batch is offered again after a call of make_room(). `copies` receives what still has to be
    /// copied from the batch. Any thread may do that, before make_room() is called or reading ends.
    using Take = std::function<Result<bool>(const RecordBatch& batch, PendingCopies& copies)>;
    /// Reads all records. Call it once. take() is called by one thread at a time, though not always
    /// the same one. make_room() is called by the calling thread while the pool is idle. Records
    /// come in input order, or carry their positions in it. The first error of a file, take() or
    /// make_room() ends the reading and is returned.
    virtual Status read(const Take& take, const std::function<Status()>& make_room) = 0;
    /// Returns how much has been read so far, in units of size_bytes(). Thread-safe.
    virtual std::uint64_t bytes_read() const = 0;
    /// Returns how much there is to read, or 0 if that is unknown.
    virtual std::uint64_t size_bytes() const = 0;

    // The functions below may be called after read().
    virtual FastaCounts counts() const = 0;
    /// Returns what was counted of the same records when the databases that they come from were
    /// made.
    virtual FastaCounts counts_before() const { return {}; }
    /// Whether those databases were made with the setting to leave invalid records out.
    virtual bool skipped_invalid_before() const { return false; }
    virtual NucleotideDetector nucleotides() const = 0;
    virtual std::vector<RecordOrigin> origins() const = 0;
    /// Returns the facts about a BLAST database that the records come from; nothing for other
    /// sources.
    virtual std::optional<BlastFacts> blast_facts() const { return std::nullopt; }
    /// Returns what is known about the taxa of the source's sequences, or null if nothing is.
    virtual Result<std::shared_ptr<const Taxonomy>> taxonomy() const { return std::shared_ptr<const Taxonomy>(); }
    /// Returns an error that names the file if a file was changed while it was read. It finds
    /// changes that reading alone does not notice.
    virtual Status verify_unchanged() const { return {}; }
};

/// Gives a batch to `take`. Calls make_room() and gives it again as long as there is no room. Then
/// makes the copies that are left, and clears the batch.
Status give_batch(RecordBatch& batch, PendingCopies& copies, const RecordSource::Take& take,
                  const std::function<Status()>& make_room);

/// The settings that say how the records are read and which are kept.
struct RecordReading {
    FastaOptions fasta = {};                     // for FASTA
    const RecordSelection* selection = nullptr;  // records to keep; null: all. It outlives the source
    /// Called with every record, one at a time. It may change the record. An error ends the
    /// reading.
    std::function<Status(FastaRecord& record)> on_record = {};
    /// A BLAST database that is written from the same records; null: none. It receives every record
    /// before on_record and turns it into the record that is read. It outlives the source.
    BlastDatabaseWriter* blast_database = nullptr;
    /// Whether taxonomy IDs at the ends of definition lines (formats/blast/blast_database.h) count
    /// as the taxa of the sequences.
    bool takes_marked_taxids = false;
    /// The memory for decoding and the limits on records, as in FastaBatchOptions. A source that
    /// learns a sequence's size only by reading it leaves the limits to the consumer of the
    /// sequence.
    std::uint64_t decoding_bytes = 0;
    RecordLimits limits = {};
};

/// Returns the size of all files as they are stored, or 0 if one of them is not a regular file.
std::uint64_t stored_bytes_of(const std::vector<std::filesystem::path>& files);

/// Makes a source that reads FASTA files one after another; "-" is standard input. The pool
/// outlives the source, here and below.
std::unique_ptr<RecordSource> make_fasta_source(std::vector<std::filesystem::path> files, const RecordReading& reading,
                                                const ThreadPool& pool);
/// Makes a source that reads one FASTA file that is open already.
std::unique_ptr<RecordSource> make_fasta_source(std::filesystem::path file, ByteSource opened,
                                                const RecordReading& reading, const ThreadPool& pool);
/// Makes a source that reads a file of sequences in any format. Headers hold HMMER's titles
/// (header_of_title() in formats/fasta/hmmer_fasta.h). The origin has no digest.
std::unique_ptr<RecordSource> make_sequence_source(std::filesystem::path file, SequenceFileReader reader,
                                                   const RecordReading& reading);
std::unique_ptr<RecordSource> make_blast_source(BlastDatabaseReader reader, const RecordReading& reading);
/// The sequences of a database that may be read at all, before the selection is applied.
struct WsdbMembers {
    std::uint64_t first_position = 0, end_position = ~std::uint64_t{0};  // positions in the database's input
    std::shared_ptr<const PositionSet> removed = {};                     // ranks that are left out; null: none
};
/// Makes a source that reads a database with all threads in the database's own order, so that every
/// tile and block is read once. Its records carry positions.
std::unique_ptr<RecordSource> make_wsdb_source(std::shared_ptr<const WsdbReader> reader, const RecordReading& reading,
                                               const ThreadPool& pool, WsdbMembers members = {});

}  // namespace warpseq
