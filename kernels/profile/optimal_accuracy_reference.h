// Posterior decoding of an envelope and its alignment of optimal accuracy, in plain scalar code.
#pragma once

#include <array>
#include <vector>

#include "kernels/profile/plan7_matrix_reference.h"

namespace warpseq::reference {

/// Posterior probabilities. Match and insert replace Backward's values, and deletes become 0.
/// Special states have a value per row.
struct Posterior {
    struct Special {
        float n = 0, j = 0, c = 0;
    };
    std::vector<Special> special;
};

/// Decodes posterior probabilities. `matrix` has Backward's values and gets the probabilities.
/// Returns false if the scales overflow.
bool decode(const Model& model, const LengthModel& length_model, const Matrix& forward_matrix,
            const SpecialStates& forward, const SpecialStates& backward, Matrix& matrix, Posterior& posterior);

/// Computes null2 by expectation. Each state is weighted by the expected number of residues that it
/// emits.
std::array<float, kResidueTableSize> expected_null2(const Model& model, const Matrix& matrix,
                                                    const Posterior& posterior);

struct AccurateAlignment {
    float expected_accuracy;       // expected number of correctly placed residues
    std::vector<TraceStep> trace;  // from the first match state to the last
};

/// Returns the path of greatest accuracy. If it has more than one domain (in a repetitive
/// envelope), the first is returned.
AccurateAlignment most_accurate(const Model& model, const LengthModel& length_model, const Matrix& matrix,
                                const Posterior& posterior);

/// Returns the flank posteriors of the residues outside of an alignment.
std::vector<float> flank_posteriors(const std::vector<TraceStep>& trace, const Posterior& posterior);

}  // namespace warpseq::reference
