// Which sequences of one database are members of something: of what a search covers, or of what has
// not been removed. A plain value: a bit for each sequence, by rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/wsdb/wsdb_reader.h"

namespace warpseq {

class TargetMembers {
   public:
    /// None of so many sequences.
    explicit TargetMembers(std::uint64_t sequence_count);
    /// All of them.
    static TargetMembers all(std::uint64_t sequence_count);

    /// Ranks are below sequence_count().
    void add(std::uint64_t rank) { words_[rank / kBits] |= bit_of(rank); }
    void remove(std::uint64_t rank) { words_[rank / kBits] &= ~bit_of(rank); }
    /// Only those stay that are members of `other`, which is of the same database.
    void keep_common(const TargetMembers& other);

    bool has(std::uint64_t rank) const { return (words_[rank / kBits] & bit_of(rank)) != 0; }
    /// A bit for each sequence, 64 to a word, the lowest rank in the lowest bit of the first; 0
    /// behind the last sequence.
    std::span<const std::uint64_t> words() const { return words_; }
    /// Of all sequences, and of members, which are counted.
    std::uint64_t sequence_count() const { return sequence_count_; }
    std::uint64_t count() const { return count_in(0, sequence_count_); }
    /// Of the ranks [first, first + count), which there are.
    std::uint64_t count_in(std::uint64_t first, std::uint64_t count) const;
    bool has_any(std::uint64_t first, std::uint64_t count) const;

    /// Calls `use` with the rank of each member, from the lowest.
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

/// What there is of members.
struct MemberTotals {
    std::uint64_t sequences = 0, residues = 0;
    std::uint64_t shortest_residues = 0;  // of those that have residues; 0: there is none
};
MemberTotals totals_of(const TargetMembers& members, const WsdbReader& reader);

}  // namespace warpseq
