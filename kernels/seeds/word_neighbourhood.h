// The words that are hits with a word of a query (libcore/scoring/word_rule.h), one by one. Tables
// of words are filled from it, those of the GPUs and that of the host.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "libcore/scoring/word_rule.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Whether neighbourhoods are small enough for a table of words. Below half a point more per
/// residue than chance, most words are in most neighbourhoods.
inline bool has_small_neighbourhoods(const WordRule& rule) {
    return rule.threshold == 0 || rule.threshold >= 3 * rule.residues;
}

/// The neighbourhoods of a rule, which has to outlive them. Immutable.
class WordNeighbourhood {
   public:
    explicit WordNeighbourhood(const WordRule& rule) : rule_(rule) {
        for (std::size_t letter = 0; letter < static_cast<std::size_t>(kResidueCodes); ++letter) {
            Row& row = rows_[letter];
            for (std::size_t other = 0; other < static_cast<std::size_t>(kResidueCodes); ++other) {
                if (rule.letter_class[other] == WordRule::kNoClass) continue;
                row.letters[row.count++] = {rule.pair_score[letter][other], static_cast<std::uint32_t>(other)};
            }
            std::sort(row.letters.begin(), row.letters.begin() + static_cast<std::ptrdiff_t>(row.count),
                      std::greater<>());
            most_[letter] = *std::ranges::max_element(rule.pair_score[letter]);
        }
    }

    /// Calls take(code) once for each word that is a hit with the query word at `word`. The code is
    /// the word read as a number to the base `base`, which is at least kResidueCodes, with the
    /// first letter most significant.
    template <std::uint32_t base, class Take>
    void find(const ResidueCode* word, const Take& take) const {
        int own = 0;
        std::uint32_t own_code = 0;
        std::array<int, WordRule::kMostResidues + 1> most_behind{};  // the most that the letters from k on can score
        for (int k = 0; k < rule_.residues; ++k) {
            if (rule_.letter_class[word[k]] == WordRule::kNoClass) return;
            own += rule_.pair_score[word[k]][word[k]];
            own_code = own_code * base + word[k];
        }
        for (int k = rule_.residues - 1; k >= 0; --k)
            most_behind[static_cast<std::size_t>(k)] = most_behind[static_cast<std::size_t>(k) + 1] + most_[word[k]];
        if (rule_.threshold == 0 || own < rule_.threshold) take(own_code);
        if (rule_.threshold != 0) extend<base>(word, most_behind, 0, rule_.threshold, 0, take);
    }

   private:
    struct Row {
        std::array<std::pair<int, std::uint32_t>, kResidueCodes> letters;  // by falling score
        std::size_t count = 0;
    };

    template <std::uint32_t base, class Take>
    void extend(const ResidueCode* word, const std::array<int, WordRule::kMostResidues + 1>& most_behind, int k,
                int needed, std::uint32_t code, const Take& take) const {
        if (k >= rule_.residues || k >= WordRule::kMostResidues) return take(code);
        const Row& row = rows_[word[k]];
        for (std::size_t i = 0; i < row.count; ++i) {
            const auto [score, letter] = row.letters[i];
            if (score + most_behind[static_cast<std::size_t>(k) + 1] < needed) break;
            extend<base>(word, most_behind, k + 1, needed - score, code * base + letter, take);
        }
    }

    const WordRule& rule_;
    std::array<Row, kResidueCodes> rows_;
    std::array<int, kResidueCodes> most_;
};

}  // namespace warpseq
