// Finds where the best local alignment ends, and where it begins, if some pairs of residues may not
// be aligned. This is Smith-Waterman for the second best alignment of two sequences and those after
// it, each without the pairs of the ones before. It finds the score and the ends alone.
//
// The recurrence is that of kernels/smith_waterman/smith_waterman.h, except that a forbidden pair's
// own cell counts as one where alignments begin: H = max(0, E, F). Gaps may go through it. Among
// equal scores the first cell is taken, query residue by query residue. Beginnings are looked for
// from the end backward, and the first that comes to the score is taken. These are NCBI BLAST
// 2.12's choices, for -use_sw_tback.
//
// There is only one back end, because few pairs need it.
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

/// The pairs that may not be aligned. Each query residue has ranges of target residues.
class ForbiddenRanges {
   public:
    explicit ForbiddenRanges(std::uint64_t query_residues) : ranges_(query_residues) {}
    /// Forbids query residues query_begin .. query_end - 1, which exist, with target residues
    /// target_begin .. target_last.
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

/// Returns the end of the best alignment, with score 0 where there is none. Scores stay below 2^31.
/// `forbidden` is of this query. Once `stop` is requested both functions return soon, and what they
/// return means nothing.
LocalEnd find_local_end(const PairScores& scores, std::span<const ResidueCode> query,
                        std::span<const ResidueCode> target, const ForbiddenRanges& forbidden,
                        const std::stop_token& stop = {});
/// Returns where an alignment with this end and its score begins.
LocalEnd find_local_begin(const PairScores& scores, std::span<const ResidueCode> query,
                          std::span<const ResidueCode> target, const LocalEnd& end, const ForbiddenRanges& forbidden,
                          const std::stop_token& stop = {});

}  // namespace warpseq
