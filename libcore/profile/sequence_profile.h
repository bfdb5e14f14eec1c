// The profile HMM of a single sequence, as phmmer of HMMER 3 builds it. A match state emits each
// amino acid with the probability that it replaces the query's residue, which is computed from a
// substitution matrix. Inserts emit background residues. Gaps open and extend with the same
// probabilities everywhere.
#pragma once

#include <array>
#include <span>
#include <string>

#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// P(b | a) of the amino acids b, one row for each residue code a. A code that stands for several
/// amino acids has their mean, weighted by their background. Rows of codes that stand for none are
/// 0.
using ReplacementProbabilities = std::array<ProfileHmm::Residues, kResidueTableSize>;

/// Computes P(b | a) from the scores s of the 20 amino acids and the background frequencies f
/// (libcore/statistics/null_model.h):
///
///     P(a, b) = f(a) f(b) e^(lambda s(a, b)),  lambda > 0 such that all P(a, b) add up to 1
///     P(b | a) = P(a, b) / sum_b P(a, b)
///
/// There is such a lambda if the mean score is negative and a score is positive. For other matrices
/// this returns an error that says so.
Result<ReplacementProbabilities> replacement_probabilities(const SubstitutionMatrix& matrix);

struct GapProbabilities {
    double open = 0.02;   // probability of an insert, and of a delete, behind any residue; below 0.5
    double extend = 0.4;  // below 1
};

/// Returns the profile of a sequence of at least one residue. It has no statistics yet
/// (engines/hmm/calibration.h). Its consensus is the query. A letter is in upper case if its
/// residue is kept with a probability of at least 0.5. Letters that are no amino acid are in lower
/// case, with few exceptions. HMMER looks their probability up in the row of the next residue, and
/// so does this function.
ProfileHmm profile_of_sequence(std::span<const ResidueCode> residues, std::string name, std::string description,
                               const ReplacementProbabilities& replacements, GapProbabilities gaps = {});

}  // namespace warpseq
