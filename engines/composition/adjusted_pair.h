// A query and a target in the form that composition-based statistics of NCBI BLAST use: their
// masked residues, and scores that are adjusted to the two compositions
// (libcore/statistics/composition_adjustment.h).
//
// SEG masks the target's low complexity (window 10, 1.8 and 2.1 bits), unless the pair is nearly
// identical. A pair is nearly identical if its alignment by the matrix's own scores meets three
// conditions. It has at least 1.74 bits per residue. It covers at least 49 residues of the target,
// or the query's length less 1 if the query is shorter than 50. Its stretches pass
// is_near_identical(). The query is not masked. In the query, U is counted and scored as C, and O
// as X.
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

/// Returns the E-value limit, by unadjusted scores, up to which pairs are adjusted. It may exceed
/// `evalue`, the limit of the report, because adjusted scores may give a pair a better E-value.
double preliminary_evalue(double evalue, CompositionMode mode);
/// Returns how many targets of a query are adjusted for a report of `max_targets` targets.
std::uint64_t preliminary_targets(std::uint64_t max_targets);

/// Returns the stretches of low complexity that are masked in a target.
std::vector<SegStretch> low_complexity_of(std::span<const ResidueCode> target);

/// The box that an alignment by the matrix's own scores covers. Positions count residues from 0;
/// ends are exclusive.
struct AlignedBox {
    std::int64_t score_raw = 0;
    std::uint64_t query_begin = 0, query_end = 0;
    std::uint64_t target_begin = 0, target_end = 0;
};

/// A pair of a query and a target. It owns residues and scores and is used by one thread.
/// References have to outlive it.
class AdjustedPair {
   public:
    AdjustedPair(const CompositionAdjuster& adjuster, const ScoringScheme& scheme,
                 const AlignmentStatistics& statistics);

    void set_query(std::span<const ResidueCode> query);
    void set_target(std::span<const ResidueCode> target);
    /// Sets the target, with its low complexity masked. Returns whether any residue was masked.
    bool set_masked_target(std::span<const ResidueCode> target);
    /// Does the same with the result of low_complexity_of() for this target.
    bool set_masked_target(std::span<const ResidueCode> target, std::span<const SegStretch> low_complexity);

    /// Whether the score and lengths of an alignment allow the pair to be nearly identical.
    bool may_be_near_identical(const AlignedBox& found) const;
    /// Whether any alignment with this score allows the pair to be nearly identical.
    bool may_be_near_identical(std::int64_t score_raw) const;
    /// Whether the aligned residues of this query and of an unmasked target are nearly identical.
    bool is_near_identical(const AlignedBox& found, std::span<const ResidueCode> target) const;

    /// Computes the scores that are adjusted to this query and this target. Returns how they were
    /// adjusted. If one of the sequences has no amino acid, it returns nothing, and there are no
    /// scores.
    std::optional<CompositionAdjuster::Rule> adjust();

    std::span<const ResidueCode> query() const { return query_; }
    std::span<const ResidueCode> target() const { return target_; }
    /// Returns the scores and gap costs, in units of 1 / kAdjustedScale of a raw unit.
    const PairScores& scores() const { return scores_; }
    /// Returns lambda: the nats per unit of scores().
    double lambda() const { return lambda_; }

   private:
    std::uint64_t fewest_target_residues() const;

    const CompositionAdjuster& adjuster_;
    /// The highest score of each residue with any other, by the matrix; not below 0.
    std::array<std::int32_t, kResidueTableSize> best_raw_{};
    double lambda_;
    double least_near_identical_;  // least score per residue, in units of adjusted scores
    std::vector<ResidueCode> query_, target_;
    std::vector<ResidueCode> looked_at_;  // the last target that was given for masking
    std::vector<SegStretch> low_complexity_;
    Composition query_composition_;
    PairScores scores_;
};

}  // namespace warpseq
