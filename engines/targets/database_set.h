// The databases of one search, in the order given: searched as one, with E-values over the sum of
// their residues.
//
// Two kinds of sequences may be missing (engines/targets/target_members.h):
//   - *removed* ones, as those of a set's volumes, are not there at all: everything is as with a
//     database that never had them, and all counts and positions here leave them out;
//   - a search may be *restricted* to some of what is there, as by a list of identifiers:
//     sequence_count() and the like are of everything that is there, what is searched has counts of
//     its own.
// Kernels see tiles with lanes of both. Whoever turns scores into hits or counts asks searched(),
// and nobody reads chunks and tiles without a sequence that is searched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Rank of the first sequence of a tile, or, of the tile behind the last one, how many sequences
/// there are.
std::uint64_t first_sequence_of(const WsdbReader& reader, std::uint64_t tile);

class DatabaseSet {
   public:
    /// Databases alone.
    static Result<DatabaseSet> open(const std::vector<std::filesystem::path>& files);
    /// Databases, sets of them, BLAST databases and FASTA (formats/wsdb/fasta_target.h); "-" is
    /// standard input.
    static Result<DatabaseSet> open(const std::vector<std::filesystem::path>& files, const TargetSettings& settings,
                                    const ThreadPool& pool, Observer& observer);

    /// None.
    DatabaseSet() = default;
    /// One that is open already.
    DatabaseSet(const std::filesystem::path& file, Target target) { add(file, std::move(target), false); }

    std::size_t size() const { return readers_.size(); }
    const WsdbReader& reader(std::size_t database) const { return readers_[database]; }
    /// As it was given.
    const std::filesystem::path& file(std::size_t database) const { return files_[database]; }
    /// Whether it is a volume of the same set as the one before: to a person both are one database.
    bool continues_set(std::size_t database) const { return continues_set_[database]; }
    /// What is known of one that came from a BLAST database.
    const std::optional<BlastFacts>& blast_facts(std::size_t database) const { return blast_facts_[database]; }
    /// What a database, or the set that it is a volume of, is called; empty: nothing is said of it.
    const std::string& title(std::size_t database) const { return titles_[database]; }
    /// Of a sequence as it is in its file, of which settings may have taken a range only.
    std::uint64_t whole_residues(std::size_t database, std::uint64_t rank) const {
        const auto& whole = whole_residues_[database];
        return whole.empty() ? readers_[database].lengths_residues()[rank]
                             : whole[readers_[database].input_positions()[rank]];
    }
    /// Whether all of them were given as FASTA, or as BLAST databases.
    bool all_fasta() const { return all_fasta_; }
    /// Of all databases, and of one.
    std::uint64_t sequence_count() const { return all_.sequences; }
    std::uint64_t residue_count() const { return all_.residues; }
    std::uint64_t sequence_count(std::size_t database) const { return totals_[database].sequences; }
    std::uint64_t residue_count(std::size_t database) const { return totals_[database].residues; }
    /// With those that have been removed.
    std::uint64_t stored_sequence_count() const;
    /// How many sequences stand before this one in the inputs of all databases.
    std::uint64_t number_of(std::size_t database, std::uint64_t rank) const;

    /// Those of a database that have not been removed; nullptr: all.
    const TargetMembers* present(std::size_t database) const { return parts_[database].present.get(); }

    /// Restricts searches to these, of those that are there: a value for each database. Before
    /// anything is searched.
    void restrict_search(std::vector<TargetMembers> members);
    bool is_restricted() const { return is_restricted_; }
    /// Those of a database that are searched; nullptr: all that are stored.
    const TargetMembers* searched(std::size_t database) const { return parts_[database].searched.get(); }
    bool is_searched(std::size_t database, std::uint64_t rank) const {
        const TargetMembers* members = searched(database);
        return members == nullptr || members->has(rank);
    }
    /// Whether any of the ranks [first, first + count) is.
    bool is_any_searched(std::size_t database, std::uint64_t first, std::uint64_t count) const {
        const TargetMembers* members = searched(database);
        return members == nullptr || members->has_any(first, count);
    }
    /// Whether a sequence of this tile is.
    bool is_tile_searched(std::size_t database, std::uint64_t tile) const {
        if (searched(database) == nullptr) return true;
        const std::uint64_t first = first_sequence_of(readers_[database], tile);
        return is_any_searched(database, first, first_sequence_of(readers_[database], tile + 1) - first);
    }
    /// Whether there are databases with members, so that searched() is not nullptr for all.
    bool has_members() const { return has_members_; }
    /// What is searched of all databases.
    const MemberTotals& searched_totals() const { return searched_; }
    /// Residues of the shortest sequence that is searched and has some; 0 where there is none.
    std::uint64_t shortest_searched_residues() const;
    /// As number_of(), of those that are searched.
    std::uint64_t searched_before(std::size_t database, std::uint64_t rank) const;

    /// Whether there is such a sequence, and it is searched: what comes from elsewhere may name
    /// any.
    bool has(std::uint32_t database, std::uint64_t rank, std::uint64_t input_position) const {
        return database < readers_.size() && rank < readers_[database].sequence_count() &&
               readers_[database].input_positions()[rank] == input_position && is_searched(database, rank);
    }
    /// File names without folders, separated by "; ".
    std::string names() const;

    /// An error that names the first file that is not what it was when it was opened
    /// (WsdbReader::verify_unchanged). Asked before a report is finished.
    Status verify_unchanged(const ThreadPool& pool) const;

   private:
    /// Members, and their places in the input, which are found when they are asked for.
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
    std::vector<std::vector<std::uint64_t>> whole_residues_;  // by position in the input; none: those of the reader
    std::vector<Part> parts_;
    std::vector<MemberTotals> totals_;               // of each database, of what is there
    std::vector<std::uint64_t> searched_sequences_;  // likewise, of what is searched
    MemberTotals all_, searched_;
    bool all_fasta_ = true, has_members_ = false, is_restricted_ = false;
};

}  // namespace warpseq
