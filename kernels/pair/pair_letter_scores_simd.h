// The letters of a pair of sequences and their scores, in the form that the kernels of
// pair_sweep_table_simd.h take.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/pair/pair_sweep_table_simd.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Highest number of lanes of any back end.
inline constexpr std::size_t kMostPairLanes = 64;

/// The distinct letters of a query and a target, and the scores of every pair of them.
struct PairLetterScores {
    std::int32_t lowest_score_raw, highest_score_raw;  // among the letters that occur
    bool has_table;                                    // whether scores come from a table; otherwise they come in words
    /// The entries of PairSteps::row_letters by residue code. Only set with a table.
    std::array<std::uint8_t, kResidueTableSize> query_numbers;

    /// Finds the letters that occur, and their lowest and highest scores.
    void find(std::span<const ResidueCode> query, std::span<const ResidueCode> target,
              const SubstitutionMatrix& matrix) {
        in_query_.fill(false);
        std::array<bool, kResidueTableSize> in_target{};
        for (const ResidueCode code : query) in_query_[code] = true;
        for (const ResidueCode code : target) in_target[code] = true;
        target_letters_.clear();
        for (std::size_t code = 0; code < kResidueTableSize; ++code) {
            if (in_target[code]) target_letters_.push_back(static_cast<ResidueCode>(code));
        }
        lowest_score_raw = std::numeric_limits<std::int32_t>::max();
        highest_score_raw = std::numeric_limits<std::int32_t>::min();
        for (std::size_t q = 0; q < kResidueTableSize; ++q) {
            if (!in_query_[q]) continue;
            for (const ResidueCode t : target_letters_) {
                const std::int32_t score_raw = matrix.score_raw(static_cast<ResidueCode>(q), t);
                lowest_score_raw = std::min(lowest_score_raw, score_raw);
                highest_score_raw = std::max(highest_score_raw, score_raw);
            }
        }
    }

    /// Fills the scores, as bytes with `bias` added, and the target's letters as numbers. Called
    /// after find().
    void fill(std::span<const ResidueCode> target, const SubstitutionMatrix& matrix, const PairSweepTable& kernels,
              std::int32_t bias) {
        const std::size_t letters = target_letters_.size();
        std::size_t query_letters = 0;
        for (const bool in : in_query_) query_letters += in;
        has_table = query_letters * letters <= kernels.table_entries;
        letter_scores_.resize(letters);
        std::size_t number = 0;
        for (std::size_t q = 0; q < kResidueTableSize; ++q) {
            for (std::size_t a = 0; a < letters; ++a) {
                const int score_raw = matrix.score_raw(static_cast<ResidueCode>(q), target_letters_[a]);
                letter_scores_[a][q] = static_cast<std::uint8_t>(score_raw + bias);
                if (has_table && in_query_[q]) table_[number + a] = letter_scores_[a][q];
            }
            query_numbers[q] = static_cast<std::uint8_t>(number);
            if (in_query_[q]) number += letters;
        }
        std::array<std::uint16_t, kResidueTableSize> number_of{};
        for (std::size_t a = 0; a < letters; ++a)
            number_of[target_letters_[a]] = static_cast<std::uint16_t>(has_table ? a : a * letter_bytes(kernels) / 8);
        const auto number_all = [&](auto& numbers) {
            using Number = typename std::remove_reference_t<decltype(numbers)>::value_type;
            numbers.resize(target.size() + 2 * kMargin);
            Number* const out = numbers.data() + kMargin;
            for (std::size_t j = 0; j < target.size(); ++j) out[j] = static_cast<Number>(number_of[target[j]]);
        };
        if (has_table) {
            number_all(numbers_);
        } else {
            number_all(word_numbers_);
        }
    }

    /// Returns the number of bytes that fill_words() writes, or 0 with a table.
    std::size_t words_bytes(const PairSweepTable& kernels) const {
        return has_table ? 0 : target_letters_.size() * letter_bytes(kernels);
    }
    /// Writes the words of scores, one for each target letter and lane. `codes` holds `word_bytes`
    /// residue codes for each lane, those of the lane's rows.
    void fill_words(const PairSweepTable& kernels, const std::uint8_t* codes, std::size_t word_bytes,
                    std::uint8_t* words) const {
        for (std::size_t a = 0; a < letter_scores_.size(); ++a) {
            kernels.fill_scores(codes, kernels.lanes * word_bytes, letter_scores_[a].data(),
                                words + a * letter_bytes(kernels));
        }
    }

    /// Returns the distinct letters of the target. fill_profiles() writes, for each of them, its
    /// scores with `codes`, which are `count` bytes. The scores are those of words, less `bias`.
    std::span<const ResidueCode> target_letters() const { return target_letters_; }
    void fill_profiles(const PairSweepTable& kernels, const std::uint8_t* codes, std::size_t count, std::int32_t bias,
                       std::uint8_t* profiles) const {
        for (const auto& scores : letter_scores_) {
            auto unbiased = scores;
            for (std::uint8_t& score : unbiased) score = static_cast<std::uint8_t>(score - bias);
            kernels.fill_scores(codes, count, unbiased.data(), profiles);
            profiles += count;
        }
    }

    /// Points a task's letters and scores to the target from `first_column` on. task.top_lane has
    /// to be set before.
    void point(PairSteps& task, std::size_t first_column = 0) const {
        task.table = table_.data();
        if (has_table) {
            task.letters = numbers_.data() + kMargin + first_column - task.top_lane;
        } else {
            task.word_letters = word_numbers_.data() + kMargin + first_column - task.top_lane;
        }
    }

   private:
    /// Padding before and behind the target's numbers, which kernels read. Its letters are
    /// arbitrary.
    static constexpr std::size_t kMargin = 2 * kMostPairLanes + kWordsAhead;

    /// Returns the bytes from a letter's words to those of the next one.
    static std::size_t letter_bytes(const PairSweepTable& kernels) { return kMostLaneRows * kernels.lanes; }

    std::array<bool, kResidueTableSize> in_query_;
    std::vector<ResidueCode> target_letters_;
    alignas(64) std::array<std::uint8_t, 64> table_{};
    /// The scores of each target letter, by query residue code.
    std::vector<std::array<std::uint8_t, kResidueTableSize>> letter_scores_;
    std::vector<std::uint8_t> numbers_;        // the target as columns of the table
    std::vector<std::uint16_t> word_numbers_;  // or as places of words; only one of both is filled
};

}  // namespace warpseq
