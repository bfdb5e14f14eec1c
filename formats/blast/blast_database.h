// Protein databases of NCBI BLAST+, versions 4 and 5, as its makeblastdb writes them.
//
// A database NAME is a volume, or an alias. Numbers are big-endian where nothing else is said.
//   NAME.pin  the index of a volume: u32 version (4 or 5), u32 1 for proteins, in version 5 u32 the volume's number; title;
//             in version 5 the name of another index; date, each a u32 length and bytes; u32 n sequences; u64 residues
//             (little-endian); u32 longest; n + 1 u32 offsets in NAME.phr; n + 1 u32 offsets in NAME.psq
//   NAME.phr  the sequences' definition lines (formats/blast/blast_deflines.h)
//   NAME.psq  a zero, then the residues of each sequence, a byte each, and a zero behind them
//   NAME.pal  an alias: lines of a word and its value, as TITLE and DBLIST, the databases that it stands for: volumes, or
//             aliases in their turn. It goes before a volume of the same name. '#' begins a comment.
// Volumes that aliases name are one database in the order of their files' names, each of them once,
// as in BLAST. Aliases that select sequences (masks, lists of identifiers or taxa) are refused, and
// so are totals that are not those of the volumes.
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

/// The name of the BLAST database that `file` stands for: NAME for an absent file NAME beside which
/// there are NAME.pin, NAME.pal, or NAME.00.pin without an alias; NAME for NAME.pin and NAME.pal
/// themselves. Nothing where there is none.
std::optional<std::filesystem::path> blast_database_of(const std::filesystem::path& file);

/// All files of the database that `file` stands for, those that this reader has no use for as well;
/// none where it stands for none, or for one that cannot be read.
std::vector<std::filesystem::path> files_of_blast_database(const std::filesystem::path& file);

/// Reads the sequences as FASTA would have them. A header is the identifier, a blank and the title;
/// where sequences have numbers alone (makeblastdb without -parse_seqids) it is the title, but in a
/// database that has both. Merged definition lines are separated by Ctrl-A. A line of known taxon
/// ends with " [taxid=9606]". Gaps are removed and counted. Damage is an error that names the file;
/// what a file says is checked before it is used. Not thread-safe.
class BlastDatabaseReader {
   public:
    /// `name` without an ending. Looks at all volumes' indexes; one volume at a time is mapped.
    static Result<BlastDatabaseReader> open(const std::filesystem::path& name);
    ~BlastDatabaseReader();
    BlastDatabaseReader(BlastDatabaseReader&&) noexcept;
    BlastDatabaseReader& operator=(BlastDatabaseReader&&) noexcept;

    /// has_taxids: whether what has been read so far has any.
    const BlastFacts& facts() const;
    std::uint64_t sequence_count() const;
    std::uint64_t residue_count() const;
    /// In the order in which they are read, each once.
    const std::vector<CountedVolume>& volumes() const;
    /// All files: aliases and what belongs to the volumes.
    std::vector<std::filesystem::path> files() const;
    /// Of the volumes' indexes, definition lines and residues.
    std::uint64_t size_bytes() const;
    /// XXH3-128 of the bytes that sources() will have a digest of, read now; 32 hexadecimal digits.
    /// The database itself is not read on.
    Result<std::string> read_digest() const;

    /// The next record into `record` (reusing its memory): true, or false after the last one. After
    /// an error every further call returns the same error.
    Result<bool> next(FastaRecord& record);

    // As FastaReader has them; the database is one source.
    const FastaCounts& counts() const;
    const std::vector<FastaSource>& sources() const;
    std::uint64_t bytes_read() const;

    /// An error that names a file that is not what it was when the database was opened.
    Status verify_unchanged() const;

   private:
    struct State;
    explicit BlastDatabaseReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// The header that FASTA would have of a sequence, as the reader makes it. Counts a record, and an
/// unnamed one; says in `facts` that there are taxonomy IDs. False where it is too long.
bool make_blast_header(std::span<const StoredDefline> lines, BlastFacts& facts, FastaCounts& counts,
                       std::string& header);
/// Without " [taxid=N]" at its end, which goes to `taxid`; as it is where there is none.
std::string_view without_taxid(std::string_view defline, std::uint64_t& taxid);
/// Of each definition line of a header, 0 where it has none.
std::vector<std::uint32_t> marked_taxids(std::string_view header);
/// " [taxid=N]"
std::string taxid_mark(std::uint64_t taxid);

}  // namespace warpseq
