// Statistics of local alignment scores as in BLAST: bit scores and E-values from Karlin-Altschul
// parameters with Spouge's finite-size correction.
//
// The parameters are from Karlin and Altschul 1990, and Altschul, Bundschuh, Olsen and Hwa 2001.
// The correction is from Park, Sheetlin, Ma, Madden and Spouge 2012. A query of m residues and a
// target of n have raw score S. Gap costs are open + k * extend, and G = open + extend. lambda, K,
// alpha, alpha_v and sigma are gapped, and alpha_u and alpha_v_u are the ungapped ones of the same
// matrix:
//
//     b    = 2 G (alpha_u - alpha)
//     beta = 2 G (alpha_v_u - alpha_v)
//     tau  = 2 G (alpha_v_u - sigma)
//     l(L) = L - (alpha S + b)
//     v    = max(2 alpha_v / lambda, alpha_v S + beta),  s = sqrt(v),  F = l / s
//     P(L) = normal cdf of F,  p(L) = l P + s phi(F)
//     c    = max(2 sigma / lambda, sigma S + tau)
//     E    = (p(m) p(n) + c P(m) P(n)) K exp(-lambda S) * database residues / n
//
// bits = (lambda S - ln K) / ln 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/scoring/scoring.h"
#include "libcore/statistics/ungapped_statistics.h"

namespace warpseq {

struct KarlinAltschulParameters {
    double lambda;  // nats per raw score unit
    double k;
    double h;        // relative entropy, nats per aligned pair
    double alpha;    // mean alignment length per raw score unit
    double beta;     // only for the older length adjustment
    double alpha_v;  // variance of the alignment length per raw score unit
    double sigma;    // covariance of both lengths per raw score unit
};

/// The space in which alignments are expected by chance. BLAST lets a user set either number,
/// instead of the database's own.
struct SearchSpace {
    std::uint64_t database_residues = 0;
    /// The effective search space. If it is not 0, E = K exp(-lambda S) times this, whatever the
    /// lengths (as in BLAST before the finite-size correction).
    std::uint64_t effective = 0;
};

/// The statistics for one matrix and its gap costs. Immutable and thread-safe.
class AlignmentStatistics {
   public:
    /// Returns the statistics for a built-in matrix and gap costs, or nothing if BLAST has none.
    /// The matrix must have the name and the values of a built-in one. For costs of 32,767 and
    /// 32,767, at which no gap pays, they are those without gaps.
    static std::optional<AlignmentStatistics> find(const ScoringScheme& scheme);

    /// Returns the statistics of alignments without gaps, for a query with parameters of its own.
    /// lambda, K and H are `own`, and the values that adjust lengths are the matrix's. BLAST has no
    /// finite-size correction for these alignments, so E-values are meant for an effective search
    /// space.
    AlignmentStatistics without_gaps(const UngappedParameters& own) const;

    /// Returns "11/2, 10/2, ..." for a built-in matrix by name, and an empty text for other
    /// matrices.
    static std::string known_gap_costs(std::string_view matrix_name);
    /// Returns BLAST's default gap costs for a built-in matrix.
    static std::optional<GapCosts> default_gap_costs(std::string_view matrix_name);

    double bits(std::int64_t score_raw) const;

    /// Returns the expected number of alignments of at least this score by chance, in a database of
    /// `database_residues`. query_residues, target_residues > 0. The result falls with the score.
    /// It never falls with target_residues where E is not tiny. Scores adjusted to a composition
    /// need not be whole.
    double evalue(double score_raw, std::uint64_t query_residues, std::uint64_t target_residues,
                  std::uint64_t database_residues) const;
    double evalue(double score_raw, std::uint64_t query_residues, std::uint64_t target_residues,
                  const SearchSpace& space) const;

    /// Returns the score from which on BLAST keeps gapped alignments while it searches. With the
    /// finite-size correction it is the highest score whose E is still above `evalue`. It is found
    /// by bisection from log(residues / evalue) / lambda. With an effective search space it is the
    /// lowest score whose E is not above `evalue`. evalue > 0.
    std::int32_t cutoff_raw(double evalue, std::uint64_t query_residues, std::uint64_t target_residues,
                            const SearchSpace& space) const;

    /// Returns the residues that a query and each sequence of a database lose to the ends of
    /// alignments (Altschul and Gish 1996; BLAST's fixed-point iteration). Lengths > 0.
    std::uint64_t length_adjustment(std::uint64_t query_residues, std::uint64_t database_residues,
                                    std::uint64_t sequences) const;
    /// Returns (m - l) (n - N l) with the length adjustment l, which BLAST prints as the effective
    /// search space.
    std::uint64_t effective_search_space(std::uint64_t query_residues, std::uint64_t database_residues,
                                         std::uint64_t sequences) const;

    const KarlinAltschulParameters& gapped() const { return gapped_; }
    const KarlinAltschulParameters& ungapped() const { return ungapped_; }

   private:
    AlignmentStatistics(const KarlinAltschulParameters& gapped, const KarlinAltschulParameters& ungapped,
                        GapCosts gaps);

    KarlinAltschulParameters gapped_;
    KarlinAltschulParameters ungapped_;
    double length_offset_;      // b above
    double variance_offset_;    // beta above
    double covariance_offset_;  // tau above
};

}  // namespace warpseq
