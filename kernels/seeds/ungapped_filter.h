// Highest ungapped alignment scores of queries against tiles, up to a ceiling. The contract of
// every back end.
//
// For a query q and a target x the score is the greatest sum of score(q(i + k), x(j + k)), k = 0 ..
// length - 1, over all i, j and lengths: Smith-Waterman without gaps, 0 where no pair scores above
// 0, and at most kUngappedCeiling, which stands for "at least so much". A bound: no alignment that
// BLAST's ungapped stage finds scores higher, so pairs below its cutoff need no search.
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

/// Scores a fixed batch of queries against tiles. Immutable after creation: threads share one; each
/// brings its Workspace.
class UngappedFilter {
   public:
    /// Scratch memory of one thread. It serves every filter of the same back end.
    class Workspace {
       public:
        virtual ~Workspace() = default;
        // Requested, score() returns soon (the reference's does not), with scores that mean
        // nothing.
        std::stop_token stop;
    };
    virtual ~UngappedFilter() = default;
    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    /// Scores every query against every lane of `tiles`, consecutive tiles of one database:
    /// scores_raw[q * lanes + l], lanes numbered through the tiles in order. Thread-safe for
    /// distinct workspaces.
    virtual void score(std::span<const TileView> tiles, Workspace& workspace,
                       std::span<std::uint8_t> scores_raw) const = 0;

    virtual std::size_t query_count() const = 0;
    /// Tiles per score() call from which a call is efficient (a vector may span several tiles).
    virtual std::size_t preferred_tiles() const = 0;
};

/// `queries` are copied. The back end has to be runnable.
std::unique_ptr<UngappedFilter> make_ungapped_filter(CpuBackend backend,
                                                     std::span<const std::span<const ResidueCode>> queries,
                                                     const SubstitutionMatrix& matrix);

}  // namespace warpseq
