// A set of sequences of one database, for example those that a search covers or those that are not
// removed. It has a bit for each sequence, by rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/wsdb/wsdb_reader.h"

namespace warpseq {

class TargetMembers {
   public:
    /// Makes an empty set of sequences with ranks below `sequence_count`.
    explicit TargetMembers(std::uint64_t sequence_count);
    /// Returns the set of all these sequences.
    static TargetMembers all(std::uint64_t sequence_count);

    /// Add or remove a sequence. Ranks are below sequence_count().
    void add(std::uint64_t rank) { words_[rank / kBits] |= bit_of(rank); }
    void remove(std::uint64_t rank) { words_[rank / kBits] &= ~bit_of(rank); }
    /// Removes all sequences that are not in `other`, a set of the same database.
    void keep_common(const TargetMembers& other);

    bool has(std::uint64_t rank) const { return (words_[rank / kBits] & bit_of(rank)) != 0; }
    /// Returns the bits, 64 per word. Rank 0 is the lowest bit of the first word. Bits behind the
    /// last sequence are 0.
    std::span<const std::uint64_t> words() const { return words_; }
    /// Returns the number of the database's sequences, members or not.
    std::uint64_t sequence_count() const { return sequence_count_; }
    /// Counts the members.
    std::uint64_t count() const { return count_in(0, sequence_count_); }
    /// Counts the members among the ranks [first, first + count), which have to exist.
    std::uint64_t count_in(std::uint64_t first, std::uint64_t count) const;
    /// Whether any of these ranks is a member.
    bool has_any(std::uint64_t first, std::uint64_t count) const;

    /// Calls `use` with the rank of each member, in ascending order.
    template <typename Use>
    void for_each(const Use& use) const {
        for (std::uint64_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
                use(w * kBits + static_cast<std::uint64_t>(__builtin_ctzll(left)));
        }
    }

   private:
    static constexpr std::uint64_t kBits = 64;
    static std::uint64_t bit_of(std::uint64_t rank) { return std::uint64_t{1} << (rank % kBits); }

    std::uint64_t sequence_count_;
    std::vector<std::uint64_t> words_;
};

/// Totals over the members of a set.
struct MemberTotals {
    std::uint64_t sequences = 0, residues = 0;
    std::uint64_t shortest_residues = 0;  // of those that have residues; 0: there is none
};
MemberTotals totals_of(const TargetMembers& members, const WsdbReader& reader);

}  // namespace warpseq
