// Smith-Waterman in plain scalar code. It follows the recurrence of
// kernels/smith_waterman/smith_waterman.h exactly and is never optimised. Tests compare every other
// back end with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Returns the score of one pair, in raw units.
std::int64_t reference_smith_waterman_raw(std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                                          const ScoringScheme& scheme);

/// Returns a scorer that computes these scores and follows the contract of all back ends.
std::unique_ptr<SmithWatermanScorer> make_reference_smith_waterman_scorer(
    std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme);

}  // namespace warpseq
