// Finds one optimal local alignment of two sequences, with its path. Every printed alignment comes
// from this one host code path.
//
// The score is that of kernels/smith_waterman/smith_waterman.h. Among equal alignments the choice
// is fixed.
//  - The end is the cell of the highest H with the smallest target position, then the smallest
//    query position.
//  - Tracing back from it, the alignment begins at a cell of H that equals 0. At any other cell the
//    path takes the diagonal if the diagonal gives H. If it does not, the path takes the gap in the
//    target (F, query residues against a gap) if F gives H, and else the gap in the query (E).
//  - Inside a gap, the path prefers to leave the gap over staying in it. Seen forward, this is the
//    cell at which the gap opens.
//
// Memory is O(query * log target) plus a bounded direction matrix. Sequences whose matrix exceeds
// the bound are traced back through checkpointed columns, with the same path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include "kernels/backend.h"
#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The memory and the extent of an alignment's traceback.
struct LocalAlignmentLimits {
    std::size_t direction_bytes = std::size_t{64} << 20;  // bound of the direction matrix, the checkpoints not counted
    std::stop_token stop = {};  // once requested, align_local() returns soon, and its result means nothing
    /// Returns whether the path of an alignment with this score is wanted. If it is empty, every
    /// path is wanted. align_local() calls it once at most, and not for a score of 0. An alignment
    /// whose path is not wanted has its score alone, and takes less time.
    std::function<bool(std::int64_t score_raw)> wants_path = {};
};

/// Aligns two sequences by the vectors of a back end and returns the path, which is the same with
/// every back end. `backend` has to be one that this processor can run (is_runnable()). kReference
/// takes the vectors of kPortable, because paths have no back end of their own for it. The result
/// has score_raw 0 and no runs if no pair of residues scores above 0. The caller makes sure that
/// the score stays below 2^31. Thread-safe.
Alignment align_local(CpuBackend backend, std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                      const PairScores& scores, const LocalAlignmentLimits& limits = {});

/// Returns the raw score that the path of `alignment` adds up to. It uses the residues and the
/// scheme alone. Tests compare the score of a printed alignment with it.
std::int64_t rescore(const Alignment& alignment, std::span<const ResidueCode> query,
                     std::span<const ResidueCode> target, const ScoringScheme& scheme);

}  // namespace warpseq
