// Whether two stretches are nearly the same: the target is then left unmasked when scores are
// adjusted to its composition, as in NCBI BLAST.
#pragma once

#include <span>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// More than 96 % of the shorter one's residues are matched by a greedy comparison: from the left
/// as long as mismatches and gaps are short, then from the right, then in the middle from common
/// words of eight. As NCBI BLAST 2.12 counts, which does not always find all.
bool is_near_identical(std::span<const ResidueCode> query, std::span<const ResidueCode> target);

}  // namespace warpseq
