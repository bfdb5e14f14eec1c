// The host's part of the blastp engine. It turns candidates into the hits that are reported. A
// candidate is a pair of a query (or a part of a query) and a sequence whose Smith-Waterman score
// could be significant.
//
// The Smith-Waterman score of a pair bounds the scores of all alignments that blastp keeps of the
// pair, and E-values fall as scores rise. So an exact scan of the database leaves the few pairs in
// which blastp's heuristics could find a hit (docs/blastp.md). Vector units and GPUs do this scan
// at full arithmetic speed. Only the candidates go through words, extensions and tracing back,
// exactly as in NCBI BLAST.
//
// There are two steps. The first finds preliminary HSPs of each part, for one share of the
// databases at a time. The second makes the final HSPs of the best targets of all shares.
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

/// A target with its HSPs, at least one, in hsp_before()'s order.
struct BlastpHit {
    std::uint32_t database = 0;
    std::uint64_t rank = 0;
    std::uint64_t position = 0;  // index of the sequence in the order of all databases and their inputs
    double evalue = 0;           // the lowest E-value of its HSPs, or 2^31 - 1 if all are higher
    std::vector<Hsp> hsps;
    /// The residues target_begin .. target_end - 1 of each HSP. Empty before the HSPs are traced
    /// back.
    std::vector<std::vector<ResidueCode>> aligned_targets;
};

/// Orders hits as a report does: by E-value (all below kLowestEvalue are equal), then by the first
/// HSP's score (highest first), then by position (last first).
bool reported_before(const BlastpHit& a, const BlastpHit& b);

/// The search of candidates on the host. Thread-safe.
class BlastpSearch {
   public:
    /// Makes a search. References have to outlive it.
    BlastpSearch(const DatabaseSet& databases, const BlastpParameters& parameters, const SearchSpace& space,
                 const BlastpLimits& limits, const ThreadPool& pool);

    /// Returns the best scanned_targets() preliminary hits of each part, in the order of a report.
    /// Their HSPs are not traced back, and positions are on the whole query. candidates[p] are the
    /// candidates of parts[p], in any order.
    Result<std::vector<std::vector<BlastpHit>>> find_preliminary(std::span<const BlastpQuery* const> parts,
                                                                 std::span<const std::vector<Hit>> candidates,
                                                                 const SearchControl& control) const;
    /// Returns the final hits of each query, in the order of a report. preliminary[p] are the
    /// preliminary hits of all_searched_parts(queries)[p] in all databases.
    Result<std::vector<std::vector<BlastpHit>>> trace_back(std::span<const BlastpQuery> queries,
                                                           std::vector<std::vector<BlastpHit>> preliminary,
                                                           const SearchControl& control) const;

    /// Returns the most targets of a part that are traced back.
    std::uint64_t preliminary_targets() const;
    /// Returns the number of targets of a part from which these are chosen. With culling or best
    /// hits this is all targets, because these filters go through the targets in the database's
    /// order.
    std::uint64_t scanned_targets() const;
    /// Returns the BlastpHit::position of a sequence.
    std::uint64_t position_of(std::uint32_t database, std::uint64_t rank) const {
        return databases_.number_of(database, rank);
    }

    /// Returns an estimate of the bytes that the candidates and hits of a query take.
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

/// Sets the hit's E-value by those of its HSPs.
void set_evalue(BlastpHit& hit);
/// Sorts hits into the order of a report and keeps the first `limit` of them.
void keep_best(std::vector<BlastpHit>& hits, std::uint64_t limit);

}  // namespace warpseq
