// The null models of profile searches: background residues with a geometric length (null1), and the
// two-state model of biased composition that filters use. Logarithms are natural. 32-bit floats are
// used where HMMER 3 uses them, in its order of operations.
#pragma once

#include <array>
#include <cstdint>
#include <numbers>
#include <span>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Residue frequencies of Swiss-Prot 50.8 (October 2006, 86 million residues), in the order of
/// residue codes.
inline constexpr std::array<float, kAminoAcids> kBackgroundFrequencies = {
    0.0787945f, 0.0151600f, 0.0535222f, 0.0668298f, 0.0397062f, 0.0695071f, 0.0229198f,
    0.0590092f, 0.0594422f, 0.0963728f, 0.0237718f, 0.0414386f, 0.0482904f, 0.0395639f,
    0.0540978f, 0.0683364f, 0.0540687f, 0.0673417f, 0.0114135f, 0.0304133f};

/// The amino acids that each residue code may stand for. Amino acid a is bit a. B is D and N, U is
/// C, O is K, and X is all. *, padding and unassigned codes have none.
extern const std::array<std::uint32_t, kResidueTableSize> kAminoAcidsOfCode;

/// Prior probability, omega, that a residue outside the model follows the biased composition null2.
inline constexpr float kNull2Prior = 1.0f / 256;

/// Converts nats to bits. The division is in double and the result is rounded to float, as for
/// scores in HMMER 3.
inline float bits_of(float nats) { return static_cast<float>(nats / std::numbers::ln2); }

/// Returns the score of the null model null1 in nats for a sequence of L >= 1 residues. It is the
/// log probability of the length, L log(L / (L + 1)) + log(1 / (L + 1)). Emissions are left out,
/// because they cancel.
float null1_score_nats(std::uint64_t residues);

/// The filter for biased composition, an HMM with two states. State 0 emits background residues and
/// has mean length L. State 1 emits the model's composition and has mean length M / 8. A sequence
/// begins in state 0 with probability 0.999. Immutable, so threads may share it.
class BiasFilter {
   public:
    /// Makes the filter of a model with M = model_length nodes and a mean residue composition.
    BiasFilter(int model_length, const std::array<float, kAminoAcids>& composition);

    /// Returns the log of the Forward probability over background in nats, with null1's length
    /// distribution. A search uses it in place of null1_score_nats().
    float score_nats(std::span<const ResidueCode> residues) const;

    // Values from which other devices compute the same score: state 1's emission over background
    // per residue code (state 0's is 1), and the probabilities of its transitions to itself and to
    // state 0.
    const std::array<float, kResidueTableSize>& composition_odds() const { return composition_odds_; }
    float stay_composed() const { return stay_composed_; }
    float leave_composed() const { return leave_composed_; }

   private:
    std::array<float, kResidueTableSize> composition_odds_;
    float stay_composed_, leave_composed_;
};

/// Returns log(e^a + e^b) as HMMER 3 computes it for printed biases, from a table in steps of 0.001
/// nat. Either may be minus infinity.
float table_logsum_nats(float a, float b);

}  // namespace warpseq
