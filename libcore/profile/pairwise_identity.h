// Pairwise identities of aligned rows. The rows are prepared so that a pair takes one pass, which
// compilers turn into vector code.
#pragma once

#include <cstddef>
#include <vector>

#include "libcore/profile/aligned_rows.h"

namespace warpseq {

class PairwiseIdentity {
   public:
    explicit PairwiseIdentity(const AlignedRows& rows);
    /// Returns the identity of rows a and b, a number from 0 to 1. It is the number of columns in
    /// which both rows have the same amino acid, divided by the number of amino acids of the row
    /// that has fewer of them. It is 0 if a row has no amino acid.
    double operator()(std::size_t a, std::size_t b) const;

   private:
    std::size_t columns_;
    std::vector<ResidueCode> codes_;        // kGapCode for everything that is no amino acid
    std::vector<std::size_t> amino_acids_;  // of each row
};

}  // namespace warpseq
