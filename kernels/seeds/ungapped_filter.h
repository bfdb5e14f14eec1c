// Highest ungapped alignment scores of queries against tiles, up to a ceiling. This header is the
// contract of every back end.
//
// For a query q and a target x the score is the greatest sum of score(q(i + k), x(j + k)), k = 0 ..
// length - 1, over all i, j and lengths. This is Smith-Waterman without gaps. The score is 0 if no
// pair scores above 0. Scores above kUngappedCeiling are reported as kUngappedCeiling. The score is
// an upper bound for every alignment that BLAST's ungapped stage finds. So pairs whose score is
// below that stage's cutoff need no search.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

#include "kernels/backend.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

inline constexpr std::uint8_t kUngappedCeiling = 127;

/// Scores a fixed batch of queries against tiles. Immutable after creation, so threads share one
/// filter. Each thread brings its own Workspace.
class UngappedFilter {
   public:
    /// The scratch memory of one thread. It serves every filter of the same back end.
    class Workspace {
       public:
        virtual ~Workspace() = default;
        // A stop token. Once a stop is requested, score() returns soon with meaningless scores. The
        // reference does not check it.
        std::stop_token stop;
    };
    virtual ~UngappedFilter() = default;
    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    /// Scores every query against every lane of `tiles`, consecutive tiles of one database.
    /// scores_raw[q * lanes + l] becomes the score of query q against lane l, in raw units. `lanes`
    /// is the number of lanes of all tiles, and lanes are numbered through the tiles in order.
    /// Thread-safe for distinct workspaces.
    virtual void score(std::span<const TileView> tiles, Workspace& workspace,
                       std::span<std::uint8_t> scores_raw) const = 0;

    virtual std::size_t query_count() const = 0;
    /// Returns the least number of tiles that a score() call should have to be efficient. It is
    /// above 1 if a vector spans several tiles.
    virtual std::size_t preferred_tiles() const = 0;
};

/// Returns the filter of a back end, which has to be runnable. `queries` are copied.
std::unique_ptr<UngappedFilter> make_ungapped_filter(CpuBackend backend,
                                                     std::span<const std::span<const ResidueCode>> queries,
                                                     const SubstitutionMatrix& matrix);

}  // namespace warpseq
