#include "kernels/seeds/word_hits_plan_gpu.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace warpseq::cuda {
namespace {

constexpr std::uint32_t kLeastGap = 4;

std::uint32_t gap_residues(std::uint32_t window_residues) { return std::max(kLeastGap, window_residues); }

/// Returns the diagonals that a block of this many positions needs. They are those in flight at a
/// target position, and those before it which could still be taken for recent ones.
std::uint64_t diagonals_for(std::uint64_t positions, std::uint32_t window_residues) {
    return positions + window_residues + 1;
}

/// Calls take(code) for each word that is a hit with the query word given.
class Neighbourhood {
   public:
    Neighbourhood(const WordRule& rule) : rule_(rule) {
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

    template <class Take>
    void find(const ResidueCode* word, const Take& take) const {
        int own = 0;
        std::uint32_t own_code = 0;
        std::array<int, kMostWordHitResidues + 1> most_behind{};  // the most that the letters from k on can score
        for (int k = 0; k < rule_.residues; ++k) {
            if (rule_.letter_class[word[k]] == WordRule::kNoClass) return;
            own += rule_.pair_score[word[k]][word[k]];
            own_code = own_code * kResidueCodes + word[k];
        }
        for (int k = rule_.residues - 1; k >= 0; --k)
            most_behind[static_cast<std::size_t>(k)] = most_behind[static_cast<std::size_t>(k) + 1] + most_[word[k]];
        if (rule_.threshold == 0 || own < rule_.threshold) take(own_code);
        if (rule_.threshold != 0) extend(word, most_behind, 0, rule_.threshold, 0, take);
    }

   private:
    struct Row {
        std::array<std::pair<int, std::uint32_t>, kResidueCodes> letters;  // by falling score
        std::size_t count = 0;
    };

    template <class Take>
    void extend(const ResidueCode* word, const std::array<int, kMostWordHitResidues + 1>& most_behind, int k,
                int needed, std::uint32_t code, const Take& take) const {
        if (k >= rule_.residues || k >= kMostWordHitResidues) return take(code);
        const Row& row = rows_[word[k]];
        for (std::size_t i = 0; i < row.count; ++i) {
            const auto [score, letter] = row.letters[i];
            if (score + most_behind[static_cast<std::size_t>(k) + 1] < needed) break;
            extend(word, most_behind, k + 1, needed - score, code * kResidueCodes + letter, take);
        }
    }

    const WordRule& rule_;
    std::array<Row, kResidueCodes> rows_;
    std::array<int, kResidueCodes> most_;
};

}  // namespace

const char* word_hits_refusal(const WordRule& rule, std::uint32_t window_residues) {
    if (rule.residues > kMostWordHitResidues) return "words are too long for a table";
    if (window_residues > kMostWordHitWindow) return "the window is too wide";
    if (window_residues != 0 && window_residues <= static_cast<std::uint32_t>(rule.residues))
        return "no two words fit the window";
    // Below half a point more per residue than chance, most words are in most neighbourhoods.
    if (rule.threshold != 0 && rule.threshold < 3 * rule.residues)
        return "the threshold is so low that the table of words is too large";
    return nullptr;
}

bool takes_word_hit_query(std::uint64_t residues, std::int32_t x_drop_raw, std::uint32_t window_residues) {
    return x_drop_raw >= 0 && x_drop_raw <= kMostWordHitXDrop &&
           diagonals_for(residues, window_residues) <= kMostDiagonals;
}

Result<WordHitTables> WordHitTables::create(std::span<const WordHitQuery> queries, const WordRule& rule,
                                            const SubstitutionMatrix& matrix, std::uint32_t window_residues,
                                            const ThreadPool& pool, std::uint32_t usual_diagonals) {
    WordHitTables tables(rule, window_residues, usual_diagonals);
    WARPSEQ_TRY(guarded([&] { return tables.fill(queries, rule, matrix, pool); }));
    return tables;
}

Status WordHitTables::fill(std::span<const WordHitQuery> queries, const WordRule& rule,
                           const SubstitutionMatrix& matrix, const ThreadPool& pool) {
    std::uint64_t positions = 0;
    for (const WordHitQuery& query : queries) positions += query.residues.size() + gap_residues(window_residues_);
    const std::uint64_t for_all = std::bit_ceil(diagonals_for(positions, window_residues_));
    diagonals_ = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(diagonals_, std::max<std::uint64_t>(for_all, kFewestDiagonals)));
    for (const WordHitQuery& query : queries) {
        limits_.push_back({query.x_drop_raw, query.cutoff_raw});
        diagonals_ =
            std::max(diagonals_,
                     static_cast<std::uint32_t>(std::bit_ceil(diagonals_for(query.residues.size(), window_residues_))));
    }
    scores_.assign(kResidueTableSize * kResidueTableSize, kSeparatorScore);
    for (std::size_t a = 0; a < kResidueTableSize; ++a) {
        for (std::size_t b = 0; b < kResidueTableSize; ++b) {
            if (a == kPaddingCode || b == kPaddingCode) continue;
            scores_[a * kResidueTableSize + b] =
                static_cast<std::int16_t>(matrix.score_raw(static_cast<ResidueCode>(a), static_cast<ResidueCode>(b)));
        }
    }
    lay_out(queries);

    const Neighbourhood neighbourhood(rule);
    const std::uint32_t words = word_hit_entries(word_residues_);
    entries_.assign(std::size_t{words} * blocks_.size(), {});
    std::vector<std::vector<std::uint16_t>> hits(blocks_.size());
    WARPSEQ_TRY(pool.parallel_for(blocks_.size(), [&](std::uint64_t b, unsigned) {
        const WordHitBlock& block = blocks_[b];
        const auto entries = std::span(entries_).subspan(block.first_entry, words);
        const auto for_each_hit = [&](const auto& take) {
            for (std::uint32_t q = block.first_query; q < block.first_query + block.query_count; ++q) {
                for (const QueryStretch& stretch : queries[q].stretches) {
                    for (std::uint32_t i = stretch.begin; i + static_cast<std::uint32_t>(word_residues_) <= stretch.end;
                         ++i) {
                        neighbourhood.find(queries[q].residues.data() + i,
                                           [&](std::uint32_t word) { take(word, first_position_[q] + i); });
                    }
                }
            }
        };
        for_each_hit([&](std::uint32_t word, std::uint32_t) { ++entries[word].hit_count; });
        std::uint32_t count = 0;
        for (WordHitEntry& entry : entries) {
            entry.first_hit = count;
            count += std::exchange(entry.hit_count, 0);
        }
        hits[b].resize(count);
        for_each_hit([&](std::uint32_t word, std::uint32_t position) {
            WordHitEntry& entry = entries[word];
            hits[b][entry.first_hit + entry.hit_count++] = static_cast<std::uint16_t>(position);
        });
    }));
    std::uint32_t first = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        for (WordHitEntry& entry : std::span(entries_).subspan(blocks_[b].first_entry, words)) entry.first_hit += first;
        hits_.insert(hits_.end(), hits[b].begin(), hits[b].end());
        first = static_cast<std::uint32_t>(hits_.size());
        hits[b] = {};
    }
    return {};
}

// Lays out blocks in the order of the queries. Blocks that are filled better would save only some
// per cent.
void WordHitTables::lay_out(std::span<const WordHitQuery> queries) {
    const std::uint32_t gap = gap_residues(window_residues_);
    for (std::uint32_t q = 0; q < queries.size(); ++q) {
        const auto residues = static_cast<std::uint32_t>(queries[q].residues.size());
        WordHitBlock* block = blocks_.empty() ? nullptr : &blocks_.back();
        if (block == nullptr || block->query_count == kMostBlockQueries ||
            diagonals_for(block->residue_count + gap + residues, window_residues_) > diagonals_) {
            blocks_.push_back({q, 0, static_cast<std::uint32_t>(residues_.size()), 0,
                               static_cast<std::uint32_t>(blocks_.size()) * word_hit_entries(word_residues_)});
            block = &blocks_.back();
            residues_.insert(residues_.end(), kBlockMargin, kPaddingCode);
        } else {
            /// Removes the margin behind the block.
            const std::size_t end = block->first_residue + kBlockMargin + block->residue_count;
            residues_.resize(end);
            query_of_residue_.resize(end);
            residues_.insert(residues_.end(), gap, kPaddingCode);
            block->residue_count += gap;
        }
        first_position_.push_back(block->residue_count);
        residues_.insert(residues_.end(), queries[q].residues.begin(), queries[q].residues.end());
        block->residue_count += residues;
        ++block->query_count;
        query_of_residue_.resize(residues_.size(), static_cast<std::uint8_t>(block->query_count - 1));
        // Adds a margin, and separators up to where the next block may begin.
        residues_.resize((residues_.size() + 2 * kBlockMargin - 1) / kBlockMargin * kBlockMargin, kPaddingCode);
        query_of_residue_.resize(residues_.size());
    }
}

std::uint64_t WordHitTables::bytes() const {
    return residues_.size() * 2 + limits_.size() * sizeof(WordHitLimits) + entries_.size() * sizeof(WordHitEntry) +
           hits_.size() * sizeof(std::uint16_t) + blocks_.size() * sizeof(WordHitBlock);
}

}  // namespace warpseq::cuda
