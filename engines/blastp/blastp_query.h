// A query as blastp searches with it: its masked stretches, the parameters that its composition
// sets, and its words.
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

/// Parameters that all queries of a run are searched by. X-drops are in bits, as on the command
/// line.
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
    bool smith_waterman = false;                                 // the last stage aligns by Smith-Waterman
    /// Length of the target that cutoffs are computed for: this constant for whole databases,
    /// otherwise the length of the shortest sequence.
    static constexpr std::uint64_t kShortestTarget = 10;
    std::uint64_t cutoff_target_residues = kShortestTarget;
    std::uint64_t database_sequences = 1;  // for effective search spaces

    /// Share of the cutoff for restricted gapped extensions. A first extension that reaches this
    /// share, but not the cutoff, is made again without restrictions.
    static constexpr double kRestrictedShare = 0.68;
    /// Whether a pair's first gapped extensions are restricted ones. The pair's best ungapped
    /// alignment scores `ungapped_raw`.
    bool restricts_extension(std::int32_t ungapped_raw, std::int32_t cutoff_raw) const;
    int x_drop_gapped_raw() const;
    /// Returns the E-value limit of HSPs until they are traced back. With a given search space it
    /// is no more than the limit of the report.
    double preliminary_evalue(const SearchSpace& space) const;
    int x_drop_final_raw() const;
};

struct BlastpQuery {
    std::string header;
    std::vector<ResidueCode> residues;           // as given: for identities and reports
    std::vector<QueryStretch> masked;            // ascending; neighbours share a residue at most
    std::vector<ResidueCode> scored;             // with O as X, and masked residues as X unless masking is soft
    std::optional<UngappedParameters> ungapped;  // empty: the query cannot be searched with
    std::int32_t cutoff_raw = 0;                 // of gapped alignments while searching
    std::int32_t ungapped_cutoff_raw = 0;        // of ungapped ones that gapped extension begins at
    std::int32_t screen_cutoff_raw = 0;          // nothing is kept of a pair whose ungapped score is lower
    std::int32_t x_drop_ungapped_raw = 0;
    ScoreAllowance allowance = {};                      // how far its preliminary scores may exceed Smith-Waterman's
    std::vector<QueryStretch> word_stretches;           // where words are taken from
    std::unique_ptr<const WordHitFinder> finder;        // nullptr if `ungapped` is empty, and with parts
    std::vector<BlastpQuery> parts = {};                // engines/blastp/query_parts.h; empty: searched whole
    std::uint64_t begin_in_whole = 0;                   // where a part begins in its query
    std::optional<AlignmentStatistics> own_statistics;  // of ungapped searches, if `ungapped` is set
    SearchSpace own_space = {};                         // likewise; its `effective` is set
    bool is_in_invalid_group = false;                   // no query of its group can be searched: reports differ
};

/// Makes a query. `lower_case` holds the stretches that are in lower case in the FASTA file.
/// Ungapped searches do not cut queries into parts.
BlastpQuery make_blastp_query(std::string header, std::vector<ResidueCode> residues,
                              std::vector<QueryStretch> lower_case, const BlastpParameters& parameters,
                              const SearchSpace& space, std::span<const QueryStretch> parts = {});

/// Returns the query's own statistics, or those of all queries if it has none.
inline const AlignmentStatistics& statistics_of(const BlastpQuery& query, const AlignmentStatistics& of_all) {
    return query.own_statistics ? *query.own_statistics : of_all;
}
/// Returns the query's own search space, or that of all queries if it has none.
inline const SearchSpace& space_of(const BlastpQuery& query, const SearchSpace& of_all) {
    return query.own_statistics ? query.own_space : of_all;
}

/// Returns what words are looked up with: the parts of the query, or the query itself if it has no
/// parts.
inline std::span<const BlastpQuery> searched_parts(const BlastpQuery& query) {
    return query.parts.empty() ? std::span(&query, 1) : std::span(query.parts);
}
/// Returns the searched parts of all queries, one query after the other. They point into `queries`.
std::vector<const BlastpQuery*> all_searched_parts(std::span<const BlastpQuery> queries);
/// Returns the parts as a screen scores them with targets, and as a HitCollector judges the scores.
std::vector<Query> scanned_parts(std::span<const BlastpQuery* const> parts);

}  // namespace warpseq
