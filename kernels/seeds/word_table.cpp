#include "kernels/seeds/word_table.h"

#include <limits>

#include "kernels/seeds/word_neighbourhood.h"

namespace warpseq {

bool WordTable::takes(const WordRule& rule, std::size_t query_residues) {
    return rule.residues <= kMostResidues && has_small_neighbourhoods(rule) &&
           query_residues <= std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;
}

WordTable::WordTable(std::span<const ResidueCode> query, std::span<const QueryStretch> stretches, const WordRule& rule)
    : last_word_((std::uint32_t{1} << kLetterBits * rule.residues) - 1), first_hit_(std::size_t{last_word_} + 2) {
    struct Found {
        std::uint16_t word, query_at;
    };
    static_assert(kLetterBits * kMostResidues <= std::numeric_limits<std::uint16_t>::digits);
    const WordNeighbourhood neighbourhood(rule);
    const auto word_residues = static_cast<std::uint32_t>(rule.residues);
    std::vector<Found> found;
    for (const QueryStretch& stretch : stretches) {
        for (std::uint32_t i = stretch.begin; i + word_residues <= stretch.end; ++i) {
            neighbourhood.find<kResidueTableSize>(query.data() + i, [&](std::uint32_t word) {
                found.push_back({static_cast<std::uint16_t>(word), static_cast<std::uint16_t>(i)});
                ++first_hit_[word];
            });
        }
    }
    // Each entry becomes the end of its hits. Then they are put from the last one on, so that it
    // ends as the index of the first one.
    std::uint32_t count = 0;
    for (std::uint32_t& entry : first_hit_) entry = count += entry;
    hits_.resize(count);
    for (std::size_t k = found.size(); k-- > 0;) hits_[--first_hit_[found[k].word]] = found[k].query_at;
}

}  // namespace warpseq
