// Dirichlet mixtures: what is expected of a distribution before counts are seen, and its mean once
// they are (Sjolander et al. 1996). In doubles, added up in order, as HMMER 3 computes them.
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
        double weight;                     // the components' add up to 1
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

/// What is expected of a profile's distributions.
struct ProfilePrior {
    DirichletMixture match_transitions;   // match, insert, delete
    DirichletMixture insert_transitions;  // match, insert
    DirichletMixture delete_transitions;  // match, delete
    DirichletMixture match_residues, insert_residues;

    /// HMMER 3's prior of proteins: match states by the nine components that Sjolander et al. made
    /// of Blocks, transitions by Mitchison, inserts so strong that counts do not change them.
    static ProfilePrior of_proteins();
    /// One of each.
    static ProfilePrior laplace();
};

/// log gamma(x) of x > 0 with the digits of HMMER's approximation (Lanczos, 11 terms).
double log_gamma(double x);

}  // namespace warpseq
