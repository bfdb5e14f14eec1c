// Where the best local alignment ends, and where it begins, if some pairs of residues may not be
// aligned: Smith-Waterman for the second best alignment of two sequences, and those after it, each
// without the pairs of the ones before. Score and ends alone.
//
// The recurrence is that of kernels/smith_waterman/smith_waterman.h, but that a forbidden pair's
// own cell counts as one where alignments begin: H = max(0, E, F). Gaps may go through it. Of equal
// scores the first cell is taken, query residue by query residue; of beginnings, which are looked
// for from the end backward, the first that comes to the score. NCBI BLAST 2.12's choices, for
// -use_sw_tback.
//
// One back end: few pairs need it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Pairs that may not be aligned: of each query residue, ranges of target residues.
class ForbiddenRanges {
   public:
    explicit ForbiddenRanges(std::uint64_t query_residues) : ranges_(query_residues) {}
    /// Query residues query_begin .. query_end - 1, which exist, with target residues target_begin
    /// .. target_last.
    void add(std::uint64_t query_begin, std::uint64_t query_end, std::uint64_t target_begin,
             std::uint64_t target_last) {
        for (std::uint64_t i = query_begin; i < query_end; ++i) ranges_[i].emplace_back(target_begin, target_last);
    }
    std::span<const std::pair<std::uint64_t, std::uint64_t>> of(std::uint64_t query_residue) const {
        return ranges_[query_residue];
    }

   private:
    std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> ranges_;
};

/// A pair of residues at an alignment's end or begin, and the alignment's score. Positions count
/// from 0.
struct LocalEnd {
    std::int32_t score_raw = 0;
    std::uint64_t query = 0, target = 0;
};

/// The end of the best alignment; score 0 where there is none. Scores stay below 2^31. `forbidden`
/// is of this query. Once `stop` is requested both return soon, and what they return means nothing.
LocalEnd find_local_end(const PairScores& scores, std::span<const ResidueCode> query,
                        std::span<const ResidueCode> target, const ForbiddenRanges& forbidden,
                        const std::stop_token& stop = {});
/// Where an alignment with this end and its score begins.
LocalEnd find_local_begin(const PairScores& scores, std::span<const ResidueCode> query,
                          std::span<const ResidueCode> target, const LocalEnd& end, const ForbiddenRanges& forbidden,
                          const std::stop_token& stop = {});

}  // namespace warpseq
