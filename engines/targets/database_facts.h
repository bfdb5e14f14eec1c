// The facts about the databases of a search that reports show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/targets/target_members.h"
#include "formats/taxonomy/taxonomy.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The databases as reports know them. A DatabaseSet has all facts. Results that have left their
/// search keep the facts about the sequences that they have found.
class DatabaseFacts {
   public:
    virtual ~DatabaseFacts() = default;

    virtual std::size_t size() const = 0;
    /// Returns a database's file as it was given, or the name that was given for it.
    virtual const std::filesystem::path& file(std::size_t database) const = 0;
    /// Whether a database is a volume of the same set as the database before it. For users both are
    /// one database.
    virtual bool continues_set(std::size_t database) const = 0;
    /// Return the number of sequences or residues, of all databases or of one.
    virtual std::uint64_t sequence_count() const = 0;
    virtual std::uint64_t residue_count() const = 0;
    virtual std::uint64_t sequence_count(std::size_t database) const = 0;
    virtual std::uint64_t residue_count(std::size_t database) const = 0;
    /// Returns the totals of the searched sequences, over all databases.
    virtual const MemberTotals& searched_totals() const = 0;
    /// Returns the digest of a database's content, or nothing if sequences have been removed.
    virtual std::optional<std::string> content_digest(std::size_t database) const = 0;
    /// Returns a sequence's place in the order of all databases and their inputs, from 0.
    virtual std::uint64_t number_of(std::size_t database, std::uint64_t rank) const = 0;
    /// Returns the length of a sequence in its file.
    virtual std::uint64_t whole_residues(std::size_t database, std::uint64_t rank) const = 0;
    /// Whether a database has a section of taxonomy IDs.
    virtual bool has_taxids(std::size_t database) const = 0;
    /// Returns the taxonomy IDs of a sequence, 0 for one that is not known. They come from the
    /// section of taxonomy IDs. If the database came from a BLAST database whose definition lines
    /// have IDs, they come from `header`, too. Damage in the database is an error of
    /// WsdbReader::verify_unchanged(), not of this function.
    virtual std::vector<std::uint32_t> taxids(std::size_t database, std::uint64_t rank,
                                              std::string_view header) const = 0;
    /// Returns the tree of a database's taxa, or an empty one if the database has none.
    virtual Result<std::shared_ptr<const Taxonomy>> taxonomy(std::size_t database) const = 0;

    /// Returns the file names without folders, separated by "; ".
    std::string names() const;
};

}  // namespace warpseq
