// Finds blastp hits from candidates in one call and prints them, so that tests can compare two ways
// of searching. The text has everything that a report could print.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engines/blastp/blastp_search.h"

namespace warpseq::testing {

/// Returns the hits of each query. candidates[p] are the candidates of
/// all_searched_parts(queries)[p].
inline Result<std::vector<std::vector<BlastpHit>>> find_hits(const BlastpSearch& search,
                                                             std::span<const BlastpQuery> queries,
                                                             std::span<const std::vector<Hit>> candidates) {
    Observer nobody;
    auto preliminary = search.find_preliminary(all_searched_parts(queries), candidates, {nobody});
    if (!preliminary.ok()) return preliminary.status();
    return search.trace_back(queries, *std::move(preliminary), {nobody});
}

inline std::string shown(const std::vector<std::vector<BlastpHit>>& hits) {
    std::string text;
    for (const auto& of_query : hits) {
        text += "query\n";
        for (const BlastpHit& hit : of_query) {
            for (const Hsp& hsp : hit.hsps) {
                text += std::to_string(hit.position) + " " + std::to_string(hsp.score_raw) + " " +
                        std::to_string(hsp.query_begin) + " " + std::to_string(hsp.query_end) + " " +
                        std::to_string(hsp.target_begin) + " " + std::to_string(hsp.target_end) + " " +
                        std::to_string(hsp.evalue);
                for (const AlignmentRun& run : hsp.runs) text += " " + std::to_string(run.length);
                text += "\n";
            }
        }
    }
    return text;
}

}  // namespace warpseq::testing
