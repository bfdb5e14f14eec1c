// Ungapped parameters of queries as blastp 2.12 prints them at the end of a report, and queries
// without such parameters.
#include "libcore/statistics/ungapped_statistics.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "libcore/scoring/builtin_matrices.h"

using namespace warpseq;

namespace {

// Rounds to three digits, as in reports.
std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%#.3g", value);
    return text;
}

}  // namespace

TEST_CASE("a protein's lambda, K and H") {
    const auto parameters =
        ungapped_parameters(encode_residues("MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ"), *builtin_matrix("BLOSUM62"));
    REQUIRE(parameters);
    CHECK(shown(parameters->lambda) == "0.324");
    CHECK(shown(parameters->k) == "0.133");
    CHECK(shown(parameters->h) == "0.344");
}

TEST_CASE("X does not count, and without other letters there is nothing") {
    const auto matrix = *builtin_matrix("BLOSUM62");
    const auto plain = ungapped_parameters(encode_residues("MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ"), matrix);
    const auto masked = ungapped_parameters(encode_residues("XXXMKTAYIAKQRQISFVKSHFXXXXSRQLEERLGLIEVQXX"), matrix);
    REQUIRE(masked);
    CHECK(masked->lambda == plain->lambda);
    CHECK(masked->k == plain->k);
    CHECK_FALSE(ungapped_parameters(encode_residues("XXXXX"), matrix));
    CHECK_FALSE(ungapped_parameters({}, matrix));
    CHECK_FALSE(ungapped_parameters(encode_residues("****"), matrix));  // no score above 0 with any amino acid
}
