#include "libcore/scoring/scoring.h"

#include <algorithm>
#include <utility>

namespace warpseq {

SubstitutionMatrix::SubstitutionMatrix(std::string name, const Table& table) : name_(std::move(name)), table_(table) {
    for (int q = 0; q < kResidueTableSize; ++q) {
        for (int t = 0; t < kResidueTableSize; ++t) {
            if (q >= kResidueCodes || t >= kResidueCodes) {
                table_[static_cast<std::size_t>(q)][static_cast<std::size_t>(t)] = kPaddingScore;
            }
        }
    }
    highest_raw_ = lowest_raw_ = table_[0][0];
    for (std::size_t q = 0; q < kResidueCodes; ++q) {
        for (std::size_t t = 0; t < kResidueCodes; ++t) {
            highest_raw_ = std::max<int>(highest_raw_, table_[q][t]);
            lowest_raw_ = std::min<int>(lowest_raw_, table_[q][t]);
        }
    }
}

PairScores pair_scores(const ScoringScheme& scheme) {
    PairScores scores{{}, scheme.gaps};
    for (std::size_t a = 0; a < kResidueTableSize; ++a) {
        for (std::size_t b = 0; b < kResidueTableSize; ++b) scores.pairs[a][b] = scheme.matrix.table()[a][b];
    }
    return scores;
}

}  // namespace warpseq
