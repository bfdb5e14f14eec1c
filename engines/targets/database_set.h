// The databases of one search, in the order given. They are searched as one, with E-values over the
// sum of their residues.
//
// Two kinds of sequences may be missing (engines/targets/target_members.h):
//   - *Removed* sequences, as in the volumes of a set, are treated as if the database had never had
//     them. All counts and positions in this file leave them out.
//   - A search may be *restricted* to some of the present sequences, for example by a list of
//     identifiers. sequence_count() and similar functions count all present sequences. The searched
//     sequences have counts of their own.
// Tiles still have the lanes of such sequences, and kernels compute them. So code that turns scores
// into hits, or counts sequences, has to check searched(). Chunks and tiles without a searched
// sequence are not read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/targets/database_facts.h"
#include "engines/targets/input_order.h"
#include "engines/targets/target_members.h"
#include "formats/wsdb/fasta_target.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/observer.h"
#include "libcore/base/once.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Returns the rank of the first sequence of a tile. For the number of tiles it returns the number
/// of sequences.
std::uint64_t first_sequence_of(const WsdbReader& reader, std::uint64_t tile);

/// Returns the target that a file was converted to before, or nothing for a file that has to be
/// opened.
using TargetOpener = std::function<Result<std::optional<Target>>(const std::filesystem::path& file)>;

class DatabaseSet final : public DatabaseFacts {
   public:
    /// Opens .wsdb databases only.
    static Result<DatabaseSet> open(const std::vector<std::filesystem::path>& files);
    /// Opens databases, sets of them, BLAST databases and FASTA (formats/wsdb/fasta_target.h). "-"
    /// is standard input. `names` has a name for each file, by which file() and names() call it. If
    /// it is empty, the files have their own names. `open_converted` opens files that were
    /// converted before. If it is empty, there are none.
    static Result<DatabaseSet> open(const std::vector<std::filesystem::path>& files, const TargetSettings& settings,
                                    const ThreadPool& pool, Observer& observer,
                                    const std::vector<std::filesystem::path>& names = {},
                                    const TargetOpener& open_converted = {});

    /// Makes a set of no databases.
    DatabaseSet() = default;
    /// Makes a set of one database that is open already.
    DatabaseSet(const std::filesystem::path& file, Target target) { add(file, std::move(target), false); }

    std::size_t size() const override { return readers_.size(); }
    const WsdbReader& reader(std::size_t database) const { return readers_[database]; }
    const std::filesystem::path& file(std::size_t database) const override { return files_[database]; }
    bool continues_set(std::size_t database) const override { return continues_set_[database]; }
    /// Returns the facts about a database that was converted from a BLAST database, or nothing for
    /// other databases.
    const std::optional<BlastFacts>& blast_facts(std::size_t database) const { return blast_facts_[database]; }
    /// Returns the title of a database, or that of the set if it is a volume. Empty if there is no
    /// title.
    const std::string& title(std::size_t database) const { return titles_[database]; }
    /// Returns the length of a sequence in its file. This may be more than its length here, because
    /// TargetSettings may select a range.
    std::uint64_t whole_residues(std::size_t database, std::uint64_t rank) const override {
        const auto& whole = whole_residues_[database];
        return whole.empty() ? readers_[database].lengths_residues()[rank]
                             : whole[readers_[database].input_positions()[rank]];
    }
    /// Whether all databases were given as FASTA or as BLAST databases.
    bool all_fasta() const { return all_fasta_; }
    std::uint64_t sequence_count() const override { return all_.sequences; }
    std::uint64_t residue_count() const override { return all_.residues; }
    std::uint64_t sequence_count(std::size_t database) const override { return totals_[database].sequences; }
    std::uint64_t residue_count(std::size_t database) const override { return totals_[database].residues; }
    /// Returns the number of all sequences, including removed ones.
    std::uint64_t stored_sequence_count() const;
    /// Returns how many sequences come before this one in the order of the databases and their
    /// inputs.
    std::uint64_t number_of(std::size_t database, std::uint64_t rank) const override;

    /// Returns the present sequences of a database, or nullptr if none was removed.
    const TargetMembers* present(std::size_t database) const { return parts_[database].present.get(); }

    /// Restricts searches to these sequences, as far as they are present. `members` has a set for
    /// each database. Called before any search.
    void restrict_search(std::vector<TargetMembers> members);
    bool is_restricted() const { return is_restricted_; }
    /// Returns the searched sequences of a database, or nullptr if all stored sequences are
    /// searched.
    const TargetMembers* searched(std::size_t database) const { return parts_[database].searched.get(); }
    bool is_searched(std::size_t database, std::uint64_t rank) const {
        const TargetMembers* members = searched(database);
        return members == nullptr || members->has(rank);
    }
    /// Whether any of the ranks [first, first + count) is searched.
    bool is_any_searched(std::size_t database, std::uint64_t first, std::uint64_t count) const {
        const TargetMembers* members = searched(database);
        return members == nullptr || members->has_any(first, count);
    }
    /// Whether any sequence of this tile is searched.
    bool is_tile_searched(std::size_t database, std::uint64_t tile) const {
        if (searched(database) == nullptr) return true;
        const std::uint64_t first = first_sequence_of(readers_[database], tile);
        return is_any_searched(database, first, first_sequence_of(readers_[database], tile + 1) - first);
    }
    /// Whether searched() is not nullptr for some database.
    bool has_members() const { return has_members_; }
    const MemberTotals& searched_totals() const override { return searched_; }
    /// Returns the length of the shortest searched sequence that has residues, or 0 if there is
    /// none.
    std::uint64_t shortest_searched_residues() const;
    /// Returns how many searched sequences come before this one, in the order of number_of().
    std::uint64_t searched_before(std::size_t database, std::uint64_t rank) const;

    /// Whether such a sequence exists and is searched. It serves to check packets, which may name
    /// any sequence.
    bool has(std::uint32_t database, std::uint64_t rank, std::uint64_t input_position) const {
        return database < readers_.size() && rank < readers_[database].sequence_count() &&
               readers_[database].input_positions()[rank] == input_position && is_searched(database, rank);
    }

    std::optional<std::string> content_digest(std::size_t database) const override;
    bool has_taxids(std::size_t database) const override { return readers_[database].has_taxids(); }
    std::vector<std::uint32_t> taxids(std::size_t database, std::uint64_t rank, std::string_view header) const override;
    Result<std::shared_ptr<const Taxonomy>> taxonomy(std::size_t database) const override {
        return readers_[database].taxonomy();
    }

    /// Returns an error that names the first file that was changed after it was opened
    /// (WsdbReader::verify_unchanged()). Has to be called before a report is finished.
    Status verify_unchanged(const ThreadPool& pool) const;

   private:
    /// The present and the searched sequences of a database. Their places in the input are found
    /// when they are first needed.
    struct Part {
        std::shared_ptr<const TargetMembers> present, searched;  // none: all
        struct Order {
            Once once;
            std::optional<InputOrder> order;
        };
        std::shared_ptr<Order> present_order, searched_order;
    };
    void add(const std::filesystem::path& file, Target target, bool continues_set);
    std::uint64_t members_before(std::size_t database, std::uint64_t rank, const TargetMembers* members,
                                 Part::Order& order) const;

    std::vector<std::filesystem::path> files_;
    std::vector<bool> continues_set_;
    std::vector<WsdbReader> readers_;
    std::vector<std::optional<BlastFacts>> blast_facts_;
    std::vector<std::string> titles_;
    std::vector<std::vector<std::uint64_t>> whole_residues_;  // by position in the input; empty: the reader's lengths
    std::vector<Part> parts_;
    std::vector<MemberTotals> totals_;               // of each database, over all present sequences
    std::vector<std::uint64_t> searched_sequences_;  // of each database, over its searched sequences
    MemberTotals all_, searched_;
    bool all_fasta_ = true, has_members_ = false, is_restricted_ = false;
};

}  // namespace warpseq
