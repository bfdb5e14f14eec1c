// The blastp engine on the host: from candidates, pairs of a query, or a part of one, and a sequence whose
// Smith-Waterman score could be significant, to the hits that are reported.
//
// What blastp keeps of a pair is bounded by the pair's Smith-Waterman score, and E falls with the score. So an
// exact scan of the database, which vector units and GPUs do at the rate of their arithmetic, leaves the few pairs
// for which it can matter what blastp's heuristics find (docs/blastp.md); only those go through words, extensions and
// tracing back, exactly as in NCBI BLAST.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/blastp/hsp.h"
#include "engines/hit_list.h"
#include "engines/targets/database_set.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct BlastpLimits {
    std::uint64_t max_targets = 500;    // per query
    std::uint64_t max_hsps = 0;         // per target; 0: no limit
    double least_coverage_percent = 0;  // of the query, by an HSP
};

/// A target with its HSPs, in hsp_before()'s order; at least one.
struct BlastpHit {
    std::uint32_t database = 0;
    std::uint64_t rank = 0;
    std::uint64_t position = 0;  // among the sequences of all databases, in the order of their inputs
    double evalue = 0;           // the lowest of its HSPs'
    std::vector<Hsp> hsps;
    std::vector<std::vector<ResidueCode>> aligned_targets;  // per HSP, residues target_begin .. target_end - 1
};

/// The order of a report: E-value (all below 1e-180 are equal), the first HSP's score, then the sequence that stands later.
bool reported_before(const BlastpHit& a, const BlastpHit& b);

class BlastpSearch {
   public:
    /// References outlive the search.
    BlastpSearch(const DatabaseSet& databases, const BlastpParameters& parameters, const SearchSpace& space,
                 const BlastpLimits& limits, const ThreadPool& pool);

    /// The hits of each query in the order of a report. candidates[p] are those of all_searched_parts(queries)[p], in any order.
    Result<std::vector<std::vector<BlastpHit>>> find_hits(std::span<const BlastpQuery> queries,
                                                          std::span<const std::vector<Hit>> candidates);

    /// What candidates and hits of a query may take, by estimate.
    std::uint64_t found_bytes_per_query() const;

   private:
    struct Pair;
    struct Unit;
    template <class Work>
    Status for_each_pair(std::vector<Pair>& pairs, const Work& work);
    template <class Work>
    Status for_each_pair_of_long_target(std::span<const Pair> pairs, const Work& work);
    std::vector<Unit> cut_units(std::span<const Pair> pairs) const;

    const DatabaseSet& databases_;
    const BlastpParameters& parameters_;
    SearchSpace space_;
    BlastpLimits limits_;
    const ThreadPool& pool_;
    std::vector<std::uint64_t> first_position_;  // of each database
};

/// 100 * residues / query_residues as blastp prints and compares it: rounded below 99 %.
double coverage_percent(std::uint64_t covered_residues, std::uint64_t query_residues);

}  // namespace warpseq
