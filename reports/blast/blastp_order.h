// The order of hits and their HSPs in a blastp report. It is the search's order, or the one that
// -sorthits and -sorthsps ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reports/blast/blastp_report.h"

namespace warpseq {

/// A hit and the order of its HSPs in a report.
struct OrderedHit {
    std::size_t hit;                // index in the result's hits
    std::vector<std::size_t> hsps;  // indices in the hit's HSPs, in the order in which they are shown
};

/// Returns all hits of `result`, in the order that run.layout asks for.
std::vector<OrderedHit> order_hits(const BlastpRun& run, const BlastpResult& result);

/// The columns for one hit in the table of hits.
struct HitSummary {
    std::size_t best;          // index of the HSP with the highest score, or of the first one shown if several have it
    double total_bits;         // sum over all HSPs
    double identity_percent;   // percentage of identities among the best HSP's columns
    int coverage_percent = 0;  // percentage of the whole query that all HSPs together cover, rounded down
};
/// Returns the summary of result.hits[shown.hit].
HitSummary summarize_hit(const BlastpRun& run, const BlastpResult& result, const OrderedHit& shown);

/// Returns the number of query residues that at least one of the HSPs covers.
std::uint64_t covered_residues(const std::vector<Hsp>& hsps);

}  // namespace warpseq
