#include "kernels/profile/plan7_matrix_reference.h"

#include "kernels/profile/null2.h"

namespace warpseq::reference {

std::array<float, kResidueTableSize> mixture_odds(const Model& model, const std::vector<float>& match_weights,
                                                  const std::vector<float>& insert_weights, float other_weight) {
    std::array<float, kResidueTableSize> odds{};
    for (std::size_t a = 0; a < kAminoAcids; ++a) {
        Segments sums{};
        for (std::size_t at = 0; at < model.nodes; ++at) {
            float& sum = sums[at / model.segment];
            sum = sum + match_weights[at] * model.match[a][at];
            sum = sum + insert_weights[at];
        }
        odds[a] = four_sum(sums) + other_weight;
    }
    complete_null2_odds(odds);
    return odds;
}

}  // namespace warpseq::reference
