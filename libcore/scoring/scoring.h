// The scoring of alignments: a substitution matrix and affine gap costs, in raw score units.
//
// A gap of k residues costs gap_open + k * gap_extend, as in BLAST. Both are given as costs >= 0.
// The folded cost of a gap's first residue is called gap_first = gap_open + gap_extend.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Scores of all pairs of residue codes. Rows are query codes and columns target codes. Every
/// built-in matrix is symmetric. Scores are within [kLowestMatrixScore, 127]. The row and column of
/// kPaddingCode and of unassigned codes hold kPaddingScore. It is negative, so a local alignment
/// never gains by running into padding.
class SubstitutionMatrix {
   public:
    static constexpr int kPaddingScore = -128;
    static constexpr int kLowestMatrixScore = -127;

    using Row = std::array<std::int8_t, kResidueTableSize>;
    using Table = std::array<Row, kResidueTableSize>;

    SubstitutionMatrix(std::string name, const Table& table);

    const std::string& name() const { return name_; }
    int score_raw(ResidueCode query, ResidueCode target) const { return table_[query][target]; }
    const Row& row(ResidueCode query) const { return table_[query]; }
    const Table& table() const { return table_; }
    int highest_raw() const { return highest_raw_; }  // over residue codes 0..26
    int lowest_raw() const { return lowest_raw_; }

   private:
    std::string name_;
    Table table_;
    int highest_raw_;
    int lowest_raw_;
};

/// Scores of pairs on any scale. Rows are query codes and columns target codes.
using ScoreTable = std::array<std::array<std::int32_t, kResidueTableSize>, kResidueTableSize>;

/// The affine gap costs, in raw score units and at least 0. The defaults are BLAST's for BLOSUM62.
struct GapCosts {
    int open = 11;
    int extend = 1;
    int first() const { return open + extend; }
};

/// The highest gap cost that any command line accepts. With higher costs, no alignment that fits a
/// machine would have a gap.
inline constexpr int kHighestGapCost = 1'000'000;

struct ScoringScheme {
    SubstitutionMatrix matrix;
    GapCosts gaps;
};

/// The scores and gap costs with which alignments are computed. They are those of a scheme, or
/// scores on a finer scale with gap costs on the same scale.
struct PairScores {
    ScoreTable pairs;
    GapCosts gaps;
};
/// Returns the scores and costs of a scheme, in its raw score units.
PairScores pair_scores(const ScoringScheme& scheme);

}  // namespace warpseq
