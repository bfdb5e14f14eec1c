// A blastp query in the form that the search uses: with its masked stretches, the parameters that
// follow from its composition, and its words.
#pragma once

#include <cstdint>
#include <limits>
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

/// The score of candidates that a screen has not scored, in raw units. It is above every limit.
inline constexpr std::int32_t kUnknownScore = std::numeric_limits<std::int32_t>::max();

/// The parameters of all queries of a run. X-drops are in bits, as on the command line.
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
    /// The target length for which cutoffs are computed. It is kShortestTarget for whole databases,
    /// otherwise the length of the shortest sequence.
    static constexpr std::uint64_t kShortestTarget = 10;
    std::uint64_t cutoff_target_residues = kShortestTarget;
    std::uint64_t database_sequences = 1;  // for effective search spaces

    /// The part of the cutoff that a restricted gapped extension has to reach. A first extension
    /// that reaches it, but not the cutoff itself, is made again without restrictions.
    static constexpr double kRestrictedShare = 0.68;
    /// Whether the first gapped extensions of a pair are restricted ones. `ungapped_raw` is the
    /// score of the pair's best ungapped alignment.
    bool restricts_extension(std::int32_t ungapped_raw, std::int32_t cutoff_raw) const;
    /// Returns an X-drop of so many bits in raw units of a score whose lambda this is, but at least
    /// `least_raw`. The result may be negative, which is the same as the least X-drop. A number
    /// beyond int becomes the lowest one, whatever `least_raw` is, as in blastp.
    static int x_drop_raw(double bits, double lambda, int least_raw = std::numeric_limits<int>::lowest());
    int x_drop_gapped_raw() const;
    /// Returns the E-value limit for HSPs that are not traced back yet. With a given search space
    /// it is at most the limit of the report.
    double preliminary_evalue(const SearchSpace& space) const;
    int x_drop_final_raw() const;
};

struct BlastpQuery {
    std::string header;
    std::vector<ResidueCode> residues;           // as given, for identities and reports
    std::vector<QueryStretch> masked;            // ascending; neighbours share a residue at most
    std::vector<ResidueCode> scored;             // with O as X, and masked residues as X unless masking is soft
    std::optional<UngappedParameters> ungapped;  // empty: no search with this query is possible
    std::int32_t cutoff_raw = 0;                 // least score of gapped alignments in the preliminary search
    std::int32_t ungapped_cutoff_raw = 0;        // least score of ungapped alignments that are extended with gaps
    std::int32_t screen_cutoff_raw = 0;          // pairs with a lower ungapped score have no hits
    std::int32_t x_drop_ungapped_raw = 0;
    ScoreAllowance allowance = {};                      // how far its preliminary scores may exceed Smith-Waterman's
    std::vector<QueryStretch> word_stretches;           // stretches from which words are taken
    std::unique_ptr<const WordHitFinder> finder;        // nullptr if `ungapped` is empty, or if the query has parts
    std::vector<BlastpQuery> parts = {};                // engines/blastp/query_parts.h; empty: no parts
    std::uint64_t begin_in_whole = 0;                   // where a part begins in its query
    std::optional<AlignmentStatistics> own_statistics;  // in ungapped searches, if `ungapped` is set
    SearchSpace own_space = {};                         // likewise; its `effective` is set
    bool is_in_invalid_group = false;                   // no query of its group can be searched: reports differ
};

/// Makes a query. `lower_case` holds the stretches that are in lower case in the FASTA file.
/// `parts` are the parts of the query, if it is cut (query_parts.h). Ungapped searches do not cut
/// queries.
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

/// Returns the searched parts of a query: its parts, or the query itself if it has none.
inline std::span<const BlastpQuery> searched_parts(const BlastpQuery& query) {
    return query.parts.empty() ? std::span(&query, 1) : std::span(query.parts);
}
/// Returns the searched parts of all queries, one query after the other. They point into `queries`.
std::vector<const BlastpQuery*> all_searched_parts(std::span<const BlastpQuery> queries);
/// Returns the parts as queries for Smith-Waterman and HitCollector. They have the residues that
/// are scored, and the allowances.
std::vector<Query> scanned_parts(std::span<const BlastpQuery* const> parts);

}  // namespace warpseq
