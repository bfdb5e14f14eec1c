// Pairwise identities of aligned rows, prepared so that a pair is one pass that compilers turn into
// vector code.
#pragma once

#include <cstddef>
#include <vector>

#include "libcore/profile/aligned_rows.h"

namespace warpseq {

class PairwiseIdentity {
   public:
    explicit PairwiseIdentity(const AlignedRows& rows);
    /// Fraction of the amino acids of the shorter row that stand across the same one; 0 where a row
    /// has none.
    double operator()(std::size_t a, std::size_t b) const;

   private:
    std::size_t columns_;
    std::vector<ResidueCode> codes_;        // what is no amino acid is kGapCode
    std::vector<std::size_t> amino_acids_;  // of each row
};

}  // namespace warpseq
