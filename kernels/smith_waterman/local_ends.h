// Finds the score, the end and the begin of the best local alignment if some pairs of residues are
// forbidden. A search for the second best alignment of two sequences forbids the pairs of the
// first, and so on. The functions find no path.
//
// The recurrence is that of kernels/smith_waterman/smith_waterman.h, except that the cell of a
// forbidden pair has no diagonal: H = max(0, E, F). Gaps may go through it. The end is the first
// cell of the highest score, query residue by query residue. The begin is found by the same
// recurrence from the end backward; it is the first cell that reaches the score. These choices are
// those of NCBI BLAST 2.12 with -use_sw_tback.
//
// All of it is one scalar code path, because few pairs need it.
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

/// The forbidden pairs. Each query residue has a list of ranges of target residues.
class ForbiddenRanges {
   public:
    explicit ForbiddenRanges(std::uint64_t query_residues) : ranges_(query_residues) {}
    /// Forbids the query residues query_begin .. query_end - 1 with the target residues
    /// target_begin .. target_last. The query residues have to exist.
    void add(std::uint64_t query_begin, std::uint64_t query_end, std::uint64_t target_begin,
             std::uint64_t target_last) {
        for (std::uint64_t i = query_begin; i < query_end; ++i) ranges_[i].emplace_back(target_begin, target_last);
    }
    /// Returns the ranges of a query residue. Both ends of a range are in it.
    std::span<const std::pair<std::uint64_t, std::uint64_t>> of(std::uint64_t query_residue) const {
        return ranges_[query_residue];
    }

   private:
    std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> ranges_;
};

/// The last or the first pair of residues of an alignment, and the alignment's raw score. Positions
/// count from 0.
struct LocalEnd {
    std::int32_t score_raw = 0;
    std::uint64_t query = 0, target = 0;
};

/// Returns the end of the best alignment. The score is 0 if there is none. The caller makes sure
/// that scores stay below 2^31 and that `forbidden` was made for this query. Once `stop` is
/// requested, both functions return soon with a meaningless result.
LocalEnd find_local_end(const PairScores& scores, std::span<const ResidueCode> query,
                        std::span<const ResidueCode> target, const ForbiddenRanges& forbidden,
                        const std::stop_token& stop = {});
/// Returns the begin of the alignment that has this end and its score.
LocalEnd find_local_begin(const PairScores& scores, std::span<const ResidueCode> query,
                          std::span<const ResidueCode> target, const LocalEnd& end, const ForbiddenRanges& forbidden,
                          const std::stop_token& stop = {});

}  // namespace warpseq
