// Smith-Waterman local alignment scores of queries against tiles, with affine gaps. This header is
// the contract of every back end.
//
// The recurrence is Gotoh's (1982). A gap of k residues costs open + k * extend. For query residues
// i = 1..m and target residues j = 1..n,
//
//     E(i,j) = max( E(i,j-1) - extend,  H(i,j-1) - open - extend )
//     F(i,j) = max( F(i-1,j) - extend,  H(i-1,j) - open - extend )
//     H(i,j) = max( 0,  H(i-1,j-1) + score(query i, target j),  E(i,j),  F(i,j) )
//     H(0,j) = H(i,0) = 0,  E(i,0) = F(0,j) = minus infinity
//
// E is for a gap in the query (a run of target residues), F for a gap in the target (a run of query
// residues). The score is the maximum over all H(i,j), and 0 for empty sequences.
//
// Scores are exact integers in raw units, 32 bits wide. A back end may compute in 8 or 16 bits
// first. A saturated score is never returned; it is recomputed wider. All back ends return the same
// integers for every input (tests/conformance).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

/// The numbers of cells that a scorer computed in each width. --stats shows them, and tests check
/// by them that saturation was handled. Cells are query residues times target residues. Padding is
/// counted in padding_cells alone.
struct SmithWatermanCounts {
    std::uint64_t cells = 0;          // every (query, target) pair once
    std::uint64_t cells_16_bit = 0;   // computed again (or first) in 16 bits
    std::uint64_t cells_32_bit = 0;   // computed again (or first) in 32 bits
    std::uint64_t padding_cells = 0;  // lanes and rows of a tile beyond its residues
    SmithWatermanCounts& operator+=(const SmithWatermanCounts& other);
};

/// Scores a fixed batch of queries against tiles. Immutable once made, so threads share one scorer.
/// Each thread brings its own Workspace.
class SmithWatermanScorer {
   public:
    /// The scratch memory of one thread. It grows as needed, is reused from call to call, and
    /// serves every scorer of the same back end.
    class Workspace {
       public:
        virtual ~Workspace() = default;
        SmithWatermanCounts counts;  // accumulated by score(); the caller may reset it
        std::stop_token
            stop;  // once requested, score() returns soon, with meaningless scores (the reference's does not)
    };

    virtual ~SmithWatermanScorer() = default;

    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    /// Scores every query against every lane of `tiles`, consecutive tiles of one database.
    /// scores_raw[q * lanes + l] is query q against lane l. `lanes` is the sum of tile.lanes(), and
    /// lanes are numbered through the tiles in order. scores_raw.size() has to be queries * lanes.
    /// Thread-safe for distinct workspaces.
    virtual void score(std::span<const TileView> tiles, Workspace& workspace,
                       std::span<std::int32_t> scores_raw) const = 0;

    virtual std::size_t query_count() const = 0;
    virtual CpuBackend backend() const = 0;
    /// Returns the least number of tiles that a score() call should have to be efficient. It is
    /// above 1 if a vector spans several tiles.
    virtual std::size_t preferred_tiles() const = 0;
};

/// Returns a scorer for `queries` (residue codes, copied). An empty query scores 0 everywhere.
/// Fails when a score could leave 31 bits: query residues times the highest matrix score have to
/// stay below 2^31.
Result<std::unique_ptr<SmithWatermanScorer>> make_smith_waterman_scorer(
    CpuBackend backend, std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme);

}  // namespace warpseq
