// Karlin-Altschul parameters of ungapped alignments of one query, from its composition: what
// BLAST's ungapped stage is set by.
//
// Scores of random pairs have the distribution p(s) = sum of q(a) b(c) over pairs of letters with
// score s, q the query's letters (X not counted), b the background of Robinson and Robinson (1991).
// lambda solves sum p(s) exp(lambda s) = 1; H = lambda sum s p(s) exp(lambda s); K is Karlin and
// Altschul's series (1990, PNAS 87:2264), to an accuracy of 1e-4 in its exponent.
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

/// Nothing where there are none: no letter but X, or scores that are never positive or on average
/// not negative.
std::optional<UngappedParameters> ungapped_parameters(std::span<const ResidueCode> query,
                                                      const SubstitutionMatrix& matrix);

/// Of a query with the background's composition.
std::optional<UngappedParameters> background_parameters(const SubstitutionMatrix& matrix);

}  // namespace warpseq
