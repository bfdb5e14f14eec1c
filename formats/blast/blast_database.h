// Reads protein databases of NCBI BLAST+, versions 4 and 5, as its makeblastdb writes them.
//
// A database NAME is a volume or an alias. Numbers are big-endian unless stated otherwise. A text
// is a u32 with its length, and its bytes.
//
//   NAME.pin, the index of a volume:
//     u32, u32      version, 4 or 5; 1 for proteins.
//     u32           the volume's number. In version 5 only.
//     text          title.
//     text          the name of another index. In version 5 only.
//     text          date.
//     u32           number of sequences, n.
//     u64           number of residues, little-endian.
//     u32           length of the longest sequence.
//     u32 [n + 1]   offsets in NAME.phr.
//     u32 [n + 1]   offsets in NAME.psq.
//   NAME.phr, the sequences' definition lines (formats/blast/blast_deflines.h).
//   NAME.psq, the residues:
//     u8            0.
//     u8 ..., u8    the residues of a sequence, one byte each; 0. This repeats for each sequence.
//   NAME.pal, an alias:
//     lines         a word and its value each. '#' begins a comment.
//                   TITLE is the title. NSEQ and LENGTH are totals of sequences and residues.
//                   DBLIST has the databases that the alias stands for. They are volumes or other
//                   aliases.
//
// An alias takes precedence over a volume of the same name. The volumes that aliases name make one
// database. As in BLAST, they are in the order of their files' names, and each counts once. An
// alias that selects sequences (masks, lists of identifiers or taxa) is an error. An alias whose
// totals are not those of the volumes is an error, too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast/blast_alias.h"
#include "formats/blast/blast_deflines.h"
#include "formats/blast/blast_facts.h"
#include "formats/fasta/fasta.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Returns the name of the BLAST database that `file` stands for, or nothing if there is none. The
/// name is NAME if `file` is an existing NAME.pin or NAME.pal. It is also NAME if `file` is NAME,
/// no such file exists, and there is a NAME.pal, NAME.pin or NAME.00.pin.
std::optional<std::filesystem::path> blast_database_of(const std::filesystem::path& file);

/// Returns all files of the database that `file` stands for, including those that this reader does
/// not use. Returns none if `file` stands for no database or for one that cannot be read.
std::vector<std::filesystem::path> files_of_blast_database(const std::filesystem::path& file);

/// A reader of the sequences of a database, as FASTA would have them. A header is the identifier, a
/// blank and the title. A sequence that has only a number (makeblastdb without -parse_seqids) has
/// the title alone as its header, unless a volume of the database has identifiers. Merged
/// definition lines are separated by Ctrl-A. If its taxonomy ID is known, a line ends with a blank
/// and "[taxid=9606]". Gaps are removed and counted. The content of a file is checked before it is
/// used, and damage is an error that names the file. Not thread-safe.
class BlastDatabaseReader {
   public:
    /// Opens the database `name`, a path without an ending, and reads the indexes of all volumes.
    /// Only one volume is mapped at a time.
    static Result<BlastDatabaseReader> open(const std::filesystem::path& name);
    ~BlastDatabaseReader();
    BlastDatabaseReader(BlastDatabaseReader&&) noexcept;
    BlastDatabaseReader& operator=(BlastDatabaseReader&&) noexcept;

    /// Returns the facts of the database. has_taxids is about the records that have been read so
    /// far.
    const BlastFacts& facts() const;
    /// Return the numbers of sequences and of residues of all volumes.
    std::uint64_t sequence_count() const;
    std::uint64_t residue_count() const;
    /// Returns the volumes in the order in which they are read, each once.
    const std::vector<CountedVolume>& volumes() const;
    /// Returns the files of the aliases and of the volumes.
    std::vector<std::filesystem::path> files() const;
    /// Returns the size in bytes of the volumes' index, definition line and residue files together.
    std::uint64_t size_bytes() const;
    /// Reads the volumes' files now and returns the digest that sources() will have at the end. It
    /// is XXH3-128 in 32 hexadecimal digits. It does not change which record next() returns next.
    Result<std::string> read_digest() const;

    /// Reads the next record into `record`, whose memory is reused, and returns true. Returns false
    /// after the last record. After an error every further call returns the same error.
    Result<bool> next(FastaRecord& record);

    // The same functions as FastaReader has. The database is one source.
    const FastaCounts& counts() const;
    const std::vector<FastaSource>& sources() const;
    std::uint64_t bytes_read() const;

    /// Returns an error that names a file, if a file has been changed since the database was
    /// opened.
    Status verify_unchanged() const;

   private:
    struct State;
    explicit BlastDatabaseReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// Makes the header that FASTA would have for a sequence with these definition lines, as the reader
/// does. Counts the record, and counts it as unnamed if it has no identifier. Sets has_taxids of
/// `facts` if the header has a taxonomy ID. Returns false if the header is too long.
bool make_blast_header(std::span<const StoredDefline> lines, BlastFacts& facts, FastaCounts& counts,
                       std::string& header);
/// Returns `defline` without " [taxid=N]" at its end and stores N in `taxid`. If `defline` has no
/// such end, returns all of it and leaves `taxid` as it is.
std::string_view without_taxid(std::string_view defline, std::uint64_t& taxid);
/// Returns the taxonomy ID of each definition line of a header, 0 for a line that has none.
std::vector<std::uint32_t> marked_taxids(std::string_view header);
/// Returns " [taxid=N]".
std::string taxid_mark(std::uint64_t taxid);

}  // namespace warpseq
