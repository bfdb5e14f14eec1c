// The sequences of databases, for callers that look them up by name or read them in input order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engines/targets/database_set.h"
#include "formats/wsdb/fasta_target.h"
#include "formats/wsdb/wsdb_set.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// A sequence of a database.
struct StoredSequence {
    std::string header;    // the header line without '>'
    std::string residues;  // letters in upper case
};

/// Databases, sets of them, BLAST databases and FASTA, opened as one database whose sequences
/// follow each other. Immutable, so threads share it.
class StoredSequences {
   public:
    /// Opens the files as a search does (open_targets()). `names` has a name for each file, by
    /// which messages call a file that was converted.
    static Result<std::shared_ptr<const StoredSequences>> open(const std::vector<std::filesystem::path>& files,
                                                               const std::vector<std::string>& names,
                                                               const TargetSettings& settings, const ThreadPool& pool,
                                                               Observer& observer);

    /// Return the number of sequences and residues, without removed sequences.
    std::uint64_t sequence_count() const { return sequences_; }
    std::uint64_t residue_count() const { return residues_; }

    /// Returns the sequences with this name (find_named_sequence()) in input order: at most `most`
    /// of them, or none if no sequence has the name. Returns an error if a file has changed and the
    /// sequences cannot be trusted for this reason.
    Result<std::vector<StoredSequence>> find(std::string_view name, std::size_t most) const;
    /// Whether a sequence has this name.
    Result<bool> has(std::string_view name) const;

    /// Opens what a file was converted to once more, for a search. Returns nothing for a database,
    /// and for a file that is not one of these. Thread-safe.
    Result<std::optional<Target>> open_converted(const std::filesystem::path& file) const;

    /// Whether a search's databases, opened from the same files later, are these.
    bool are_those_of(const DatabaseSet& databases) const;

   private:
    friend class StoredSequenceCursor;
    Status verify(const WsdbReader& reader) const;

    /// A file that was converted, and the facts about it that a search needs.
    struct Converted {
        std::filesystem::path file;
        std::size_t volume = 0;
        bool is_fasta = false, is_blast_database = false;
        std::optional<BlastFacts> blast = {};
        std::string title = {};
    };

    std::vector<WsdbSet::Volume> volumes_;
    std::vector<Converted> converted_;
    std::uint64_t sequences_ = 0, residues_ = 0;
};

/// Opens the files with the threads and the temporary folder that the programs would use.
Result<std::shared_ptr<const StoredSequences>> open_stored_sequences(const std::vector<std::filesystem::path>& files,
                                                                     const std::vector<std::string>& names,
                                                                     Observer& observer);

/// Hands out all sequences in input order. Databases are sorted by length. So it reads the
/// sequences of a window of the input together, in the order of the file. The first windows are
/// small, so that the first sequence is there soon. Windows grow up to 32 MiB of residues, or to a
/// sixteenth of a large database, but at most to 512 MiB. Not thread-safe.
class StoredSequenceCursor {
   public:
    explicit StoredSequenceCursor(std::shared_ptr<const StoredSequences> sequences);

    /// Whether sequences of a window are left, so that next() takes no time.
    bool is_ready() const { return next_ < window_.size(); }
    /// Returns the next sequence, or nullptr after the last one. The sequence is valid until the
    /// next call. Returns Status::interrupted() soon after a stop is requested.
    Result<StoredSequence*> next(const std::stop_token& stop);

   private:
    Status read_window(const std::stop_token& stop);
    Status list_ranks(const std::stop_token& stop);

    std::shared_ptr<const StoredSequences> sequences_;
    std::uint64_t most_window_residues_, window_residues_;
    std::size_t volume_ = 0;
    std::uint64_t listed_ = 0;          // positions of the volume that have been in ranks_
    std::vector<std::uint64_t> ranks_;  // of the next positions of the input
    std::size_t next_rank_ = 0;
    std::vector<StoredSequence> window_;
    std::size_t next_ = 0;
};

}  // namespace warpseq
