// Karlin-Altschul parameters of ungapped alignments of one query, from its composition. BLAST
// derives the limits of its ungapped stage from them.
//
// Scores of random pairs have the distribution p(s) = sum of q(a) b(c) over pairs of letters with
// score s. q is the frequency of the query's letters (X not counted) and b the background of
// Robinson and Robinson (1991). lambda solves sum p(s) exp(lambda s) = 1, and H = lambda sum s p(s)
// exp(lambda s). K is Karlin and Altschul's series (1990, PNAS 87:2264), to an accuracy of 1e-4 in
// its exponent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct UngappedParameters {
    double lambda;  // nats per raw score unit
    double k;
    double h;  // nats per aligned pair
};

/// Returns the parameters of a query, or nothing if there are none. There are none if the query has
/// no letter other than X, if no score is positive, or if the mean score is not negative.
std::optional<UngappedParameters> ungapped_parameters(std::span<const ResidueCode> query,
                                                      const SubstitutionMatrix& matrix);

/// Returns the parameters of a query with the background's composition.
std::optional<UngappedParameters> background_parameters(const SubstitutionMatrix& matrix);

}  // namespace warpseq
