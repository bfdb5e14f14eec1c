// Which definition lines of sequences are chosen, by lists of identifiers and of taxonomy IDs. A
// sequence is where any of its lines is; of merged ones blastp shows those alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// A file of sequence identifiers that says which sequences of the databases are searched, or which are not. Each word is a sequence's
/// name, perhaps behind '>': "sp|P12345|FOO_HUMAN", "lcl|name" or the accession in it, which may be all there is of it, whose letters may be
/// capitals or not, but for PDB's, with or without its version. What follows a word that begins with '#' does not count, up to the line's end. Or what NCBI's
/// blastdb_aliastool makes of such a file.
struct SequenceList {
    std::string option;  // as messages call it
    std::filesystem::path file;
    bool are_left_out = false;
};

/// Taxonomy IDs, in order.
struct TaxonList {
    std::string option;
    std::vector<std::uint64_t> taxids;
    bool are_left_out = false;
};

/// One in each line of a file, as parse_taxids() has them (apps/common/arguments.h).
Result<std::vector<std::uint64_t>> read_taxids(const std::filesystem::path& file);

/// Where taxonomy IDs of a database's sequences are.
struct TaxidsOfDatabase {
    bool are_in_lines = true;  // " [taxid=N]" at the end of definition lines (formats/blast/blast_database.h)
    std::uint64_t taxid = 0;   // of lines without; 0: not known
};

/// Thread-safe.
class DeflineChoice {
   public:
    /// An error where the list is none, or empty.
    static Result<std::shared_ptr<const DeflineChoice>> read(const std::optional<SequenceList>& sequences,
                                                             const std::optional<TaxonList>& taxa);
    ~DeflineChoice();

    /// Those of the list of sequences, as often as they are in it.
    const std::vector<std::string>& listed_names() const;
    /// Of a header as it is stored, whose definition lines Ctrl-A separates: whether any is chosen,
    /// and those that are.
    bool has_any_line(std::string_view header, const TaxidsOfDatabase& database) const;
    /// The same of taxonomy IDs of all its definition lines, where there is no list of identifiers.
    bool has_any_taxid(std::span<const std::uint32_t> taxids, const TaxidsOfDatabase& database) const;
    std::string chosen_lines(std::string_view header, const TaxidsOfDatabase& database) const;
    /// Whether taxonomy IDs have chosen any of the headers that were asked for or, where they are
    /// left out, kept any out.
    bool has_decided() const { return has_decided_.load(std::memory_order_relaxed); }

    struct Names;

   private:
    DeflineChoice(std::optional<SequenceList> sequences, std::optional<TaxonList> taxa);
    bool has_line(std::string_view line, const TaxidsOfDatabase& database) const;
    bool has_taxid(std::uint64_t taxid) const;
    bool decided(bool any) const;

    std::optional<SequenceList> sequences_;
    std::optional<TaxonList> taxa_;
    std::unique_ptr<const Names> names_;
    mutable std::atomic<bool> has_decided_ = false;
};

}  // namespace warpseq
