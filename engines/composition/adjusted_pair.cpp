#include "engines/composition/adjusted_pair.h"

#include <algorithm>
#include <numbers>
#include <span>

#include "engines/composition/near_identical.h"
#include "libcore/sequence/seg.h"

namespace warpseq {

double preliminary_evalue(double evalue, CompositionMode mode) {
    constexpr double kStretch = 5;
    return mode == CompositionMode::kConditional || mode == CompositionMode::kOptimized ? kStretch * evalue : evalue;
}

std::uint64_t preliminary_targets(std::uint64_t max_targets) {
    constexpr std::uint64_t kFewest = 500, kMore = 50;
    return 2 * std::max(max_targets, kFewest) + kMore;
}

std::vector<SegStretch> low_complexity_of(std::span<const ResidueCode> target) {
    constexpr SegParameters kMasking{10, 1.8, 2.1};
    return seg_stretches(target, kMasking);
}

AdjustedPair::AdjustedPair(const CompositionAdjuster& adjuster, const ScoringScheme& scheme,
                           const AlignmentStatistics& statistics)
    : adjuster_(adjuster),
      lambda_(statistics.gapped().lambda / kAdjustedScale),
      scores_{{}, {scheme.gaps.open * kAdjustedScale, scheme.gaps.extend * kAdjustedScale}} {
    constexpr double kBitsPerResidue = 1.74;
    least_near_identical_ = kBitsPerResidue * std::numbers::ln2 / lambda_;
    for (std::size_t a = 0; a < kResidueCodes; ++a) {
        const auto row = std::span(scheme.matrix.table()[a]).first(kResidueCodes);
        best_raw_[a] = std::max<std::int32_t>(std::ranges::max(row), 0);
    }
}

void AdjustedPair::set_query(std::span<const ResidueCode> query) {
    query_.assign(query.begin(), query.end());
    std::ranges::replace(query_, kCodeO, kCodeX);
    std::ranges::replace(query_, kCodeU, kCodeC);
    query_composition_ = composition_of(query_);
}

void AdjustedPair::set_target(std::span<const ResidueCode> target) { target_.assign(target.begin(), target.end()); }

bool AdjustedPair::set_masked_target(std::span<const ResidueCode> target) {
    // blastp comes back to a target with its next query.
    if (!std::ranges::equal(target, looked_at_)) {
        looked_at_.assign(target.begin(), target.end());
        low_complexity_ = low_complexity_of(target);
    }
    return set_masked_target(target, low_complexity_);
}

bool AdjustedPair::set_masked_target(std::span<const ResidueCode> target, std::span<const SegStretch> low_complexity) {
    set_target(target);
    for (const SegStretch& stretch : low_complexity) {
        std::fill(target_.begin() + static_cast<std::ptrdiff_t>(stretch.begin),
                  target_.begin() + static_cast<std::ptrdiff_t>(stretch.end), kCodeX);
    }
    return !low_complexity.empty();
}

std::uint64_t AdjustedPair::fewest_target_residues() const {
    constexpr std::size_t kFewest = 50;
    return std::max<std::size_t>(std::min(query_.size(), kFewest), 1) - 1;
}

bool AdjustedPair::may_be_near_identical(const AlignedBox& found) const {
    const std::uint64_t target_residues = found.target_end - found.target_begin;
    if (target_residues < fewest_target_residues()) return false;
    const auto aligned = static_cast<double>(std::min(found.query_end - found.query_begin, target_residues));
    return static_cast<double>(kAdjustedScale * found.score_raw) / aligned >= least_near_identical_;
}

// A score allows for `most` residues of one sequence, at most. If the target needs more, these
// residues are the query's and the rest of the target's stands in a gap. Then no stretch of the
// query may be worth that much.
bool AdjustedPair::may_be_near_identical(std::int64_t score_raw) const {
    const auto score = kAdjustedScale * score_raw;
    const auto most = static_cast<std::uint64_t>(static_cast<double>(score) / least_near_identical_) + 1;
    if (most >= fewest_target_residues()) return true;
    std::int64_t sum_raw = 0, highest_raw = 0;
    for (std::size_t i = 0; i < query_.size(); ++i) {
        sum_raw += best_raw_[query_[i]];
        if (i >= most) sum_raw -= best_raw_[query_[i - most]];
        highest_raw = std::max(highest_raw, sum_raw);
    }
    const auto gap_residues = static_cast<std::int64_t>(fewest_target_residues() - most);
    return kAdjustedScale * highest_raw - scores_.gaps.open - scores_.gaps.extend * gap_residues >= score;
}

bool AdjustedPair::is_near_identical(const AlignedBox& found, std::span<const ResidueCode> target) const {
    return warpseq::is_near_identical(query().subspan(found.query_begin, found.query_end - found.query_begin),
                                      target.subspan(found.target_begin, found.target_end - found.target_begin));
}

std::optional<CompositionAdjuster::Rule> AdjustedPair::adjust() {
    return adjuster_.adjust(query_composition_, query_.size(), composition_of(target_), target_.size(), scores_.pairs);
}

}  // namespace warpseq
