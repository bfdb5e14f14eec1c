// Highest ungapped alignment scores of queries against tiles, up to a ceiling. This header is the
// contract of every back end.
//
// For a query q and a target x the score is the greatest sum of score(q(i + k), x(j + k)), k = 0 ..
// length - 1, over all i, j and lengths. This is Smith-Waterman without gaps. The score is 0 where
// no pair scores above 0, and at most kUngappedCeiling, which stands for "at least so much". It is
// a bound: no alignment that BLAST's ungapped stage finds scores higher, so pairs below its cutoff
// need no search.
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
        // Once it is requested, score() returns soon, with scores that mean nothing (the
        // reference's does not return early).
        std::stop_token stop;
    };
    virtual ~UngappedFilter() = default;
    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    /// Scores every query against every lane of `tiles`, consecutive tiles of one database.
    /// scores_raw[q * lanes + l] is query q against lane l, and lanes are numbered through the
    /// tiles in order. Thread-safe for distinct workspaces.
    virtual void score(std::span<const TileView> tiles, Workspace& workspace,
                       std::span<std::uint8_t> scores_raw) const = 0;

    virtual std::size_t query_count() const = 0;
    /// Returns the tiles per score() call from which a call is efficient. A vector may span several
    /// tiles.
    virtual std::size_t preferred_tiles() const = 0;
};

/// Returns the filter of a back end, which has to be runnable. `queries` are copied.
std::unique_ptr<UngappedFilter> make_ungapped_filter(CpuBackend backend,
                                                     std::span<const std::span<const ResidueCode>> queries,
                                                     const SubstitutionMatrix& matrix);

}  // namespace warpseq
