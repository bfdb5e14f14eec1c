#include "libcore/scoring/word_rule.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "libcore/scoring/frequency_ratios.h"

namespace warpseq {
namespace {

constexpr double kCompressedScale = 100;

// Classes of letters that replace each other easily, separated by blanks.
constexpr std::string_view kTenClasses = "IJLMV AST BDENZ KQR G FY P H C W";
constexpr std::string_view kFifteenClasses = "ST IJV LM KR EQZ A G BD P N F Y H C W";

}  // namespace

WordRule WordRule::uncompressed(const SubstitutionMatrix& matrix, int residues, double threshold) {
    WordRule rule;
    rule.residues = residues;
    // BLAST truncates. A number beyond int becomes the lowest one there, which every word reaches.
    constexpr double kBeyond = 2'147'483'648;
    constexpr int kEveryWord = -100;
    rule.threshold = threshold < kBeyond ? static_cast<int>(std::clamp(threshold, 0.0, 1e6)) : kEveryWord;
    for (std::size_t query = 0; query < kResidueTableSize; ++query) {
        for (std::size_t target = 0; target < kResidueTableSize; ++target) {
            rule.pair_score[query][target] = static_cast<std::int16_t>(
                matrix.score_raw(static_cast<ResidueCode>(query), static_cast<ResidueCode>(target)));
        }
        rule.letter_class[query] = query < kResidueCodes ? static_cast<std::uint8_t>(query) : kNoClass;
    }
    return rule;
}

// A letter with a class scores by the class's mean frequency ratio, in which the members are
// weighted by their background.
WordRule WordRule::compressed(const SubstitutionMatrix& matrix, int residues, double threshold,
                              double ungapped_lambda) {
    const FrequencyRatios& ratios = *frequency_ratios(matrix.name());
    const auto& background = background_frequencies();
    WordRule rule;
    rule.residues = residues;
    rule.threshold = static_cast<int>(std::clamp(kCompressedScale * threshold, 0.0, 1e6));
    for (auto& row : rule.pair_score) row.fill(kNeverScore);
    rule.letter_class.fill(kNoClass);
    std::string_view rest = residues == kFewestCompressed ? kFifteenClasses : kTenClasses;
    for (std::uint8_t number = 0; !rest.empty(); ++number) {
        const std::string_view letters = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), letters.size() + 1));
        const auto codes = encode_residues(letters);
        double weight = 0;
        for (const ResidueCode code : codes) weight += code < kAminoAcids ? background[code] : 0;
        for (std::size_t query = 0; query < kResidueCodes; ++query) {
            double ratio = 0;
            for (const ResidueCode code : codes) {
                if (code < kAminoAcids) ratio += ratios[query][code] * (background[code] / weight);
            }
            if (ratio < 1e-8) continue;
            const double score = std::log(ratio) * (kCompressedScale / ungapped_lambda);
            const auto rounded_score = static_cast<std::int16_t>(score + (score >= 0 ? 0.5 : -0.5));
            for (const ResidueCode code : codes) rule.pair_score[query][code] = rounded_score;
        }
        for (const ResidueCode code : codes) rule.letter_class[code] = number;
    }
    return rule;
}

}  // namespace warpseq
