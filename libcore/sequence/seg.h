// SEG: stretches of a protein that are of low complexity (Wootton and Federhen 1993, Computers Chem
// 17:149), as BLAST masks them.
//
// The complexity of a window is the entropy, in bits, of the amino acids in it; other letters are
// not counted. A stretch begins where a window is at or below `low_bits`, reaches as far as windows
// at or below `high_bits` follow each other, and is cut to the part whose composition is least
// probable. What a cut leaves to the left of the window that began it is looked at again by itself.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct SegParameters {
    int window_residues = 12;
    double low_bits = 2.2, high_bits = 2.5;
};

struct SegStretch {
    std::size_t begin, end;  // end is exclusive
    bool operator==(const SegStretch&) const = default;
};

/// Ascending; stretches do not overlap.
std::vector<SegStretch> seg_stretches(std::span<const ResidueCode> residues, const SegParameters& parameters);

}  // namespace warpseq
