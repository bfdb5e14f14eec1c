#include "libcore/profile/dirichlet_prior.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numeric>

namespace warpseq {
namespace {

TEST_CASE("log gamma") {
    for (const double x : {0.001, 0.5, 1.0, 2.0, 3.5, 100.0, 1e6})
        CHECK(log_gamma(x) == doctest::Approx(std::lgamma(x)));
    CHECK(std::isnan(log_gamma(0)));
    CHECK(std::isnan(log_gamma(-1)));
}

TEST_CASE("one component: pseudocounts are added") {
    const DirichletMixture mixture({{.weight = 1, .pseudocounts = {1, 1, 2}}});
    std::array<float, 3> counts = {3, 0, 1};
    mixture.estimate(counts);
    CHECK(counts == std::array<float, 3>{0.5f, 0.125f, 0.375f});
    counts = {};
    mixture.estimate(counts);
    CHECK(counts == std::array<float, 3>{0.25f, 0.25f, 0.5f});
}

TEST_CASE("two components: that which explains the counts decides") {
    const DirichletMixture mixture(
        {{.weight = 0.5, .pseudocounts = {10, 0.1}}, {.weight = 0.5, .pseudocounts = {0.1, 10}}});
    std::array<float, 2> counts = {0, 0};
    mixture.estimate(counts);
    CHECK(counts[0] == doctest::Approx(0.5));
    counts = {4, 0};
    mixture.estimate(counts);
    CHECK(counts[0] > 0.98);
    counts = {0, 4};
    mixture.estimate(counts);
    CHECK(counts[1] > 0.98);
}

TEST_CASE("the prior of proteins") {
    const ProfilePrior prior = ProfilePrior::of_proteins();
    ProfileHmm::Residues residues{};
    residues[18] = 3;  // W
    prior.match_residues.estimate(residues);
    CHECK(std::accumulate(residues.begin(), residues.end(), 0.0f) == doctest::Approx(1));
    CHECK(residues[18] > 0.7);
    CHECK(residues[19] > residues[13]);  // Y is then likelier than Q

    // Inserts are those that hmmbuild of HMMER 3.3.2 writes, for all counts.
    ProfileHmm::Residues insert{};
    prior.insert_residues.estimate(insert);
    CHECK(-std::log(insert[0]) == doctest::Approx(2.68618).epsilon(1e-6));
    CHECK(-std::log(insert[19]) == doctest::Approx(3.61503).epsilon(1e-6));
}

}  // namespace
}  // namespace warpseq
