#include "libcore/word_rule.h"

#include <algorithm>

namespace warpseq {

WordRule WordRule::uncompressed(const SubstitutionMatrix& matrix, int residues, double threshold) {
    WordRule rule;
    rule.residues = residues;
    rule.threshold = static_cast<int>(std::clamp(threshold, 0.0, 1e6));  // BLAST truncates
    for (std::size_t query = 0; query < kResidueTableSize; ++query) {
        for (std::size_t target = 0; target < kResidueTableSize; ++target) {
            rule.pair_score[query][target] = static_cast<std::int16_t>(
                matrix.score_raw(static_cast<ResidueCode>(query), static_cast<ResidueCode>(target)));
        }
        rule.letter_class[query] = query < kResidueCodes ? static_cast<std::uint8_t>(query) : kNoClass;
    }
    return rule;
}

}  // namespace warpseq
