// Conversion of scores to hits: finds the scores of a batch's queries that reach the E-value
// cut-off, and computes their E-values.
//
// This is the one place where a score becomes a hit, for every device. Each thread has a collector,
// and the collectors are merged at the end.
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
    /// References and spans have to outlive the collector. With an infinite `evalue` every score
    /// above 0 is a hit. `max_hits` 0 means that there is no limit.
    HitCollector(const DatabaseSet& databases, std::span<const Query> queries,
                 const std::optional<AlignmentStatistics>& statistics, const SearchSpace& space, double evalue,
                 std::uint64_t max_hits);

    /// Adds the scores of one query against the sequences first_rank, first_rank + 1, ... of a
    /// database. Leaves out sequences that are not searched. Thread-safe for distinct queries.
    void add(std::size_t query, std::size_t database, std::uint64_t first_rank,
             std::span<const std::int32_t> scores_raw);

    /// Returns the lowest score that is a hit for this query and a target of this length.
    std::int32_t lowest_score(std::size_t query, std::uint64_t target_residues);

    HitList& hits(std::size_t query) { return hits_[query]; }

    /// Returns how many hits were added since they were last moved away. Some of them may not have
    /// been kept.
    std::uint64_t added() const { return added_.load(std::memory_order_relaxed); }
    /// Moves all hits to another collector, which keeps its own hits.
    void move_hits_to(HitCollector& other);

   private:
    /// The last answer of lowest_score(). It is reused because sequences come sorted by length.
    struct Threshold {
        std::uint64_t target_residues = 0;  // never the length of a hit: a sequence without residues scores nothing
        std::int32_t lowest = 1;
    };

    const DatabaseSet& databases_;
    std::span<const Query> queries_;
    const std::optional<AlignmentStatistics>& statistics_;
    SearchSpace space_;
    double evalue_;
    std::vector<Threshold> thresholds_;
    std::vector<HitList> hits_;
    std::atomic<std::uint64_t> added_ = 0;  // updated by all threads, whatever their queries
};

/// Returns the hits of all collectors by query, in the order of a report. The collectors are empty
/// afterwards.
std::vector<std::vector<Hit>> take_sorted_hits(std::span<HitCollector* const> collectors, std::size_t query_count);

}  // namespace warpseq
