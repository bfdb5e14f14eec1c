#include "libcore/profile/pairwise_identity.h"

#include <algorithm>
#include <cstdint>

namespace warpseq {

PairwiseIdentity::PairwiseIdentity(const AlignedRows& rows) : columns_(rows.columns()) {
    codes_.reserve(rows.count() * columns_);
    for (std::size_t row = 0; row < rows.count(); ++row) {
        std::size_t amino_acids = 0;
        for (const ResidueCode code : rows[row]) {
            codes_.push_back(is_amino_acid(code) ? code : kGapCode);
            amino_acids += is_amino_acid(code);
        }
        amino_acids_.push_back(amino_acids);
    }
}

double PairwiseIdentity::operator()(std::size_t a, std::size_t b) const {
    const std::size_t shorter = std::min(amino_acids_[a], amino_acids_[b]);
    if (shorter == 0) return 0;
    const ResidueCode* const first = &codes_[a * columns_];
    const ResidueCode* const second = &codes_[b * columns_];
    std::size_t identical = 0;
    // So few columns at a time that the counts in a byte do not overflow.
    constexpr std::size_t kStretch = 255;
    for (std::size_t begin = 0; begin < columns_; begin += kStretch) {
        const std::size_t end = std::min(columns_, begin + kStretch);
        std::uint8_t count = 0;
        for (std::size_t column = begin; column < end; ++column) {
            const bool same = (first[column] == second[column]) & (first[column] != kGapCode);
            count = static_cast<std::uint8_t>(count + (same ? 1 : 0));
        }
        identical += count;
    }
    return static_cast<double>(identical) / static_cast<double>(shorter);
}

}  // namespace warpseq
