#include "libcore/profile/dirichlet_prior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/base/compensated_sum.h"

namespace warpseq {
namespace {

constexpr std::size_t kMostComponents = 9;

using Pseudocounts = std::array<double, kAminoAcids>;

// Components of the residues of match states (Sjolander et al. 1996, table 1), in the order of
// residue codes.
constexpr std::array<double, kMostComponents> kMatchWeights = {0.178091,  0.056591, 0.0960191, 0.0781233, 0.0834977,
                                                               0.0904123, 0.114468, 0.0682132, 0.234585};
constexpr std::array<Pseudocounts, kMostComponents> kMatchPseudocounts = {{
    {0.270671, 0.039848, 0.017576, 0.016415, 0.014268, 0.131916, 0.012391, 0.022599, 0.020358, 0.030727,
     0.015315, 0.048298, 0.053803, 0.020662, 0.023612, 0.216147, 0.147226, 0.065438, 0.003758, 0.009621},
    {0.021465, 0.010300, 0.011741, 0.010883, 0.385651, 0.016416, 0.076196, 0.035329, 0.013921, 0.093517,
     0.022034, 0.028593, 0.013086, 0.023011, 0.018866, 0.029156, 0.018153, 0.036100, 0.071770, 0.419641},
    {0.561459, 0.045448, 0.438366, 0.764167, 0.087364, 0.259114, 0.214940, 0.145928, 0.762204, 0.247320,
     0.118662, 0.441564, 0.174822, 0.530840, 0.465529, 0.583402, 0.445586, 0.227050, 0.029510, 0.121090},
    {0.070143, 0.011140, 0.019479, 0.094657, 0.013162, 0.048038, 0.077000, 0.032939, 0.576639, 0.072293,
     0.028240, 0.080372, 0.037661, 0.185037, 0.506783, 0.073732, 0.071587, 0.042532, 0.011254, 0.028723},
    {0.041103, 0.014794, 0.005610, 0.010216, 0.153602, 0.007797, 0.007175, 0.299635, 0.010849, 0.999446,
     0.210189, 0.006127, 0.013021, 0.019798, 0.014509, 0.012049, 0.035799, 0.180085, 0.012744, 0.026466},
    {0.115607, 0.037381, 0.012414, 0.018179, 0.051778, 0.017255, 0.004911, 0.796882, 0.017074, 0.285858,
     0.075811, 0.014548, 0.015092, 0.011382, 0.012696, 0.027535, 0.088333, 0.944340, 0.004373, 0.016741},
    {0.093461, 0.004737, 0.387252, 0.347841, 0.010822, 0.105877, 0.049776, 0.014963, 0.094276, 0.027761,
     0.010040, 0.187869, 0.050018, 0.110039, 0.038668, 0.119471, 0.065802, 0.025430, 0.003215, 0.018742},
    {0.452171, 0.114613, 0.062460, 0.115702, 0.284246, 0.140204, 0.100358, 0.550230, 0.143995, 0.700649,
     0.276580, 0.118569, 0.097470, 0.126673, 0.143634, 0.278983, 0.358482, 0.661750, 0.061533, 0.199373},
    {0.005193, 0.004039, 0.006722, 0.006121, 0.003468, 0.016931, 0.003647, 0.002184, 0.005019, 0.005990,
     0.001473, 0.004158, 0.009055, 0.003630, 0.006583, 0.003172, 0.003690, 0.002967, 0.002772, 0.002686},
}};

// Residues of inserts in Pfam 1.0, which are somewhat more polar than the background.
constexpr Pseudocounts kInsertPseudocounts = {681, 120, 623, 651, 313, 902, 241, 371, 687, 676,
                                              143, 548, 647, 415, 551, 926, 623, 505, 102, 269};

DirichletMixture single(std::vector<double> pseudocounts) {
    return DirichletMixture({{.weight = 1.0, .pseudocounts = std::move(pseudocounts)}});
}

std::vector<double> vector_of(const Pseudocounts& pseudocounts) { return {pseudocounts.begin(), pseudocounts.end()}; }

/// Turns logarithms of weights into weights that add up to 1.
void normalise_logs(std::span<double> logs) {
    constexpr double kNegligible = 500;
    const double greatest = *std::max_element(logs.begin(), logs.end());
    double log_sum = greatest;
    if (greatest != std::numeric_limits<double>::infinity()) {
        double sum = 0;
        for (const double log : logs) {
            if (log > greatest - kNegligible) sum += std::exp(log - greatest);
        }
        log_sum = std::log(sum) + greatest;
    }
    for (double& log : logs) log = std::exp(log - log_sum);
    normalise(logs);
}

}  // namespace

double log_gamma(double x) {
    if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
    constexpr std::array<double, 11> kCoefficients = {
        4.694580336184385e+04, -1.560605207784446e+05, 2.065049568014106e+05, -1.388934775095388e+05,
        5.031796415085709e+04, -9.601592329182778e+03, 8.785855930895250e+02, -3.155153906098611e+01,
        2.908143421162229e-01, -2.319827630494973e-04, 1.251639670050933e-10};
    constexpr double kHalfLogOfTwoPi = 0.918938533;
    const double below = x - 1.0;
    double divisor = below + 11.0;
    const double shifted = divisor + 0.5;
    double series = 1.0;
    for (std::size_t i = kCoefficients.size(); i-- > 0;) {  // the smallest terms first
        series += kCoefficients[i] / divisor;
        divisor -= 1.0;
    }
    return std::log(series) + (kHalfLogOfTwoPi + (below + 0.5) * std::log(shifted) - shifted);
}

DirichletMixture::DirichletMixture(std::vector<Component> components) {
    for (const Component& component : components) {
        Prepared& prepared = components_.emplace_back();
        prepared.log_weight = std::log(component.weight);
        prepared.pseudocounts = component.pseudocounts;
        prepared.sum = 0;
        for (const double pseudocount : component.pseudocounts) {
            prepared.log_gammas.push_back(log_gamma(pseudocount));
            prepared.sum += pseudocount;
        }
        prepared.compensated_sum = compensated_sum(prepared.pseudocounts);
        prepared.log_gamma_of_sum = log_gamma(prepared.sum);
    }
}

// Computes P(component | counts). The log likelihood of a component with pseudocounts a and counts
// c, whose sums are |a| and |c|, is
//     sum_i (lgamma(a_i + c_i) - lgamma(c_i + 1) - lgamma(a_i))
//         + lgamma(|a|) + lgamma(|c| + 1) - lgamma(|a| + |c|)
void DirichletMixture::posteriors(std::span<const double> counts, std::span<double> weights) const {
    std::array<double, kAminoAcids> log_factorials{};
    double count_sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        log_factorials[i] = log_gamma(counts[i] + 1.0);
        count_sum += counts[i];
    }
    const double log_factorial_of_sum = log_gamma(count_sum + 1.0);
    for (std::size_t k = 0; k < components_.size(); ++k) {
        const Prepared& component = components_[k];
        double log_likelihood = 0, sum = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const double pseudocount = component.pseudocounts[i];
            sum += counts[i] + pseudocount;
            const double log_gamma_of_both =
                counts[i] == 0 ? component.log_gammas[i] : log_gamma(pseudocount + counts[i]);
            log_likelihood += log_gamma_of_both - log_factorials[i] - component.log_gammas[i];
        }
        log_likelihood += component.log_gamma_of_sum + log_factorial_of_sum - log_gamma(sum);
        weights[k] = component.log_weight + log_likelihood;
    }
    normalise_logs(weights);
}

void DirichletMixture::estimate(std::span<float> floats) const {
    std::array<double, kAminoAcids> count_storage{}, mean_storage{};
    const std::span<double> counts = std::span(count_storage).first(floats.size());
    const std::span<double> means = std::span(mean_storage).first(floats.size());
    std::copy(floats.begin(), floats.end(), counts.begin());
    std::array<double, kMostComponents> weights{};
    weights[0] = 1;  // a single component has weight 1, whatever the counts
    if (components_.size() > 1) posteriors(counts, std::span(weights).first(components_.size()));
    const double count_sum = compensated_sum(counts);
    for (std::size_t k = 0; k < components_.size(); ++k) {
        const Prepared& component = components_[k];
        for (std::size_t i = 0; i < counts.size(); ++i) {
            means[i] += weights[k] * (counts[i] + component.pseudocounts[i]) / (count_sum + component.compensated_sum);
        }
    }
    normalise(means);
    std::transform(means.begin(), means.end(), floats.begin(), [](double mean) { return static_cast<float>(mean); });
}

ProfilePrior ProfilePrior::of_proteins() {
    std::vector<DirichletMixture::Component> matches;
    for (std::size_t k = 0; k < kMatchWeights.size(); ++k) {
        matches.push_back({kMatchWeights[k], vector_of(kMatchPseudocounts[k])});
    }
    return {.match_transitions = single({0.7939, 0.0278, 0.0135}),
            .insert_transitions = single({0.1551, 0.1331}),
            .delete_transitions = single({0.9002, 0.5630}),
            .match_residues = DirichletMixture(std::move(matches)),
            .insert_residues = single(vector_of(kInsertPseudocounts))};
}

ProfilePrior ProfilePrior::laplace() {
    const auto ones = [](std::size_t categories) { return single(std::vector<double>(categories, 1.0)); };
    return {.match_transitions = ones(3),
            .insert_transitions = ones(2),
            .delete_transitions = ones(2),
            .match_residues = ones(kAminoAcids),
            .insert_residues = ones(kAminoAcids)};
}

}  // namespace warpseq
