// Scores for the composition of a pair of sequences: composition-based statistics.
//
// Two ways, both of which make integer scores of kAdjustedScale to one raw unit of the matrix, so
// that rounding does not matter:
//  - scaled: the matrix's log-odds scores times what makes lambda for the pair's compositions the
//    matrix's own, but by no factor below 0.5 or above 1 (Schaeffer and others 2001, Nucleic Acids
//    Res 29:2994);
//  - optimised: the target frequencies nearest to the matrix's own (in relative entropy) whose row
//    and column sums are the sequences' compositions, with pseudocounts, and whose relative entropy
//    is that of BLOSUM62, 0.44 nats (Yu, Wootton and Altschul 2003, PNAS 100:15688; Yu and Altschul
//    2005, Bioinformatics 21:902; Altschul and others 2005, FEBS J 272:5101). A convex problem,
//    solved by Newton's method; where that fails, the scaled scores.
// Details (what decides, limits, how B, J, Z, X and stops score) are NCBI BLAST 2.12's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "libcore/scoring/frequency_ratios.h"
#include "libcore/scoring/joint_frequencies.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

inline constexpr int kAdjustedScale = 32;

/// How often each amino acid is in a sequence: U counts as C, other letters do not count.
struct Composition {
    std::array<double, kAminoAcids> frequency{};  // sum to 1 unless residues is 0
    std::uint64_t residues = 0;                   // counted
};
Composition composition_of(std::span<const ResidueCode> sequence);

/// As blastp's -comp_based_stats.
enum class CompositionMode { kNone = 0, kScaled = 1, kConditional = 2, kOptimized = 3 };

class CompositionAdjuster {
   public:
    /// Nothing for a matrix without frequencies (joint_frequencies()) and for custom ones. The mode
    /// is not kNone.
    static std::optional<CompositionAdjuster> create(const SubstitutionMatrix& matrix, CompositionMode mode);

    CompositionMode mode() const { return mode_; }

    enum class Rule { kScaled, kOptimized };

    /// Fills scores[query residue][target residue], in 1 / kAdjustedScale raw units; with codes
    /// that stand for no letter they are very low. Sequences have `..._residues` letters of any
    /// kind. Nothing, and no scores, where a composition has no amino acid.
    std::optional<Rule> adjust(const Composition& query, std::uint64_t query_residues, const Composition& target,
                               std::uint64_t target_residues, ScoreTable& scores) const;

   private:
    CompositionAdjuster(const FrequencyRatios& ratios, const JointFrequencies& joint, double lambda,
                        CompositionMode mode);
    bool wants_optimized(const Composition& query, std::uint64_t query_residues, const Composition& target,
                         std::uint64_t target_residues) const;
    bool optimize(const Composition& query, const Composition& target, ScoreTable& scores) const;
    void scale(const Composition& query, const Composition& target, ScoreTable& scores) const;

    const FrequencyRatios* ratios_;
    JointFrequencies joint_;
    std::array<double, kAminoAcids> background_;
    double lambda_;  // of the matrix against the background, per unit of the adjusted scores
    CompositionMode mode_;
    ScoreTable start_;  // the matrix in those units
};

}  // namespace warpseq
