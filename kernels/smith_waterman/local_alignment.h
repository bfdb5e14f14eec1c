// One optimal local alignment of two sequences, with its path. The one host code path that every
// printed alignment comes from.
//
// The score is that of kernels/smith_waterman/smith_waterman.h. Among equal alignments the choice
// is fixed:
//  - the end is the cell of the highest H with the smallest target position, then the smallest
//    query position;
//  - tracing back from it, at a cell of H that equals 0 the alignment begins; otherwise the
//    diagonal is taken where it gives H, else the gap in the target (F, query residues against a
//    gap), else the gap in the query (E);
//  - inside a gap, closing it (opening seen forward) is preferred over extending it further.
//
// Memory is O(query + target) plus a bounded direction matrix: sequences whose matrix exceeds the
// bound are traced back through checkpointed rows, with the same path.
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>

#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct LocalAlignmentLimits {
    std::size_t direction_bytes = std::size_t{64} << 20;  // bound of the direction matrix, the checkpoints not counted
    std::stop_token stop = {};  // once it is requested align_local() returns soon, and what it returns means nothing
};

/// Aligns; score_raw 0 and no runs if no pair of residues scores above 0. The score has to stay
/// below 2^31. Thread-safe.
Alignment align_local(std::span<const ResidueCode> query, std::span<const ResidueCode> target, const PairScores& scores,
                      const LocalAlignmentLimits& limits = {});

/// The score that the path of `alignment` adds up to, from the scheme alone: what a test holds a
/// printed alignment against.
std::int64_t rescore(const Alignment& alignment, std::span<const ResidueCode> query,
                     std::span<const ResidueCode> target, const ScoringScheme& scheme);

}  // namespace warpseq
