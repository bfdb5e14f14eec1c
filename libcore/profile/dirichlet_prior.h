// Dirichlet mixture priors for the distributions of a profile (Sjolander et al. 1996). A mixture
// describes how likely each distribution is before any counts are seen. When counts have been
// observed, it gives the posterior mean of the distribution. Sums are in doubles and in order, as
// in HMMER 3.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// A mixture of Dirichlet distributions over a fixed number of categories, at most 20. It has at
/// most nine components.
class DirichletMixture {
   public:
    struct Component {
        double weight;                     // all components' weights add up to 1
        std::vector<double> pseudocounts;  // one per category, above 0
    };
    explicit DirichletMixture(std::vector<Component> components);

    /// Replaces the observed counts, one per category and at least 0, by the posterior mean
    /// probabilities, which add up to 1. A count below 0 gives NaN.
    void estimate(std::span<float> counts) const;

   private:
    struct Prepared {
        double log_weight;
        std::vector<double> pseudocounts, log_gammas;  // log gamma of each pseudocount
        double sum, compensated_sum, log_gamma_of_sum;
    };
    void posteriors(std::span<const double> counts, std::span<double> weights) const;

    std::vector<Prepared> components_;
};

/// The prior of each distribution of a profile.
struct ProfilePrior {
    DirichletMixture match_transitions;   // match, insert, delete
    DirichletMixture insert_transitions;  // match, insert
    DirichletMixture delete_transitions;  // match, delete
    DirichletMixture match_residues, insert_residues;

    /// Returns HMMER 3's prior for proteins. The residues of match states have the nine components
    /// that Sjolander et al. derived from the database Blocks. The transitions have Mitchison's
    /// pseudocounts. The prior of inserts is so strong that counts do not change them.
    static ProfilePrior of_proteins();
    /// Returns a prior with a pseudocount of 1 for every category.
    static ProfilePrior laplace();
};

/// Returns log gamma(x) for x > 0 with the digits of HMMER's approximation (Lanczos, 11 terms).
double log_gamma(double x);

}  // namespace warpseq
