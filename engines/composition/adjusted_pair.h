// A query and a target as composition-based statistics have them in NCBI BLAST: what is masked, and
// the scores for the two compositions (libcore/statistics/composition_adjustment.h).
//
// The target's low complexity is masked by SEG (window 10, 1.8 and 2.1 bits), unless the pair is
// nearly identical: its alignment by the matrix's own scores has 1.74 bits a residue or more,
// covers min(50, the query's length) - 1 residues of the target or more, and is identical as
// is_near_identical() counts. The query is not masked; its U counts and scores as C, its O as X.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/seg.h"
#include "libcore/statistics/composition_adjustment.h"
#include "libcore/statistics/karlin_altschul.h"

namespace warpseq {

/// Adjusted scores may give a pair a better E-value, so those somewhat beyond the limit are
/// adjusted too: up to this one,
double preliminary_evalue(double evalue, CompositionMode mode);
/// and this many targets, where a report has max_targets.
std::uint64_t preliminary_targets(std::uint64_t max_targets);

/// What an alignment by the matrix's own scores covers. Positions count residues from 0, ends are
/// exclusive.
struct AlignedBox {
    std::int64_t score_raw = 0;
    std::uint64_t query_begin = 0, query_end = 0;
    std::uint64_t target_begin = 0, target_end = 0;
};

/// One per thread: it owns the pair. References outlive it.
class AdjustedPair {
   public:
    AdjustedPair(const CompositionAdjuster& adjuster, const ScoringScheme& scheme,
                 const AlignmentStatistics& statistics);

    void set_query(std::span<const ResidueCode> query);
    void set_target(std::span<const ResidueCode> target);
    /// Whether there was something to mask.
    bool set_masked_target(std::span<const ResidueCode> target);

    /// By score and lengths alone.
    bool may_be_near_identical(const AlignedBox& found) const;
    /// By the score alone: false only if it is false for every box of this score.
    bool may_be_near_identical(std::int64_t score_raw) const;
    /// By residues, of this query and an unmasked target.
    bool is_near_identical(const AlignedBox& found, std::span<const ResidueCode> target) const;

    /// Scores for this query and this target; nothing, and no scores, where one of them has no
    /// amino acid.
    std::optional<CompositionAdjuster::Rule> adjust();

    std::span<const ResidueCode> query() const { return query_; }
    std::span<const ResidueCode> target() const { return target_; }
    /// In 1 / kAdjustedScale raw units, and so are gap costs.
    const PairScores& scores() const { return scores_; }
    /// Nats per unit of these scores.
    double lambda() const { return lambda_; }

   private:
    std::uint64_t fewest_target_residues() const;

    const CompositionAdjuster& adjuster_;
    /// Of each query residue with any other, by the matrix; not below 0.
    std::array<std::int32_t, kResidueTableSize> best_raw_{};
    double lambda_;
    double least_near_identical_;  // per residue, in units of adjusted scores
    std::vector<ResidueCode> query_, target_;
    std::vector<ResidueCode> looked_at_;  // the last target that was to be masked
    std::vector<SegStretch> low_complexity_;
    Composition query_composition_;
    PairScores scores_;
};

}  // namespace warpseq
