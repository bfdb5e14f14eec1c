// The databases that `blastdbcmd` reads: NCBI's, in their own files, and warpseq's. Both kinds
// appear as numbered sequences with definition lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/dropin/blast_databases.h"
#include "formats/blast/blast_deflines.h"
#include "formats/taxonomy/taxonomy.h"
#include "libcore/base/status.h"

namespace warpseq::blastdbcmd {

/// One sequence of a database.
struct Sequence {
    std::uint64_t number = 0;          // in its database, from 0
    std::vector<StoredDefline> lines;  // its definition lines, at least one
    std::string letters;               // the residues; empty unless asked for
};

/// Returns the date of a database as BLAST+ shows it: the one that the database tells, or that of
/// the last change of its file.
std::string date_of_database(const BlastDatabase& database);

/// A database as numbered sequences with definition lines.
class Source {
   public:
    /// Opens the databases that were found. NCBI's databases become one source, in which each of
    /// their volumes occurs once. Returns an error that says what is wrong if one cannot be opened.
    static Result<std::vector<std::unique_ptr<Source>>> open(std::vector<BlastDatabase> found,
                                                             const std::filesystem::path& temporary_folder);
    virtual ~Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    const BlastDatabase& about() const { return about_; }
    /// Returns the number of sequences. A volume that two databases have counts once.
    virtual std::uint64_t sequence_count() const = 0;
    /// Return the numbers of sequences and residues that the output shows. A volume that two
    /// databases have counts twice, as in NCBI's program.
    virtual std::uint64_t told_sequences() const = 0;
    virtual std::uint64_t told_residues() const = 0;
    virtual std::uint64_t longest_residues() const = 0;
    /// Returns the number of the first sequence of each volume, and sequence_count() at the end.
    virtual std::vector<std::uint64_t> volume_starts() const = 0;
    /// Returns the paths of the volumes, without endings.
    virtual std::vector<std::filesystem::path> volumes() const = 0;

    /// Reads sequence `number`, with or without its letters.
    virtual Status read(std::uint64_t number, bool with_letters, Sequence& sequence) = 0;
    using Use = std::function<Status(const Sequence&)>;
    /// Calls `use` with each sequence. With letters, the sequences come in the order of their
    /// numbers. Without letters, they may come in any order.
    virtual Status for_each(bool with_letters, const Use& use) = 0;
    /// Appends to `numbers` the sequences that have this name, in a database without parsed
    /// identifiers.
    virtual Status find_by_name(std::string_view name, std::vector<std::uint64_t>& numbers) = 0;
    /// Returns the tree of the database's taxa, or null if it has none.
    virtual std::shared_ptr<const Taxonomy> taxonomy() const { return nullptr; }
    /// Returns an error if a file was changed while it was read.
    virtual Status verify_unchanged() const = 0;

   protected:
    explicit Source(BlastDatabase about) : about_(std::move(about)) {}
    BlastDatabase about_;
};

}  // namespace warpseq::blastdbcmd
