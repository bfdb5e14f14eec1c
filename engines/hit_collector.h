// A collector of hits. It finds the scores of a batch's queries that reach the E-value limit, and
// computes their E-values.
//
// This is the only place where a score becomes a hit, for every device. Each thread or GPU worker
// has a collector, and the collectors are merged at the end.
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
    /// Makes a collector of hits with E-values up to `evalue`, at most `max_hits` for each query
    /// (0: no limit). With an infinite `evalue` every score above 0 is a hit. References and spans
    /// have to outlive the collector.
    HitCollector(const DatabaseSet& databases, std::span<const Query> queries,
                 const std::optional<AlignmentStatistics>& statistics, const SearchSpace& space, double evalue,
                 std::uint64_t max_hits);

    /// Adds the raw scores of one query against the sequences with ranks first_rank, first_rank +
    /// 1, ... of a database. Leaves out sequences that are not searched. Thread-safe for distinct
    /// queries.
    void add(std::size_t query, std::size_t database, std::uint64_t first_rank,
             std::span<const std::int32_t> scores_raw);

    /// Returns the lowest raw score that is a hit for this query and a target of this length.
    std::int32_t lowest_score(std::size_t query, std::uint64_t target_residues);

    HitList& hits(std::size_t query) { return hits_[query]; }

    /// Returns how many hits were added since the last move_hits_to(). The limit may have dropped
    /// some of them.
    std::uint64_t added() const { return added_.load(std::memory_order_relaxed); }
    /// Moves all hits to another collector, in addition to the hits that it has.
    void move_hits_to(HitCollector& other);

   private:
    /// The last result of lowest_score() for a query. It is reused, because sequences come sorted
    /// by length.
    struct Threshold {
        std::uint64_t target_residues = 0;  // 0 is no hit's length, because a sequence without residues scores 0
        std::int32_t lowest = 1;
    };

    const DatabaseSet& databases_;
    std::span<const Query> queries_;
    const std::optional<AlignmentStatistics>& statistics_;
    SearchSpace space_;
    double evalue_;
    std::vector<Threshold> thresholds_;
    std::vector<HitList> hits_;
    std::atomic<std::uint64_t> added_ = 0;  // updated by all threads
};

/// Returns the hits of all collectors by query, in the order of a report. The collectors are empty
/// afterwards.
std::vector<std::vector<Hit>> take_sorted_hits(std::span<HitCollector* const> collectors, std::size_t query_count);

}  // namespace warpseq
