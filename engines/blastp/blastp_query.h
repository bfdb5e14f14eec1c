// A query as blastp searches with it: what is masked, what its composition sets, and where its
// words are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/query_set.h"
#include "kernels/backend.h"
#include "kernels/seeds/word_hits.h"
#include "libcore/scoring/scoring.h"
#include "libcore/scoring/word_rule.h"
#include "libcore/sequence/seg.h"
#include "libcore/statistics/composition_adjustment.h"
#include "libcore/statistics/karlin_altschul.h"
#include "libcore/statistics/ungapped_statistics.h"

namespace warpseq {

/// What all queries of a run are searched by. X-drops are in bits, as on the command line.
struct BlastpParameters {
    const ScoringScheme& scheme;
    const AlignmentStatistics& statistics;
    WordRule rule;
    std::uint32_t window_residues = 40;
    double x_drop_ungapped_bits = 7, x_drop_gapped_bits = 15, x_drop_final_bits = 25;
    double evalue = 10;
    std::optional<SegParameters> seg = std::nullopt;
    bool soft_masking = false;
    bool lower_case_masking = false;
    CpuBackend backend = CpuBackend::kPortable;
    std::optional<CompositionAdjuster> adjuster = std::nullopt;  // composition-based statistics
    bool ungapped = false;                                       // no gapped extension, and no adjuster
    bool smith_waterman = false;                                 // in the last stage
    /// Cutoffs are those of a target this short: of whole databases a constant, else the shortest
    /// sequence.
    static constexpr std::uint64_t kShortestTarget = 10;
    std::uint64_t cutoff_target_residues = kShortestTarget;
    std::uint64_t database_sequences = 1;  // for effective search spaces

    /// A first gapped extension that comes to this share of the cutoff only is made again without
    /// restrictions.
    static constexpr double kRestrictedShare = 0.68;
    /// Whether a pair's first gapped extensions are restricted ones; its best ungapped alignment
    /// has `ungapped_raw`.
    bool restricts_extension(std::int32_t ungapped_raw, std::int32_t cutoff_raw) const;
    int x_drop_gapped_raw() const;
    /// Of HSPs until they are traced back. Of a given search space blastp takes no more than the
    /// limit.
    double preliminary_evalue(const SearchSpace& space) const;
    int x_drop_final_raw() const;
};

struct BlastpQuery {
    std::string header;
    std::vector<ResidueCode> residues;           // as given: for identities and reports
    std::vector<QueryStretch> masked;            // ascending; neighbours share a residue at most
    std::vector<ResidueCode> scored;             // with O as X, and masked residues too unless masking is soft
    std::optional<UngappedParameters> ungapped;  // nothing: the query cannot be searched
    std::int32_t cutoff_raw = 0;                 // of gapped alignments while searching
    std::int32_t ungapped_cutoff_raw = 0;        // of ungapped ones that gapped extension begins at
    std::int32_t screen_cutoff_raw = 0;          // no pair of which something is kept has a lower ungapped score
    std::int32_t x_drop_ungapped_raw = 0;
    ScoreAllowance allowance = {};                      // of its preliminary scores, above Smith-Waterman's
    std::vector<QueryStretch> word_stretches;           // where words are taken from
    std::unique_ptr<const WordHitFinder> finder;        // nullptr where `ungapped` is nothing, and with parts
    std::vector<BlastpQuery> parts = {};                // engines/blastp/query_parts.h; none: searched whole
    std::uint64_t begin_in_whole = 0;                   // of a part
    std::optional<AlignmentStatistics> own_statistics;  // of ungapped searches, where there are `ungapped` parameters
    SearchSpace own_space = {};                         // likewise; `effective` is there
    bool is_in_invalid_group = false;                   // no query of its group can be searched: reports differ
};

/// `lower_case` is where the FASTA letters were lower-case ones. Ungapped searches cut no query
/// into parts.
BlastpQuery make_blastp_query(std::string header, std::vector<ResidueCode> residues,
                              std::vector<QueryStretch> lower_case, const BlastpParameters& parameters,
                              const SearchSpace& space, std::span<const QueryStretch> parts = {});

/// What scores of this query's alignments mean: its own statistics, else those of all queries.
inline const AlignmentStatistics& statistics_of(const BlastpQuery& query, const AlignmentStatistics& of_all) {
    return query.own_statistics ? *query.own_statistics : of_all;
}
inline const SearchSpace& space_of(const BlastpQuery& query, const SearchSpace& of_all) {
    return query.own_statistics ? query.own_space : of_all;
}

/// What words are looked up with: the query itself, or its parts.
inline std::span<const BlastpQuery> searched_parts(const BlastpQuery& query) {
    return query.parts.empty() ? std::span(&query, 1) : std::span(query.parts);
}
/// Those of all queries, one behind the other. They point into `queries`.
std::vector<const BlastpQuery*> all_searched_parts(std::span<const BlastpQuery> queries);
/// Parts as a screen scores them with targets, and as a HitCollector judges the scores.
std::vector<Query> scanned_parts(std::span<const BlastpQuery* const> parts);

}  // namespace warpseq
