// Tracebacks that are sampled from a Forward matrix, in plain scalar code.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/profile/plan7_matrix_reference.h"
#include "libcore/base/linear_congruential.h"

namespace warpseq::reference {

/// A domain of a sampled traceback, and the number of visits to each node.
struct SampledVisits {
    SampledDomain domain{};
    std::vector<std::size_t> emitting;  // nodes (from 0) of its match and insert states, from its last to its first
};

/// Returns the domains of one sampled traceback, from the last to the first.
std::vector<SampledVisits> sample_trace(const Model& model, const LengthModel& length_model, const Matrix& matrix,
                                        const SpecialStates& forward, LinearCongruential& random);

/// Computes null2 by trace. Each node is weighted by the number of the domain's residues that it
/// emits. An insert counts as its node's match.
std::array<float, kResidueTableSize> traced_null2(const Model& model, const std::vector<std::size_t>& emitting);

}  // namespace warpseq::reference
