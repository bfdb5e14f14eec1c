// A table of the target words that are hits in a query, for the host's word hit finder. It tells
// the hits of a target word without looking at any other word of the query.
//
// The table is indexed by the word's letters, kLetterBits bits each, with the first letter most
// significant. Any residue code fits these bits, also one that is in no hit. An entry is the index
// of the word's first hit, and the next entry that of the hit behind its last one. A hit is the
// position of a query word. The hits of an entry ascend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/seeds/word_hits.h"
#include "libcore/scoring/word_rule.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The table of one query. Immutable.
class WordTable {
   public:
    /// Most residues of a word: entries take 128 KiB then.
    static constexpr int kMostResidues = 3;
    static constexpr int kLetterBits = 5;
    static_assert(1 << kLetterBits == kResidueTableSize);

    /// Whether a table can be made for a rule and a query of this length. Hits are kept in 16 bits.
    static bool takes(const WordRule& rule, std::size_t query_residues);

    /// Makes the table of a query that takes() accepts. Arguments are as in make_word_hit_finder()
    /// (kernels/seeds/word_hits.h). Nothing of them is kept.
    WordTable(std::span<const ResidueCode> query, std::span<const QueryStretch> stretches, const WordRule& rule);

    /// Returns the index of the word whose last letter is `letter`. `before` is the index of the
    /// word that begins one residue earlier; only its last letters count.
    std::uint32_t next_word(std::uint32_t before, ResidueCode letter) const {
        return (before << kLetterBits | letter) & last_word_;
    }
    /// Returns the query positions of the words that are hits with the target word of this index.
    std::span<const std::uint16_t> hits(std::uint32_t word) const {
        return {hits_.data() + first_hit_[word], hits_.data() + first_hit_[word + 1]};
    }
    /// Asks the processor to fetch a word's entry. Tables of many queries do not fit a cache.
    void fetch_entry(std::uint32_t word) const { __builtin_prefetch(&first_hit_[word]); }
    /// Asks the processor to fetch a word's first hits, whose entry has been fetched.
    void fetch_hits(std::uint32_t word) const { __builtin_prefetch(hits_.data() + first_hit_[word]); }

   private:
    std::uint32_t last_word_;
    std::vector<std::uint32_t> first_hit_;
    std::vector<std::uint16_t> hits_;
};

}  // namespace warpseq
