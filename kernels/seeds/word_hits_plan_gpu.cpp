#include "kernels/seeds/word_hits_plan_gpu.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/seeds/word_neighbourhood.h"

namespace warpseq::cuda {
namespace {

constexpr std::uint32_t kLeastGap = 4;

std::uint32_t gap_residues(std::uint32_t window_residues) { return std::max(kLeastGap, window_residues); }

/// Returns the diagonals that a block of this many positions needs. They are those in flight at a
/// target position, and those before it which could still be taken for recent ones.
std::uint64_t diagonals_for(std::uint64_t positions, std::uint32_t window_residues) {
    return positions + window_residues + 1;
}

}  // namespace

const char* word_hits_refusal(const WordRule& rule, std::uint32_t window_residues) {
    if (rule.residues > kMostWordHitResidues) return "words are too long for a table";
    if (window_residues > kMostWordHitWindow) return "the window is too wide";
    if (window_residues != 0 && window_residues <= static_cast<std::uint32_t>(rule.residues))
        return "no two words fit the window";
    if (!has_small_neighbourhoods(rule)) return "the threshold is so low that the table of words is too large";
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

    const WordNeighbourhood neighbourhood(rule);
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
                        neighbourhood.find<kResidueCodes>(queries[q].residues.data() + i, [&](std::uint32_t word) {
                            take(word, first_position_[q] + i);
                        });
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
