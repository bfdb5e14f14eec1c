// Finds word hits in one of two ways.
//
// Where a table of words takes the rule and the query (kernels/seeds/word_table.h), each word of
// the target is looked up. Time depends on the number of hits, which are some 0.2 % of the cells.
// On a diagonal the order of look-ups is that of target positions, which the contract asks for.
//
// For other rules, and for short or very long queries, all words of the query are scored against
// all words of the target. For each letter of the query a row holds its score with every residue of
// the target. The word score of query position i with all target positions is then the sum of
// `residues` such rows, each a residue further on. This takes no look-ups and is the same for every
// word length and threshold. It costs a few operations a vector of cells. That is fast enough for
// the targets that a screen of the database has left, not for a whole database. Query positions are
// outermost. On a diagonal that is also the order of target positions.
//
// A target is searched in segments, whose rows and diagonals stay in a cache.
//
// The scores of a row are bytes where a whole word's fit them (the uncompressed alphabets), else 16
// bits (hundredths). A letter that is in no hit scores low enough that a word with it stays below
// any threshold that others reach.
#include "kernels/seeds/word_hits_simd.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>

#include "kernels/backends/kernel_table.h"
#include "kernels/seeds/diagonal_state.h"
#include "kernels/seeds/word_table.h"

namespace warpseq::cpu {
namespace {

/// Fewest residues of a query with a table. A shorter query is compared directly, because a table
/// would be most of the memory of many short queries.
constexpr std::size_t kLeastTableResidues = 128;

template <class Score>
class Finder final : public WordHitFinder {
    using Task = WordHitTask<Score>;
    static_assert(Task::kMostResidues >= WordRule::kMostResidues);

   public:
    Finder(const KernelTable& kernels, std::span<const ResidueCode> query, std::span<const QueryStretch> stretches,
           const WordRule& rule, const SubstitutionMatrix& matrix, const WordHitSettings& settings)
        : kernels_(kernels),
          query_(query.begin(), query.end()),
          stretches_(stretches.begin(), stretches.end()),
          rule_(rule),
          matrix_(matrix),
          settings_(settings),
          has_table_(query.size() >= kLeastTableResidues && WordTable::takes(rule, query.size())),
          scores_{} {
        if (has_table_) return;
        constexpr int kLowest = std::numeric_limits<Score>::min();
        for (std::size_t a = 0; a < kResidueTableSize; ++a) {
            for (std::size_t b = 0; b < kResidueTableSize; ++b) {
                const int score = has_class(b) ? rule.pair_score[a][b] : WordRule::kNeverScore;
                scores_[a][b] = static_cast<Score>(std::max(score, kLowest));
            }
        }
        const auto word = static_cast<std::size_t>(rule.residues);
        for (const QueryStretch& stretch : stretches) {
            for (std::size_t i = stretch.begin; i + word <= stretch.end; ++i) add_word(i);
        }
    }

    void find(std::span<const ResidueCode> target, WordHitWorkspace& workspace,
              std::vector<UngappedAlignment>& found) const override {
        WordHitWorkspace::Memory& memory = workspace.memory();
        DiagonalExtender& extender = memory.extender;
        const auto word = static_cast<std::size_t>(rule_.residues);
        const std::size_t starts = target.size() < word ? 0 : target.size() - word + 1;
        extender.begin(matrix_, settings_, rule_.residues, query_, target, std::min(starts, kWordSegmentResidues),
                       found);
        if (has_table_)
            std::call_once(table_made_, [&] { table_ = std::make_unique<WordTable>(query_, stretches_, rule_); });
        for (std::size_t first = 0; first < starts; first += kWordSegmentResidues) {
            extender.begin_segment(static_cast<std::int32_t>(first));
            const std::size_t count = std::min(starts - first, kWordSegmentResidues);
            if (has_table_) {
                look_up_segment(target.subspan(first, count + word - 1), first, workspace.stop, memory);
            } else {
                find_in_segment(target.subspan(first), first, count, workspace.stop, memory);
            }
        }
        extender.finish(workspace.stop);
    }

   private:
    /// Words of a target between fetching a word's hits and looking at them, and also between
    /// fetching its entry and its hits.
    static constexpr std::size_t kWordsAhead = 32;

    struct Word {
        std::uint32_t query_at;
        bool neighbours;  // whether words of the threshold and above are hits
        bool equal;       // whether equal words are hits, which may score below
    };

    // Looks up the hits of all words of `target`, which is what follows `first` residues of the
    // whole target.
    void look_up_segment(std::span<const ResidueCode> target, std::size_t first, const std::stop_token& stop,
                         WordHitWorkspace::Memory& memory) const {
        const WordTable& table = *table_;
        const auto word_residues = static_cast<std::size_t>(rule_.residues);
        const std::size_t starts = target.size() - word_residues + 1;
        std::vector<std::uint32_t>& words = memory.words;
        words.assign(starts + 2 * kWordsAhead, 0);
        std::uint32_t word = 0;
        for (std::size_t k = 0; k + 1 < word_residues; ++k) word = table.next_word(word, target[k]);
        for (std::size_t j = 0; j < starts; ++j) {
            words[j] = word = table.next_word(word, target[j + word_residues - 1]);
            if (j < 2 * kWordsAhead) table.fetch_entry(word);
        }
        for (std::size_t j = 0; j < std::min(starts, kWordsAhead); ++j) table.fetch_hits(words[j]);
        for (std::size_t j = 0; j < starts; ++j) {
            if (j % kWordsAhead == 0 && stop.stop_requested()) return;
            table.fetch_entry(words[j + 2 * kWordsAhead]);
            table.fetch_hits(words[j + kWordsAhead]);
            memory.extender.add_hits(table.hits(words[j]), static_cast<std::int32_t>(first + j));
        }
    }

    // Finds the hits of words that begin at the first `starts` residues of `target`. `target` is
    // what follows `first` residues of the whole target.
    void find_in_segment(std::span<const ResidueCode> target, std::size_t first, std::size_t starts,
                         const std::stop_token& stop, WordHitWorkspace::Memory& memory) const {
        const auto word = static_cast<std::size_t>(rule_.residues);
        const std::size_t blocks = (starts + Task::kBlock - 1) / Task::kBlock;
        const std::size_t row_scores = (blocks + 1) * Task::kBlock;
        const Score* const rows = fill_rows(target.first(starts + word - 1), row_scores, memory);
        memory.hits.assign(blocks, 0);
        for (const Word& entry : words_) {
            if (stop.stop_requested()) return;
            if (entry.neighbours) {
                Task task;
                for (std::size_t k = 0; k < word; ++k)
                    task.rows[k] = rows + query_[entry.query_at + k] * row_scores + k;
                task.residues = word;
                task.blocks = blocks;
                task.limit = static_cast<Score>(rule_.threshold - 1);
                task.hits = memory.hits.data();
                if constexpr (sizeof(Score) == 1) {
                    kernels_.find_word_hits_8_bit(task);
                } else {
                    kernels_.find_word_hits_16_bit(task);
                }
            } else {
                std::ranges::fill(memory.hits, 0);
            }
            if (entry.equal) {
                for (std::size_t j = 0; j < starts; ++j)
                    memory.hits[j / Task::kBlock] |= std::uint64_t{is_equal(entry, target, j)} << j % Task::kBlock;
            }
            for (std::size_t block = 0; block < blocks; ++block) {
                for (std::uint64_t hits = memory.hits[block]; hits != 0; hits &= hits - 1) {
                    const std::size_t j = block * Task::kBlock + static_cast<std::size_t>(std::countr_zero(hits));
                    if (j >= starts) continue;
                    memory.extender.add_hit(static_cast<std::int32_t>(entry.query_at),
                                            static_cast<std::int32_t>(first + j));
                }
            }
        }
    }

    bool has_class(std::size_t letter) const { return rule_.letter_class[letter] != WordRule::kNoClass; }

    void add_word(std::size_t i) {
        int own_score = 0, most = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(rule_.residues); ++k) {
            const ResidueCode letter = query_[i + k];
            if (!has_class(letter)) return;
            own_score += rule_.pair_score[letter][letter];
            most += *std::ranges::max_element(rule_.pair_score[letter]);
        }
        const bool exact = rule_.threshold == 0;
        // A threshold that `most` reaches fits a score.
        const Word entry{static_cast<std::uint32_t>(i), !exact && most >= rule_.threshold,
                         exact || own_score < rule_.threshold};
        if (entry.neighbours || entry.equal) words_.push_back(entry);
    }

    // Fills a row of row_scores scores per residue code. What follows the target's scores does not
    // matter.
    const Score* fill_rows(std::span<const ResidueCode> target, std::size_t row_scores,
                           WordHitWorkspace::Memory& memory) const {
        auto* const rows = reinterpret_cast<Score*>(memory.rows.reserve(kResidueCodes * row_scores * sizeof(Score)));
        if constexpr (sizeof(Score) == 1) {
            auto* const letters = reinterpret_cast<std::uint8_t*>(memory.letters.reserve(row_scores));
            std::memset(letters, kPaddingCode, row_scores);
            std::ranges::copy(target, letters);
            kernels_.fill_profile(letters, row_scores, scores_, rows);
        } else {
            for (std::size_t code = 0; code < kResidueCodes; ++code) {
                Score* const row = rows + code * row_scores;
                for (std::size_t j = 0; j < target.size(); ++j) row[j] = scores_[code][target[j]];
                std::fill(row + target.size(), row + row_scores, Score{0});
            }
        }
        return rows;
    }

    bool is_equal(const Word& entry, std::span<const ResidueCode> target, std::size_t j) const {
        for (std::size_t k = 0; k < static_cast<std::size_t>(rule_.residues); ++k) {
            if (rule_.letter_class[query_[entry.query_at + k]] != rule_.letter_class[target[j + k]]) return false;
        }
        return true;
    }

    const KernelTable& kernels_;
    std::vector<ResidueCode> query_;
    std::vector<QueryStretch> stretches_;
    WordRule rule_;
    const SubstitutionMatrix& matrix_;
    WordHitSettings settings_;
    bool has_table_;
    // Many queries have no target that a screen leaves, so a table is made when it is needed.
    mutable std::once_flag table_made_;
    mutable std::unique_ptr<const WordTable> table_;
    std::array<std::array<Score, kResidueTableSize>, kResidueTableSize> scores_;  // [query letter][target letter]
    std::vector<Word> words_;
};

}  // namespace

std::unique_ptr<WordHitFinder> make_word_hit_finder(const KernelTable& kernels, std::span<const ResidueCode> query,
                                                    std::span<const QueryStretch> stretches, const WordRule& rule,
                                                    const SubstitutionMatrix& matrix, const WordHitSettings& settings) {
    int greatest = 0;
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        for (std::size_t b = 0; b < kResidueCodes; ++b) {
            const bool excluded =
                rule.letter_class[a] == WordRule::kNoClass || rule.letter_class[b] == WordRule::kNoClass;
            greatest = std::max(greatest, excluded ? -WordRule::kNeverScore : std::abs(rule.pair_score[a][b]));
        }
    }
    if (greatest * rule.residues <= std::numeric_limits<std::int8_t>::max())
        return std::make_unique<Finder<std::int8_t>>(kernels, query, stretches, rule, matrix, settings);
    return std::make_unique<Finder<std::int16_t>>(kernels, query, stretches, rule, matrix, settings);
}

}  // namespace warpseq::cpu
