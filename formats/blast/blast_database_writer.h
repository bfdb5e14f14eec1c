// Writes protein databases of NCBI BLAST+, versions 4 and 5. Except for dates, they have the same
// bytes as those of makeblastdb 2.12.0.
//
// A volume has these files beside those that formats/blast/blast_database.h describes:
//
//   NAME.pog         the GI of each sequence, or 2^32 - 1 if it has none. Eight u32 come first:
//                    1, 0, 4, the number of sequences, and four zeros.
//                    Written with parsed identifiers or hashes.
//   NAME.pni, .pnd   an index of the sequences by GI (formats/blast/isam_index.h).
//                    Written with parsed identifiers, if there are GIs.
//   NAME.psi, .psd   an index by identifier.
//                    Written in version 4, with parsed identifiers or hashes.
//   NAME.phi, .phd   an index by a hash of the residues. Written with hashes.
//
// In version 5, the files in formats/blast/blast_accession_files.h belong to all volumes. If there
// are several volumes, they are NAME.00, NAME.01 and so on, and NAME.pal names them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/blast/blast_facts.h"
#include "formats/blast/blast_seqid.h"
#include "formats/fasta/fasta.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The settings of a BlastDatabaseWriter.
struct BlastWriterOptions {
    std::filesystem::path name = {};    // path without an ending
    std::string title = {}, date = {};  // as they are written into the files
    unsigned version = 5;               // 4 or 5
    bool parses_ids = false;            // makeblastdb -parse_seqids
    bool has_hashes = false;            // makeblastdb -hash_index
    /// The limit of the size of files in bytes, at most 4 GiB. Files stay below it. A volume holds
    /// at least one sequence, even if its files get larger.
    std::uint64_t file_bytes = 1'000'000'000;
    /// Returns the taxonomy ID of a definition line with these identifiers, 0 if it is unknown. If
    /// null, all taxonomy IDs are unknown.
    std::function<std::uint32_t(std::span<const BlastSeqId> ids)> taxid_of = {};
    /// The files of an older database that this one replaces. Files that get no successor of the
    /// same name are removed when all new files but the indexes and the alias are in place.
    std::vector<std::filesystem::path> replaced = {};
    /// Called, with a message, for each record that is left out because it has no residues or a GI
    /// above 2^32 - 1.
    std::function<void(const std::string& message)> on_left_out = {};
    /// Called for each record before the function above. `is_read` says whether NCBI's FASTA reader
    /// can read its first definition line.
    std::function<void(bool is_read)> on_header = {};
    /// Called with makeblastdb's warnings, which end with a line end: about definition lines in
    /// which a sequence may stand, and about bytes that are not printable ASCII.
    std::function<void(const std::string& warnings)> on_warning = {};
    /// Called when a FASTA file has been read, with the number of sequences taken from it. Not
    /// called if there are none.
    std::function<void(std::uint64_t sequences)> on_file_end = {};
};

/// Returns the endings of the files that a BLAST database may have. It does not return those of
/// warpseq's own files.
std::span<const std::string_view> blast_file_endings();

/// A writer of a BLAST database. No file appears before finish(). Not thread-safe.
class BlastDatabaseWriter {
   public:
    static Result<BlastDatabaseWriter> create(BlastWriterOptions options);
    ~BlastDatabaseWriter();
    BlastDatabaseWriter(BlastDatabaseWriter&&) noexcept;
    BlastDatabaseWriter& operator=(BlastDatabaseWriter&&) noexcept;

    /// Changes `reading` to the options with which FASTA must be read for add().
    static void set_reading(FastaOptions& reading);
    /// Adds a record and returns true, or returns false if the record is left out. Changes the
    /// header of `record` to the one that BlastDatabaseReader will read. Fails if identifiers are
    /// wrong, if those of an earlier record are not unique, or if the disk is full.
    Result<bool> add(FastaRecord& record);
    /// Writes what remains and gives all files their names. The indexes and the alias are last.
    /// Fails if no record was added, or if identifiers of the last one are not unique.
    Status finish();
    /// Tells the warnings about the last record that finish() would tell. For a caller that gives
    /// up.
    void tell_last_warnings();
    /// Whether any record was added. If add() or finish() has failed, makeblastdb has made a volume
    /// then.
    bool has_sequences() const;
    /// Whether add() has failed because of identifiers that NCBI's FASTA reader takes, but that
    /// cannot be stored. makeblastdb has another exit status for this error.
    bool has_malformed_ids() const;

    /// Returns the facts that BlastDatabaseReader returns when it has read the whole database. This
    /// function and the next two may be called after finish().
    const BlastFacts& facts() const;
    const FastaCounts& counts() const;
    /// Returns the database's name, and the size and the digest of its files.
    const FastaSource& source() const;

   private:
    struct State;
    explicit BlastDatabaseWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
