#include "kernels/seeds/word_hits_reference.h"

#include "kernels/seeds/diagonal_state.h"

namespace warpseq::reference {
namespace {

class Finder final : public WordHitFinder {
   public:
    Finder(std::span<const ResidueCode> query, std::span<const QueryStretch> stretches, const WordRule& rule,
           const SubstitutionMatrix& matrix, const WordHitSettings& settings)
        : query_(query.begin(), query.end()),
          stretches_(stretches.begin(), stretches.end()),
          rule_(rule),
          matrix_(matrix),
          settings_(settings) {}

    void find(std::span<const ResidueCode> target, WordHitWorkspace& workspace,
              std::vector<UngappedAlignment>& found) const override {
        DiagonalExtender& extender = workspace.memory().extender;
        extender.begin(matrix_, settings_, rule_.residues, query_, target, target.size(), found);
        const auto word = static_cast<std::size_t>(rule_.residues);
        for (std::size_t j = 0; j + word <= target.size(); ++j) {
            for (const QueryStretch& stretch : stretches_) {
                for (std::size_t i = stretch.begin; i + word <= stretch.end; ++i) {
                    if (is_hit(i, target, j))
                        extender.add_hit(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
                }
            }
        }
        extender.finish();
    }

   private:
    bool is_hit(std::size_t i, std::span<const ResidueCode> target, std::size_t j) const {
        int score = 0, own_score = 0;
        bool equal = true;
        for (std::size_t k = 0; k < static_cast<std::size_t>(rule_.residues); ++k) {
            const ResidueCode a = query_[i + k], b = target[j + k];
            const std::uint8_t a_class = rule_.letter_class[a], b_class = rule_.letter_class[b];
            if (a_class == WordRule::kNoClass || b_class == WordRule::kNoClass) return false;
            equal = equal && a_class == b_class;
            score += rule_.pair_score[a][b];
            own_score += rule_.pair_score[a][a];
        }
        if (rule_.threshold == 0) return equal;
        return score >= rule_.threshold || (equal && own_score < rule_.threshold);
    }

    std::vector<ResidueCode> query_;
    std::vector<QueryStretch> stretches_;
    WordRule rule_;
    const SubstitutionMatrix& matrix_;
    WordHitSettings settings_;
};

}  // namespace

std::unique_ptr<WordHitFinder> make_word_hit_finder(std::span<const ResidueCode> query,
                                                    std::span<const QueryStretch> stretches, const WordRule& rule,
                                                    const SubstitutionMatrix& matrix, const WordHitSettings& settings) {
    return std::make_unique<Finder>(query, stretches, rule, matrix, settings);
}

}  // namespace warpseq::reference
