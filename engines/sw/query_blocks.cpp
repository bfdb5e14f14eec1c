#include "engines/sw/query_blocks.h"

#include <utility>

namespace warpseq {
namespace {

/// Residues of a block, about.
constexpr std::uint64_t kBlockResidues = 4096;

}  // namespace

Result<std::vector<QueryBlock>> make_query_blocks(std::span<const std::span<const ResidueCode>> queries,
                                                  const ScoringScheme& scheme, CpuBackend backend) {
    std::vector<QueryBlock> blocks;
    for (std::size_t first = 0, end; first < queries.size(); first = end) {
        std::uint64_t residues = queries[first].size();
        for (end = first + 1; end < queries.size() && residues + queries[end].size() <= kBlockResidues; ++end)
            residues += queries[end].size();
        auto scorer = make_smith_waterman_scorer(backend, queries.subspan(first, end - first), scheme);
        if (!scorer.ok()) return scorer.status();
        blocks.push_back({first, residues, *std::move(scorer)});
    }
    return blocks;
}

}  // namespace warpseq
