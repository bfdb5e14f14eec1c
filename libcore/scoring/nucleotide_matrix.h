// Substitution matrices of nucleotides.
#pragma once

#include <array>
#include <string>

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/nucleotide.h"

namespace warpseq {

/// Fills in the codes that stand for several bases, rows and columns, from the scores of the bases
/// among themselves: two codes score the mean over all pairs of a base of one and a base of the
/// other, rounded to the nearest whole number, halves down (-0.5 becomes -1). Only codes marked in
/// `missing` are written; a pair is if one of its codes is.
void fill_ambiguous_nucleotides(SubstitutionMatrix::Table& table, const std::array<bool, kNucleotideCodes>& missing);

/// `table` with its 15 codes; what else a SubstitutionMatrix holds scores as low as the lowest of
/// them.
SubstitutionMatrix nucleotide_matrix(std::string name, SubstitutionMatrix::Table table);

/// Equal bases score `match_raw`, others `mismatch_raw`, letters for several bases as
/// fill_ambiguous_nucleotides() says. Both within [-127, 127]. Called "match/mismatch", "2/-3".
SubstitutionMatrix match_mismatch_matrix(int match_raw, int mismatch_raw);

}  // namespace warpseq
