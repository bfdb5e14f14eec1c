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

/// The size of the space in which alignments are expected by chance. As in BLAST, a user can set
/// either number, which then replaces that of the database.
struct SearchSpace {
    std::uint64_t database_residues = 0;
    /// The effective search space. If it is not 0, E is this number times K exp(-lambda S). The
    /// lengths then have no effect, as in BLAST before the finite-size correction. BLAST's number
    /// is a signed one, so E is negative if the product of both lengths is 2^63 or more.
    std::uint64_t effective = 0;
    /// Whether the database counts as one of a negative number of residues, as with blastp's
    /// -dbsize -1. E-values are then negative, unless the effective search space is set.
    bool is_negative = false;
};

/// The statistics for one matrix and its gap costs. Immutable and thread-safe.
class AlignmentStatistics {
   public:
    /// Returns the statistics for a built-in matrix and gap costs, or nothing if BLAST has none.
    /// The matrix must have the name and the values of a built-in one. If both gap costs are
    /// 32,767, which forbids gaps, the statistics are those without gaps.
    static std::optional<AlignmentStatistics> find(const ScoringScheme& scheme);

    /// Returns the statistics of alignments without gaps, for a query with its own ungapped
    /// parameters. lambda, K and H are those of `own`. The other values, which adjust lengths, are
    /// those of the matrix. BLAST has no finite-size correction for these alignments, so E-values
    /// are only meant to be computed with SearchSpace::effective.
    AlignmentStatistics without_gaps(const UngappedParameters& own) const;

    /// Returns the gap costs for which a built-in matrix has statistics, as "open/extend" pairs
    /// such as "11/2, 10/2, ...". The name is in capitals. Returns an empty text for other
    /// matrices.
    static std::string known_gap_costs(std::string_view matrix_name);
    /// Returns BLAST's default gap costs for a built-in matrix by its name in capitals. Returns
    /// nothing for other matrices.
    static std::optional<GapCosts> default_gap_costs(std::string_view matrix_name);

    /// Returns the bit score of a raw score.
    double bits(std::int64_t score_raw) const;

    /// Returns the expected number of alignments of at least this score by chance, in a database of
    /// `database_residues`. query_residues, target_residues > 0. The result falls as the score
    /// rises. It does not fall as target_residues rises, unless E is tiny. The score may have a
    /// fraction, since scores adjusted to a composition have one.
    double evalue(double score_raw, std::uint64_t query_residues, std::uint64_t target_residues,
                  std::uint64_t database_residues) const;
    double evalue(double score_raw, std::uint64_t query_residues, std::uint64_t target_residues,
                  const SearchSpace& space) const;

    /// Returns the least raw score of the gapped alignments that BLAST keeps while it searches.
    /// With the finite-size correction it is the highest score whose E is still above `evalue`. It
    /// is found by bisection from log(residues / evalue) / lambda. With an effective search space
    /// it is the lowest score whose E is not above `evalue`. evalue > 0.
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
