// Tells whether two sequences align better than by chance. The score of the target is compared with
// the scores of shuffled copies of it, which have its letters in random order.
//
// Scores are those of the best local alignment, whatever kind of alignment is reported, because the
// pieces of related sequences may be rearranged. If the sequences are unrelated, the target scores
// more than all of N copies with a probability of at most 1 / (N + 1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engines/pair/pair_mode.h"
#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The scores of shuffled copies of a target, compared with that of the target itself.
struct ShuffledScores {
    std::uint64_t copies = 0;
    std::uint64_t as_high = 0;  // copies that score as much as the target or more
};

/// Aligns shuffled copies of `target` with `query`. If both strands are aligned, the better one
/// counts. There are 99 copies, or fewer if those would have more than 400 million cells in all.
/// Copies that equal the target are left out. Returns nothing if fewer than 19 copies are left or a
/// sequence has fewer than 20 residues. The result does not depend on the back end and the pool.
/// Loops run in `pool`, also if the session has GPUs.
Result<std::optional<ShuffledScores>> score_shuffled_copies(std::span<const ResidueCode> query,
                                                            std::span<const ResidueCode> target, PairStrand strand,
                                                            const ScoringScheme& scheme, CpuBackend backend,
                                                            const ThreadPool& pool);

}  // namespace warpseq
