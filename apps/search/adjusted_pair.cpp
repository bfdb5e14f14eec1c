#include "apps/search/adjusted_pair.h"

#include <algorithm>
#include <numbers>

#include "apps/search/near_identical.h"
#include "libcore/seg.h"

namespace warpseq {

double preliminary_evalue(double evalue, CompositionMode mode) {
    constexpr double kStretch = 5;
    return mode == CompositionMode::kConditional || mode == CompositionMode::kOptimized ? kStretch * evalue : evalue;
}

std::uint64_t preliminary_targets(std::uint64_t max_targets) {
    constexpr std::uint64_t kFewest = 500, kMore = 50;
    return 2 * std::max(max_targets, kFewest) + kMore;
}

AdjustedPair::AdjustedPair(const CompositionAdjuster& adjuster, const GapCosts& gaps,
                           const AlignmentStatistics& statistics)
    : adjuster_(adjuster),
      lambda_(statistics.gapped().lambda / kAdjustedScale),
      scores_{{}, {gaps.open * kAdjustedScale, gaps.extend * kAdjustedScale}} {}

void AdjustedPair::set_query(std::span<const ResidueCode> query) {
    query_.assign(query.begin(), query.end());
    std::ranges::replace(query_, kCodeO, kCodeX);
    std::ranges::replace(query_, kCodeU, kCodeC);
    query_composition_ = composition_of(query_);
}

void AdjustedPair::set_target(std::span<const ResidueCode> target) { target_.assign(target.begin(), target.end()); }

bool AdjustedPair::set_masked_target(std::span<const ResidueCode> target) {
    constexpr SegParameters kMasking{10, 1.8, 2.1};
    set_target(target);
    const auto stretches = seg_stretches(target, kMasking);
    for (const SegStretch& stretch : stretches) {
        std::fill(target_.begin() + static_cast<std::ptrdiff_t>(stretch.begin),
                  target_.begin() + static_cast<std::ptrdiff_t>(stretch.end), kCodeX);
    }
    return !stretches.empty();
}

bool AdjustedPair::may_be_near_identical(const AlignedBox& found) const {
    constexpr std::uint64_t kFewestResidues = 50;
    constexpr double kBitsPerResidue = 1.74;
    const std::uint64_t target_residues = found.target_end - found.target_begin;
    if (target_residues + 1 < std::min<std::uint64_t>(query_.size(), kFewestResidues)) return false;
    const auto aligned = static_cast<double>(std::min(found.query_end - found.query_begin, target_residues));
    return static_cast<double>(kAdjustedScale * found.score_raw) / aligned >=
           kBitsPerResidue * std::numbers::ln2 / lambda_;
}

bool AdjustedPair::is_near_identical(const AlignedBox& found, std::span<const ResidueCode> target) const {
    return warpseq::is_near_identical(query().subspan(found.query_begin, found.query_end - found.query_begin),
                                      target.subspan(found.target_begin, found.target_end - found.target_begin));
}

std::optional<CompositionAdjuster::Rule> AdjustedPair::adjust() {
    return adjuster_.adjust(query_composition_, query_.size(), composition_of(target_), target_.size(), scores_.pairs);
}

}  // namespace warpseq
