#include "libcore/statistics/null_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace warpseq {
namespace {

constexpr std::uint32_t amino_acids(std::string_view letters) {
    std::uint32_t bits = 0;
    for (const char letter : letters) bits |= 1u << kResidueLetters.find(letter);
    return bits;
}

/// Returns p1, the probability of one more residue under null1 with mean length L.
float stay_probability(std::uint64_t residues) {
    return static_cast<float>(residues) / static_cast<float>(residues + 1);
}

}  // namespace

constinit const std::array<std::uint32_t, kResidueTableSize> kAminoAcidsOfCode = [] {
    std::array<std::uint32_t, kResidueTableSize> table{};
    for (std::size_t code = 0; code < kAminoAcids; ++code) table[code] = 1u << code;
    table[kCodeB] = amino_acids("ND");
    table[kCodeJ] = amino_acids("IL");
    table[kCodeZ] = amino_acids("QE");
    table[kCodeO] = amino_acids("K");
    table[kCodeU] = amino_acids("C");
    table[kCodeX] = (1u << kAminoAcids) - 1;
    return table;
}();

float null1_score_nats(std::uint64_t residues) {
    const float stay = stay_probability(residues);
    return static_cast<float>(static_cast<float>(residues) * std::log(static_cast<double>(stay)) +
                              std::log(1.0 - stay));
}

BiasFilter::BiasFilter(int model_length, const std::array<float, kAminoAcids>& composition) {
    const float mean = static_cast<float>(model_length) / 8.0f;
    leave_composed_ = 1.0f / (mean + 1.0f);
    stay_composed_ = mean / (mean + 1.0f);
    for (std::size_t code = 0; code < kResidueTableSize; ++code) {
        float emission = 0, background = 0;
        for (std::size_t a = 0; a < kAminoAcids; ++a) {
            if (!(kAminoAcidsOfCode[code] >> a & 1)) continue;
            emission += composition[a];
            background += kBackgroundFrequencies[a];
        }
        composition_odds_[code] = background > 0 ? emission / background : 1.0f;
    }
}

float BiasFilter::score_nats(std::span<const ResidueCode> residues) const {
    const float stay = stay_probability(residues.size());
    const float leave = 1.0f - stay;
    // This is Forward over two states, with each row scaled by its maximum. The scales' logarithms
    // are summed in 32 bits, in order.
    float log_sum = 0;
    float background = 0.999f, composed = 0.001f;
    for (std::size_t i = 0; i < residues.size(); ++i) {
        if (i > 0) {
            const float from_background = background, from_composed = composed;
            background = from_background * stay + from_composed * leave_composed_;
            composed = from_background * leave + from_composed * stay_composed_;
        }
        composed *= composition_odds_[residues[i]];
        const float greatest = std::max(background, composed);
        background /= greatest;
        composed /= greatest;
        log_sum += static_cast<float>(std::log(static_cast<double>(greatest)));
    }
    log_sum += static_cast<float>(std::log(static_cast<double>(background + composed)));
    return log_sum + static_cast<float>(residues.size()) * std::log(stay) +
           std::log(static_cast<float>(1.0 - static_cast<double>(stay)));
}

float table_logsum_nats(float a, float b) {
    constexpr int kEntries = 16000;
    constexpr float kEntriesPerNat = 1000;
    static const std::vector<float> kTable = [] {
        std::vector<float> table(kEntries);
        for (int i = 0; i < kEntries; ++i) {
            table[static_cast<std::size_t>(i)] =
                static_cast<float>(std::log(1.0 + std::exp(-i / double{kEntriesPerNat})));
        }
        return table;
    }();
    const float greater = std::max(a, b), lesser = std::min(a, b);
    if (lesser == -std::numeric_limits<float>::infinity() || greater - lesser >= 15.7f) return greater;
    return greater + kTable[static_cast<std::size_t>((greater - lesser) * kEntriesPerNat)];
}

}  // namespace warpseq
