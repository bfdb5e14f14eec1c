// Dirichlet mixtures, which say what is expected of a distribution before counts are seen and give
// its mean after that (Sjolander et al. 1996). Sums are in doubles and in order, as in HMMER 3.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "libcore/profile/profile_hmm.h"

namespace warpseq {

class DirichletMixture {
   public:
    struct Component {
        double weight;                     // all components' weights add up to 1
        std::vector<double> pseudocounts;  // one per category, above 0
    };
    explicit DirichletMixture(std::vector<Component> components);

    /// Replaces counts, 0 or more, by the mean of the distributions that are likely to have made
    /// them. A count below 0 gives NaN.
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

    /// Returns HMMER 3's prior for proteins. Match states have the nine components that Sjolander
    /// et al. made of Blocks, and transitions are Mitchison's. The prior of inserts is so strong
    /// that counts do not change them.
    static ProfilePrior of_proteins();
    /// Returns a prior with a pseudocount of 1 for every category.
    static ProfilePrior laplace();
};

/// Returns log gamma(x) for x > 0 with the digits of HMMER's approximation (Lanczos, 11 terms).
double log_gamma(double x);

}  // namespace warpseq
