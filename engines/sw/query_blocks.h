// Blocks of queries that are scored together by one scorer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.h"
#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Consecutive queries that share a scorer.
struct QueryBlock {
    std::size_t first_query;
    std::uint64_t residues;
    std::unique_ptr<SmithWatermanScorer> scorer;
};

/// Divides queries into blocks of about 4,096 residues and makes their scorers. That is enough to
/// pay for unpacking a tile. It is small enough that the last work item of a chunk does not keep
/// one thread busy while the others wait. Errors are those of make_smith_waterman_scorer().
Result<std::vector<QueryBlock>> make_query_blocks(std::span<const std::span<const ResidueCode>> queries,
                                                  const ScoringScheme& scheme, CpuBackend backend);

}  // namespace warpseq
