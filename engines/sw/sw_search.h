// The host's part of the Smith-Waterman engine. It scores every query against every sequence, and
// aligns the hits that are reported.
//
// The loop over chunks of the database is outermost and the batch of queries is inside, so the
// database is read once per batch. A kernel computes scores. One host code path, with a fixed order
// of operations, decides which hits are kept, and computes their E-values, order and alignments. So
// a report does not depend on threads, chunk size or back end.
//
// With composition-based statistics, the scan uses looser limits and its hits are only candidates.
// Each candidate is then aligned by scores that are adjusted to its compositions
// (engines/composition/adjusted_pair.h). The adjusted scores decide on E-values, on the order, and
// on the hits that are reported.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "engines/composition/adjusted_pair.h"
#include "engines/hit_list.h"
#include "engines/query_set.h"
#include "engines/search_control.h"
#include "engines/sw/reported_hit.h"
#include "engines/targets/database_set.h"
#include "engines/targets/share.h"
#include "kernels/smith_waterman/local_alignment.h"
#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/base/observer.h"
#include "libcore/base/progress_counter.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/statistics/composition_adjustment.h"
#include "libcore/statistics/karlin_altschul.h"

namespace warpseq {

struct SwSearchSettings {
    CpuBackend backend = CpuBackend::kPortable;
    std::uint64_t chunk_bytes = std::uint64_t{64} << 20;
    double evalue = 10;            // infinity: every hit with a score above 0
    std::uint64_t max_hits = 500;  // per query; 0: no limit
    SearchSpace space;             // for E-values
    std::optional<CompositionAdjuster> adjuster = std::nullopt;

    /// Returns the E-value limit for scores that are not adjusted yet.
    double preliminary_evalue() const;
    /// Returns how many hits per query are kept until scores are adjusted; 0: no limit.
    std::uint64_t preliminary_hits() const;
};

/// The Smith-Waterman search on the host. Thread-safe.
class SwSearch {
   public:
    /// Makes a search. References have to outlive it. Without statistics, settings.evalue has to be
    /// infinite, and there must be no adjuster.
    SwSearch(const DatabaseSet& databases, const ScoringScheme& scheme,
             const std::optional<AlignmentStatistics>& statistics, const SwSearchSettings& settings,
             const ThreadPool& pool);

    /// Scans a share of the databases. Returns the hits of each query, in the order of a report.
    /// With an adjuster, the preliminary limits apply. `progress` counts cells.
    Result<std::vector<std::vector<Hit>>> find_hits(std::span<const Query> queries, const TargetShare& share,
                                                    Progress& progress, std::stop_token stop = {});

    /// Returns the reported hits of each query, in the order of a report, with the parts that
    /// `needs` names. hits[i] are the hits of queries[i]. With an adjuster, all hits are aligned by
    /// adjusted scores, and those that are no hits by these scores are dropped.
    Result<std::vector<std::vector<ReportedHit>>> finish(std::span<const Query> queries,
                                                         std::span<const std::vector<Hit>> hits, ReportNeeds needs,
                                                         const SearchControl& control) const;

    const SwSearchSettings& settings() const { return settings_; }

    /// Returns the most bytes that a query's list of hits takes. This is an estimate if the number
    /// of hits is not limited.
    std::uint64_t hit_bytes_per_query() const;

    /// Returns the counts of all calls so far.
    SmithWatermanCounts counts() const {
        const std::lock_guard lock(mutex_);
        return counts_;
    }

   private:
    struct Place;
    Result<std::vector<std::vector<ResidueCode>>> fetch_targets(std::span<const Place> places,
                                                                const ThreadPool& pool) const;
    static std::uint64_t cells_of(const Place& place);
    static bool have_same_target(const Place& a, const Place& b);
    Status align(std::span<const Place> places, const ThreadPool& pool, Observer& observer) const;
    Status align_at_once(std::span<const Place> places, const ThreadPool& pool, ProgressCounter& cells_done) const;
    Status align_as_scored(const Place& place, std::span<const ResidueCode> target, const PairScores& scores,
                           const LocalAlignmentLimits& limits) const;
    Status align_adjusted(const Place& place, std::span<const ResidueCode> target,
                          std::span<const SegStretch> low_complexity, const PairScores& scores,
                          const LocalAlignmentLimits& limits, AdjustedPair& pair) const;
    bool is_significant(const Hit& hit) const;
    void keep_significant(std::vector<ReportedHit>& hits) const;

    const DatabaseSet& databases_;
    const ScoringScheme& scheme_;
    const std::optional<AlignmentStatistics>& statistics_;
    SwSearchSettings settings_;
    const ThreadPool& pool_;
    LocalAlignmentLimits limits_;
    mutable std::mutex mutex_;
    SmithWatermanCounts counts_;  // guarded by mutex_
};

}  // namespace warpseq
