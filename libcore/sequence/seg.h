// SEG: finds stretches of low complexity in a protein (Wootton and Federhen 1993, Computers Chem
// 17:149), as BLAST masks them.
//
// The complexity of a window is the entropy, in bits, of the amino acids in it. Other letters are
// not counted. A stretch begins at a window at or below `low_bits`, and extends over neighbouring
// windows at or below `high_bits`. It is cut to the part whose composition is least probable. If
// the cut leaves residues to the left of the window that began the stretch, they are searched
// again.
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

/// Returns the stretches in ascending order. They do not overlap.
std::vector<SegStretch> seg_stretches(std::span<const ResidueCode> residues, const SegParameters& parameters);

}  // namespace warpseq
