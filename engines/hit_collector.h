// From scores to hits: which scores of a batch's queries reach the E-value cut-off, with their
// E-values.
//
// The one place where a score becomes a hit, for every device. One collector per thread; merged at
// the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engines/hit_list.h"
#include "engines/query_set.h"
#include "engines/targets/database_set.h"
#include "libcore/statistics/karlin_altschul.h"

namespace warpseq {

class HitCollector {
   public:
    /// References and spans have to outlive the collector. evalue infinite: every score above 0 is
    /// a hit. max_hits 0: no limit.
    HitCollector(const DatabaseSet& databases, std::span<const Query> queries,
                 const std::optional<AlignmentStatistics>& statistics, const SearchSpace& space, double evalue,
                 std::uint64_t max_hits);

    /// Scores of one query against the sequences first_rank, first_rank + 1, ... of a database.
    /// Those of sequences that are not searched are left out. Thread-safe for distinct queries.
    void add(std::size_t query, std::size_t database, std::uint64_t first_rank,
             std::span<const std::int32_t> scores_raw);

    /// The least score that is a hit for this query and a target of this length.
    std::int32_t lowest_score(std::size_t query, std::uint64_t target_residues);

    HitList& hits(std::size_t query) { return hits_[query]; }

    /// Hits added since they were last moved away; some may not have been kept.
    std::uint64_t added() const { return added_.load(std::memory_order_relaxed); }
    /// Adds them to another collector's.
    void move_hits_to(HitCollector& other);

   private:
    /// The last answer of lowest_score(): sequences come sorted by length.
    struct Threshold {
        std::uint64_t target_residues = 0;  // no sequence without residues ever scores
        std::int32_t lowest = 1;
    };

    const DatabaseSet& databases_;
    std::span<const Query> queries_;
    const std::optional<AlignmentStatistics>& statistics_;
    SearchSpace space_;
    double evalue_;
    std::vector<Threshold> thresholds_;
    std::vector<HitList> hits_;
    std::atomic<std::uint64_t> added_ = 0;  // by threads with different queries, too
};

/// The hits of all collectors by query, in the order of a report. The collectors are empty
/// afterwards.
std::vector<std::vector<Hit>> take_sorted_hits(std::span<HitCollector* const> collectors, std::size_t query_count);

}  // namespace warpseq
