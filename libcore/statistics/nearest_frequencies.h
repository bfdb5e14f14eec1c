// Finds the frequencies of pairs of letters that are nearest to given ones and have given row and
// column sums and a given relative entropy: the target frequencies of compositional matrix
// adjustment (Yu and Altschul 2005, Bioinformatics 21:902; Altschul and others 2005, FEBS J
// 272:5101).
//
// Frequencies x are nearest to q if they minimise sum x log(x / q). Their relative entropy is sum
// x log(x / (row sum * column sum)), in nats.
#pragma once

#include <array>
#include <optional>

#include "libcore/scoring/joint_frequencies.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The share of each amino acid in a sequence.
using LetterShares = std::array<double, kAminoAcids>;

/// The instruction sets for which the solver is compiled. The frequencies that it finds have the
/// same bits with each.
enum class SolverBackend { kBaseline, kAvx2 };
/// Returns the fastest one that this processor and this build can run.
SolverBackend best_solver_backend();

/// Returns the frequencies nearest to `q` whose rows sum to `rows`, whose columns sum to `columns`,
/// and whose relative entropy is `entropy_nats`, to within 1e-8. All frequencies and sums have to
/// be above 0. Returns nothing if Newton's method does not find them. The processor has to be able
/// to run the back end. Thread-safe.
std::optional<JointFrequencies> nearest_frequencies(const JointFrequencies& q, const LetterShares& rows,
                                                    const LetterShares& columns, double entropy_nats,
                                                    SolverBackend backend = best_solver_backend());

}  // namespace warpseq
