// Substitution matrices of nucleotides.
#pragma once

#include <array>
#include <string>

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/nucleotide.h"

namespace warpseq {

/// Fills in the rows and columns of codes that stand for several bases, from the scores of the
/// bases. The score of two codes is the mean over all pairs of a base of one and a base of the
/// other. It is rounded to the nearest whole number, halves down (-0.5 becomes -1). Only pairs with
/// a code that is marked in `missing` are written.
void fill_ambiguous_nucleotides(SubstitutionMatrix::Table& table, const std::array<bool, kNucleotideCodes>& missing);

/// Returns a matrix with the scores of `table` for the 15 nucleotide codes. All pairs with another
/// code get the lowest of these scores.
SubstitutionMatrix nucleotide_matrix(std::string name, SubstitutionMatrix::Table table);

/// Returns the matrix in which equal bases score `match_raw` and other bases `mismatch_raw`.
/// Letters for several bases score as in fill_ambiguous_nucleotides(). Both arguments are within
/// [-127, 127]. The matrix is called "match/mismatch", such as "2/-3".
SubstitutionMatrix match_mismatch_matrix(int match_raw, int mismatch_raw);

}  // namespace warpseq
