// Adjusts scores to the composition of a pair of sequences: composition-based statistics.
//
// There are two methods. Both make integer scores with kAdjustedScale units per raw unit of the
// matrix, so that rounding does not matter.
//
// - Scaled scores are the matrix's log-odds scores times a factor that gives the pair's
//   compositions the matrix's own lambda. The factor is at least 0.5 and at most 1 (Schaeffer and
//   others 2001, Nucleic Acids Res 29:2994).
// - Optimised scores come from the target frequencies nearest to the matrix's own in relative
//   entropy. Their row and column sums are the sequences' compositions, with pseudocounts. Their
//   relative entropy is that of BLOSUM62, 0.44 nats (Yu, Wootton and Altschul 2003, PNAS 100:15688;
//   Yu and Altschul 2005, Bioinformatics 21:902; Altschul and others 2005, FEBS J 272:5101). This
//   is a convex problem that Newton's method solves. If it fails, the scaled scores are used.
//
// Details are NCBI BLAST 2.12's: the choice of the method, limits, and the scores of B, J, Z, X and
// stops.
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

/// The share of each amino acid in a sequence. U counts as C, and other letters do not count.
struct Composition {
    std::array<double, kAminoAcids> frequency{};  // sum to 1 unless residues is 0
    std::uint64_t residues = 0;                   // number of letters counted
};
/// Returns the composition of a sequence of protein residue codes.
Composition composition_of(std::span<const ResidueCode> sequence);

/// The values of blastp's -comp_based_stats.
enum class CompositionMode { kNone = 0, kScaled = 1, kConditional = 2, kOptimized = 3 };

/// Adjusts the scores of one matrix by one of the modes. Immutable and thread-safe.
class CompositionAdjuster {
   public:
    /// Returns an adjuster, or nothing for a matrix without frequencies (joint_frequencies()) and
    /// for custom matrices. The mode must not be kNone.
    static std::optional<CompositionAdjuster> create(const SubstitutionMatrix& matrix, CompositionMode mode);

    CompositionMode mode() const { return mode_; }

    enum class Rule { kScaled, kOptimized };

    /// Fills scores[query residue][target residue] in 1 / kAdjustedScale raw units. Scores with
    /// codes that stand for no letter are very low. `query_residues` and `target_residues` are the
    /// lengths of the whole sequences, with letters of any kind. Returns the rule by which the
    /// scores were made. Returns nothing, and fills no scores, if a composition has no amino acid.
    std::optional<Rule> adjust(const Composition& query, std::uint64_t query_residues, const Composition& target,
                               std::uint64_t target_residues, ScoreTable& scores) const;

   private:
    CompositionAdjuster(const FrequencyRatios& ratios, const JointFrequencies& joint, double lambda,
                        CompositionMode mode);
    bool wants_optimized(const Composition& query, std::uint64_t query_residues, const Composition& target,
                         std::uint64_t target_residues) const;
    bool optimize(const Composition& query, const Composition& target, ScoreTable& scores) const;
    void scale(const Composition& query, const Composition& target, ScoreTable& scores) const;

    FrequencyRatios log_ratios_;  // logarithms of the matrix's frequency ratios
    JointFrequencies joint_;
    std::array<double, kAminoAcids> background_;
    double lambda_;  // lambda of the matrix against the background, per adjusted unit
    CompositionMode mode_;
    ScoreTable start_;  // the matrix in adjusted units
};

}  // namespace warpseq
