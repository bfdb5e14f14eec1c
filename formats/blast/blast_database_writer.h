// Writes protein databases of NCBI BLAST+, versions 4 and 5, with the bytes of its makeblastdb
// 2.12.0 but for dates.
//
// Of a volume, beside what formats/blast/blast_database.h describes:
//   NAME.pog                 with parsed identifiers or hashes: u32 1, 0, 4, n sequences, four zeros; the GI of each, or 2^32 - 1
//   NAME.pni .pnd            with parsed identifiers: sequences by GI, where there are any (formats/blast/isam_index.h)
//   NAME.psi .psd            version 4, with parsed identifiers or hashes: by identifier
//   NAME.phi .phd            with hashes: by a hash of their residues
// Of all volumes in version 5: formats/blast/blast_accession_files.h. Several volumes are NAME.00,
// NAME.01 and so on, and NAME.pal names them.
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

struct BlastWriterOptions {
    std::filesystem::path name = {};    // without an ending
    std::string title = {}, date = {};  // as the files have them
    unsigned version = 5;               // or 4
    bool parses_ids = false;            // -parse_seqids
    bool has_hashes = false;            // -hash_index
    /// The size that files must stay below, 4 GiB at most. A volume holds one sequence at least.
    std::uint64_t file_bytes = 1'000'000'000;
    /// The taxonomy ID of a definition line by its identifiers, 0: not known; null: nothing is.
    std::function<std::uint32_t(std::span<const BlastSeqId> ids)> taxid_of = {};
    /// Files of a database that this one replaces: removed when it is whole but for its index,
    /// unless they are replaced.
    std::vector<std::filesystem::path> replaced = {};
    /// Called for each record that is left out, with a message: it has no residues, or a GI above
    /// 2^32 - 1.
    std::function<void(const std::string& message)> on_left_out = {};
    /// Called for each record before anything else of it: whether its definition lines could be
    /// read.
    std::function<void(bool is_read)> on_header = {};
    /// Called when a file of FASTA has been read, with the sequences that were taken from it.
    std::function<void(std::uint64_t sequences)> on_file_end = {};
};

/// The endings of the files that a database may have, those of warpseq aside.
std::span<const std::string_view> blast_file_endings();

/// Nothing appears before finish(). Not thread-safe.
class BlastDatabaseWriter {
   public:
    static Result<BlastDatabaseWriter> create(BlastWriterOptions options);
    ~BlastDatabaseWriter();
    BlastDatabaseWriter(BlastDatabaseWriter&&) noexcept;
    BlastDatabaseWriter& operator=(BlastDatabaseWriter&&) noexcept;

    /// Sets `reading` to how FASTA is to be read for add().
    static void set_reading(FastaOptions& reading);
    /// Adds a record, and makes of it what BlastDatabaseReader will read: true. False: it was left
    /// out. An error where identifiers are wrong or not unique, or the disk is full.
    Result<bool> add(FastaRecord& record);
    /// Writes what remains and gives all files their names, the index, or the alias, last. An error
    /// where nothing was added.
    Status finish();

    /// The functions below describe the database as BlastDatabaseReader has it when it has read
    /// everything. They may be called after finish().
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
