// Word hits without a table of words. For each letter of the query a row holds its score with every residue of the target; the word
// score of query position i with all target positions is then the sum of `residues` such rows, each a residue further on: no
// look-ups, plain loops that the compiler turns into vectors, and the same for every word length and threshold. So it costs a
// few operations a cell, which pays where a target is worth a closer look; whole databases are screened by other means before.
//
// Query positions are outermost. On a diagonal that is the order of target positions, too, which the contract asks for.
//
// Scores of a row are bytes where a whole word's fit them (the uncompressed alphabets), else 16 bits (hundredths). A letter that is in
// no hit scores low enough that a word with it stays below any threshold that others reach.
#include "kernels/cpu/word_finder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "kernels/diagonal_state.h"

namespace warpseq::cpu {
namespace {

constexpr std::size_t kBlock = 64;  // target positions that are looked through at once; rows are padded to whole blocks

template <class Score>
class Finder final : public WordFinder {
   public:
    static constexpr int kExcluded = WordRule::kNeverScore;  // of 16-bit scores; in bytes every letter is in hits

    Finder(std::span<const ResidueCode> query, std::span<const QueryStretch> stretches, const WordRule& rule, const SubstitutionMatrix& matrix,
           const WordFinderSettings& settings)
        : query_(query.begin(), query.end()), rule_(rule), matrix_(matrix), settings_(settings) {
        row_of_.fill(kNoRow);
        const auto word = static_cast<std::size_t>(rule.residues);
        for (const QueryStretch& stretch : stretches) {
            for (std::size_t i = stretch.begin; i + word <= stretch.end; ++i) add_word(i);
        }
    }

    void find(std::span<const ResidueCode> target, WordFinderWorkspace& workspace, std::vector<UngappedAlignment>& found) const override {
        DiagonalExtender& extender = workspace.memory().extender;
        extender.begin(matrix_, settings_, rule_.residues, query_, target, found);
        const auto word = static_cast<std::size_t>(rule_.residues);
        if (target.size() < word) return;
        const std::size_t starts = target.size() - word + 1;
        const std::size_t row_scores = (target.size() + kBlock + kBlock - 1) / kBlock * kBlock;
        std::vector<Score>& all_rows = rows_of(workspace.memory());
        fill_rows(target, row_scores, all_rows);
        for (const Word& entry : words_) {
            std::array<const Score*, WordRule::kMostResidues> rows;
            for (std::size_t k = 0; k < word; ++k) {
                rows[k] = all_rows.data() + static_cast<std::size_t>(row_of_[query_[entry.query_at + k]]) * row_scores + k;
            }
            const auto take = [&](std::size_t j) {
                extender.add_hit(static_cast<std::int32_t>(entry.query_at), static_cast<std::int32_t>(j));
            };
            if (entry.neighbours) {
                switch (word) {
                    case 2: scan<2>(rows, starts, entry, target, take); break;
                    case 3: scan<3>(rows, starts, entry, target, take); break;
                    case 4: scan<4>(rows, starts, entry, target, take); break;
                    case 5: scan<5>(rows, starts, entry, target, take); break;
                    case 6: scan<6>(rows, starts, entry, target, take); break;
                    default: scan<7>(rows, starts, entry, target, take); break;
                }
            } else {
                for (std::size_t j = 0; j < starts; ++j) {
                    if (is_equal(entry, target, j)) take(j);
                }
            }
        }
        extender.finish();
    }

   private:
    static constexpr std::int8_t kNoRow = -1;

    struct Word {
        std::uint32_t query_at;
        bool neighbours;  // words of the threshold and above are hits
        bool equal;       // so are equal ones, which may be below
    };

    static std::vector<Score>& rows_of(WordFinderWorkspace::Memory& memory) {
        if constexpr (sizeof(Score) == 1) {
            return memory.rows_8_bit;
        } else {
            return memory.rows_16_bit;
        }
    }

    void add_word(std::size_t i) {
        int own_score = 0, most = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(rule_.residues); ++k) {
            const ResidueCode letter = query_[i + k];
            if (rule_.letter_class[letter] == WordRule::kNoClass) return;
            own_score += rule_.pair_score[letter][letter];
            most += *std::ranges::max_element(rule_.pair_score[letter]);
        }
        const bool exact = rule_.threshold == 0;
        // A threshold that `most` reaches fits a score.
        const Word entry{static_cast<std::uint32_t>(i), !exact && most >= rule_.threshold, exact || own_score < rule_.threshold};
        if (!entry.neighbours && !entry.equal) return;
        words_.push_back(entry);
        for (std::size_t k = 0; k < static_cast<std::size_t>(rule_.residues); ++k) {
            std::int8_t& row = row_of_[query_[i + k]];
            if (row == kNoRow) {
                row = static_cast<std::int8_t>(row_letters_.size());
                row_letters_.push_back(query_[i + k]);
            }
        }
    }

    void fill_rows(std::span<const ResidueCode> target, std::size_t row_scores, std::vector<Score>& rows) const {
        rows.resize(std::max(rows.size(), row_letters_.size() * row_scores + kBlock));
        for (std::size_t r = 0; r < row_letters_.size(); ++r) {
            std::array<Score, kResidueTableSize> scores;
            for (std::size_t letter = 0; letter < kResidueTableSize; ++letter) {
                scores[letter] = static_cast<Score>(
                    rule_.letter_class[letter] == WordRule::kNoClass
                        ? kExcluded
                        : rule_.pair_score[row_letters_[r]][letter]);
            }
            Score* const row = rows.data() + r * row_scores;
            for (std::size_t j = 0; j < target.size(); ++j) row[j] = scores[target[j]];
            std::fill(row + target.size(), row + row_scores, Score{0});
        }
    }

    bool is_equal(const Word& entry, std::span<const ResidueCode> target, std::size_t j) const {
        for (std::size_t k = 0; k < static_cast<std::size_t>(rule_.residues); ++k) {
            if (rule_.letter_class[query_[entry.query_at + k]] != rule_.letter_class[target[j + k]]) return false;
        }
        return true;
    }

    template <std::size_t word, class Take>
    void scan(const std::array<const Score*, WordRule::kMostResidues>& rows, std::size_t starts, const Word& entry,
              std::span<const ResidueCode> target, const Take& take) const {
        const auto below = static_cast<Score>(rule_.threshold - 1);
        for (std::size_t block = 0; block < starts; block += kBlock) {
            std::array<const Score*, word> at;
            for (std::size_t k = 0; k < word; ++k) at[k] = rows[k] + block;
            // 0 or 1 for each target position.
            alignas(kBlock) std::array<std::uint8_t, kBlock> hits;
            for (std::size_t j = 0; j < kBlock; ++j) {
                Score sum = 0;
                for (std::size_t k = 0; k < word; ++k) sum = static_cast<Score>(sum + at[k][j]);
                hits[j] = static_cast<std::uint8_t>(sum > below);
            }
            if (entry.equal) {
                for (std::size_t j = 0; j < kBlock && block + j < starts; ++j) hits[j] |= static_cast<std::uint8_t>(is_equal(entry, target, block + j));
            }
            for (std::size_t part = 0; part < kBlock; part += 8) {
                std::uint64_t bits;
                std::memcpy(&bits, hits.data() + part, sizeof bits);
                for (; bits != 0; bits &= bits - 1) {
                    const std::size_t j = block + part + static_cast<std::size_t>(std::countr_zero(bits)) / 8;
                    if (j < starts) take(j);
                }
            }
        }
    }

    std::vector<ResidueCode> query_;
    WordRule rule_;
    const SubstitutionMatrix& matrix_;
    WordFinderSettings settings_;
    std::vector<Word> words_;
    std::array<std::int8_t, kResidueTableSize> row_of_;
    std::vector<ResidueCode> row_letters_;
};

}  // namespace

std::unique_ptr<WordFinder> make_word_finder(std::span<const ResidueCode> query, std::span<const QueryStretch> stretches, const WordRule& rule,
                                             const SubstitutionMatrix& matrix, const WordFinderSettings& settings) {
    int greatest = 0;
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        for (std::size_t b = 0; b < kResidueCodes; ++b) {
            const bool excluded = rule.letter_class[a] == WordRule::kNoClass || rule.letter_class[b] == WordRule::kNoClass;
            greatest = std::max(greatest, excluded ? -WordRule::kNeverScore : std::abs(rule.pair_score[a][b]));
        }
    }
    if (greatest * rule.residues <= std::numeric_limits<std::int8_t>::max()) return std::make_unique<Finder<std::int8_t>>(query, stretches, rule, matrix, settings);
    return std::make_unique<Finder<std::int16_t>>(query, stretches, rule, matrix, settings);
}

}  // namespace warpseq::cpu
