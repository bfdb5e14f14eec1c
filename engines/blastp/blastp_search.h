// The blastp engine on the host: from candidates, pairs of a query, or a part of one, and a
// sequence whose Smith-Waterman score could be significant, to the hits that are reported.
//
// What blastp keeps of a pair is bounded by the pair's Smith-Waterman score, and E falls with the
// score. So an exact scan of the database, which vector units and GPUs do at the rate of their
// arithmetic, leaves the few pairs for which it can matter what blastp's heuristics find
// (docs/blastp.md); only those go through words, extensions and tracing back, exactly as in NCBI
// BLAST.
//
// Two steps: preliminary HSPs of each part, which any share of the databases can be searched for by
// itself, and of the best targets of all shares the final ones.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/blastp/blastp_settings.h"
#include "engines/blastp/hsp.h"
#include "engines/hit_list.h"
#include "engines/search_control.h"
#include "engines/targets/database_set.h"
#include "libcore/base/progress_counter.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// A target with its HSPs, in hsp_before()'s order; at least one.
struct BlastpHit {
    std::uint32_t database = 0;
    std::uint64_t rank = 0;
    std::uint64_t position = 0;  // among the sequences of all databases, in the order of their inputs
    double evalue = 0;           // the lowest of its HSPs'
    std::vector<Hsp> hsps;
    /// Per HSP, once traced back: residues target_begin .. target_end - 1.
    std::vector<std::vector<ResidueCode>> aligned_targets;
};

/// The order of a report: E-value (all below 1e-180 are equal), the first HSP's score, then the
/// sequence that stands later.
bool reported_before(const BlastpHit& a, const BlastpHit& b);

/// Thread-safe.
class BlastpSearch {
   public:
    /// References outlive the search.
    BlastpSearch(const DatabaseSet& databases, const BlastpParameters& parameters, const SearchSpace& space,
                 const BlastpLimits& limits, const ThreadPool& pool);

    /// The preliminary hits of each part, the best scanned_targets() of them in the order of a
    /// report. HSPs are not traced back; their positions are those of the whole query.
    /// candidates[p] are those of parts[p], in any order.
    Result<std::vector<std::vector<BlastpHit>>> find_preliminary(std::span<const BlastpQuery* const> parts,
                                                                 std::span<const std::vector<Hit>> candidates,
                                                                 const SearchControl& control) const;
    /// The hits of each query in the order of a report. preliminary[p] are those of
    /// all_searched_parts(queries)[p] in all databases.
    Result<std::vector<std::vector<BlastpHit>>> trace_back(std::span<const BlastpQuery> queries,
                                                           std::vector<std::vector<BlastpHit>> preliminary,
                                                           const SearchControl& control) const;

    /// So many of a part may be among those that are traced back.
    std::uint64_t preliminary_targets() const;
    /// So many of a part decide which. All of them where culling or best hits do, which go through
    /// them in the database's order.
    std::uint64_t scanned_targets() const;
    /// Of a hit.
    std::uint64_t position_of(std::uint32_t database, std::uint64_t rank) const {
        return databases_.number_of(database, rank);
    }

    /// What candidates and hits of a query may take, by estimate.
    std::uint64_t found_bytes_per_query() const;

   private:
    struct Pair;
    struct Unit;
    template <class Work>
    Status for_each_pair(const char* label, std::vector<Pair>& pairs, const SearchControl& control,
                         const Work& work) const;
    template <class Work>
    Status for_each_pair_of_long_target(std::span<const Pair> pairs, const std::stop_token& stop,
                                        ProgressCounter& pairs_done, const Work& work) const;
    bool is_filtered() const { return limits_.culling > 0 || limits_.best_hits.has_value(); }
    void filter(std::vector<BlastpHit>& hits, QueryStretch query, bool are_final) const;
    void limit_hsps(BlastpHit& hit, const BlastpQuery& query) const;
    std::vector<Unit> cut_units(std::span<const Pair> pairs) const;

    const DatabaseSet& databases_;
    const BlastpParameters& parameters_;
    SearchSpace space_;
    BlastpLimits limits_;
    const ThreadPool& pool_;
};

/// Sets the lowest of its HSPs' E-values.
void set_evalue(BlastpHit& hit);
/// Brings hits in the order of a report, and keeps the first `limit`.
void keep_best(std::vector<BlastpHit>& hits, std::uint64_t limit);

}  // namespace warpseq
