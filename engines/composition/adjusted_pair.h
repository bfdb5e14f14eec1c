// A query and a target as composition-based statistics treat them in NCBI BLAST: their masked
// residues, and the scores for the two compositions (libcore/statistics/composition_adjustment.h).
//
// SEG masks the target's low complexity (window 10, 1.8 and 2.1 bits), unless the pair is nearly
// identical. A pair is nearly identical if its alignment by the matrix's own scores meets three
// conditions. It has 1.74 bits a residue or more. It covers min(50, the query's length) - 1
// residues of the target or more. It is identical as is_near_identical() counts. The query is not
// masked. Its U counts and scores as C, its O as X.
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

/// Returns the E-value limit up to which pairs are adjusted. It may exceed `evalue`, because
/// adjusted scores may give a pair a better E-value.
double preliminary_evalue(double evalue, CompositionMode mode);
/// Returns how many targets are adjusted for a report of `max_targets`.
std::uint64_t preliminary_targets(std::uint64_t max_targets);

/// The box that an alignment by the matrix's own scores covers. Positions count residues from 0;
/// ends are exclusive.
struct AlignedBox {
    std::int64_t score_raw = 0;
    std::uint64_t query_begin = 0, query_end = 0;
    std::uint64_t target_begin = 0, target_end = 0;
};

/// A pair for one thread: it owns residues and scores. References have to outlive it.
class AdjustedPair {
   public:
    AdjustedPair(const CompositionAdjuster& adjuster, const ScoringScheme& scheme,
                 const AlignmentStatistics& statistics);

    void set_query(std::span<const ResidueCode> query);
    void set_target(std::span<const ResidueCode> target);
    /// Sets the target with its low complexity masked. Returns whether there was anything to mask.
    bool set_masked_target(std::span<const ResidueCode> target);

    /// Whether score and lengths allow the pair to be nearly identical.
    bool may_be_near_identical(const AlignedBox& found) const;
    /// Whether the score allows it. It is false only if it is false for every box of this score.
    bool may_be_near_identical(std::int64_t score_raw) const;
    /// Whether the residues of this query and of an unmasked target are nearly identical.
    bool is_near_identical(const AlignedBox& found, std::span<const ResidueCode> target) const;

    /// Computes scores for this query and this target. Returns nothing, and leaves no scores, if
    /// one of them has no amino acid.
    std::optional<CompositionAdjuster::Rule> adjust();

    std::span<const ResidueCode> query() const { return query_; }
    std::span<const ResidueCode> target() const { return target_; }
    /// Returns the scores and gap costs, in units of 1 / kAdjustedScale of a raw unit.
    const PairScores& scores() const { return scores_; }
    /// Returns the nats per unit of these scores.
    double lambda() const { return lambda_; }

   private:
    std::uint64_t fewest_target_residues() const;

    const CompositionAdjuster& adjuster_;
    /// The highest score of each residue with any other, by the matrix; not below 0.
    std::array<std::int32_t, kResidueTableSize> best_raw_{};
    double lambda_;
    double least_near_identical_;  // per residue, in units of adjusted scores
    std::vector<ResidueCode> query_, target_;
    std::vector<ResidueCode> looked_at_;  // the last target that was given for masking
    std::vector<SegStretch> low_complexity_;
    Composition query_composition_;
    PairScores scores_;
};

}  // namespace warpseq
