// A test of whether two aligned stretches are nearly identical. If so, the target is not masked
// when scores are adjusted to its composition, as in NCBI BLAST.
#pragma once

#include <span>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Whether a greedy comparison matches more than 96 % of the shorter stretch's residues. The
/// comparison goes from the left as long as mismatches and gaps are short, then from the right, and
/// then in the middle from common words of eight residues. It is that of NCBI BLAST 2.12, which
/// does not always find all matches.
bool is_near_identical(std::span<const ResidueCode> query, std::span<const ResidueCode> target);

}  // namespace warpseq
