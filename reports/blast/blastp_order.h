// In which order a blastp report shows hits and their HSPs: that of the search, or what -sorthits
// and -sorthsps ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reports/blast/blastp_report.h"

namespace warpseq {

/// A hit in its place in a report.
struct OrderedHit {
    std::size_t hit;                // of the result's hits
    std::vector<std::size_t> hsps;  // of the hit's, in the order in which they are shown
};

/// All hits of `result`, as run.layout asks for it.
std::vector<OrderedHit> order_hits(const BlastpRun& run, const BlastpResult& result);

/// What the table of hits says of one.
struct HitSummary {
    std::size_t best;          // the HSP of the highest score; of equal ones the first that is shown
    double total_bits;         // of all HSPs
    double identity_percent;   // of the best one's columns
    int coverage_percent = 0;  // of the query, by all HSPs
};
HitSummary summarize_hit(const BlastpRun& run, const BlastpResult& result, const OrderedHit& shown);

/// Query residues in at least one of the HSPs.
std::uint64_t covered_residues(const std::vector<Hsp>& hsps);

}  // namespace warpseq
