// A test of whether two stretches are nearly the same. If so, the target is left unmasked when
// scores are adjusted to its composition, as in NCBI BLAST.
#pragma once

#include <span>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Whether a greedy comparison matches more than 96 % of the shorter one's residues. It goes from
/// the left as long as mismatches and gaps are short, then from the right, then in the middle from
/// common words of eight. It counts as NCBI BLAST 2.12 does, which does not always find all
/// matches.
bool is_near_identical(std::span<const ResidueCode> query, std::span<const ResidueCode> target);

}  // namespace warpseq
