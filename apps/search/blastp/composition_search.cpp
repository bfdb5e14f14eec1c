#include "apps/search/blastp/composition_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "apps/search/blastp/near_identical.h"
#include "libcore/seg.h"

namespace warpseq {
namespace {

constexpr SegParameters kTargetMasking{10, 1.8, 2.1};

struct Point {
    std::uint64_t query, target;
    bool operator==(const Point&) const = default;
};
Point begin_of(const Hsp& hsp) { return {hsp.query_begin, hsp.target_begin}; }
Point end_of(const Hsp& hsp) { return {hsp.query_end, hsp.target_end}; }
std::int64_t diagonal_of(const Point& point) {
    return static_cast<std::int64_t>(point.query) - static_cast<std::int64_t>(point.target);
}

bool holds(const Hsp& hsp, const Point& point) {
    return hsp.query_begin <= point.query && point.query <= hsp.query_end && hsp.target_begin <= point.target &&
           point.target <= hsp.target_end;
}
bool holds_both_ends(const Hsp& outer, const Hsp& inner) {
    return holds(outer, begin_of(inner)) && holds(outer, end_of(inner));
}
bool have_same_end(const Hsp& a, const Hsp& b) { return begin_of(a) == begin_of(b) || end_of(a) == end_of(b); }

/// An end of `added` lies within `hsp` on the diagonal of its own end.
bool have_similar_end(const Hsp& hsp, const Hsp& added) {
    const auto similar = [&](const Point& of_hsp, const Point& of_added) {
        return holds(hsp, of_added) && diagonal_of(of_hsp) == diagonal_of(of_added);
    };
    return similar(begin_of(hsp), begin_of(added)) || similar(end_of(hsp), end_of(added));
}

/// Latest first; of those that share an end with `added` it stays alone, unless one scores as high.
void add_distinct(std::vector<Hsp>& hsps, Hsp added, bool same_scores) {
    const bool is_known = std::ranges::any_of(hsps, [&](const Hsp& hsp) {
        return (same_scores ? have_same_end(hsp, added) : have_similar_end(hsp, added)) &&
               added.score_raw <= hsp.score_raw;
    });
    if (is_known) return;
    std::erase_if(hsps, [&](const Hsp& hsp) { return have_same_end(hsp, added); });
    hsps.insert(hsps.begin(), std::move(added));
}

/// In order of score: those within an earlier one go.
void drop_contained(std::vector<Hsp>& hsps) {
    std::vector<Hsp> kept;
    for (Hsp& hsp : hsps) {
        if (std::ranges::none_of(kept, [&](const Hsp& earlier) { return holds_both_ends(earlier, hsp); }))
            kept.push_back(std::move(hsp));
    }
    hsps = std::move(kept);
}

std::vector<ResidueCode> masked(std::span<const ResidueCode> target, std::span<const SegStretch> stretches) {
    std::vector<ResidueCode> residues(target.begin(), target.end());
    for (const SegStretch& stretch : stretches) {
        std::fill(residues.begin() + static_cast<std::ptrdiff_t>(stretch.begin),
                  residues.begin() + static_cast<std::ptrdiff_t>(stretch.end), kCodeX);
    }
    return residues;
}

}  // namespace

CompositionSearcher::CompositionSearcher(const BlastpParameters& parameters, const SearchSpace& space)
    : parameters_(parameters),
      space_(space),
      extender_(parameters.backend),
      scores_{{}, {parameters.scheme.gaps.open * kAdjustedScale, parameters.scheme.gaps.extend * kAdjustedScale}},
      lambda_(parameters.statistics.gapped().lambda / kAdjustedScale),
      x_drop_(std::max(static_cast<int>(parameters.x_drop_final_bits * std::numbers::ln2 / lambda_),
                       parameters.x_drop_final_raw())) {}

// By bits a residue.
bool CompositionSearcher::may_be_near_identical(const BlastpQuery& query, const Hsp& hsp) const {
    constexpr std::uint64_t kFewestResidues = 50;
    constexpr double kBitsPerResidue = 1.74;
    const std::uint64_t target_residues = hsp.target_end - hsp.target_begin;
    if (target_residues + 1 < std::min<std::uint64_t>(query.residues.size(), kFewestResidues)) return false;
    const auto aligned = static_cast<double>(std::min(hsp.query_end - hsp.query_begin, target_residues));
    return kAdjustedScale * hsp.score_raw / aligned >= kBitsPerResidue * std::numbers::ln2 / lambda_;
}

std::vector<Hsp> CompositionSearcher::trace_back(const BlastpQuery& query, std::span<const ResidueCode> target,
                                                 std::span<const Hsp> preliminary) {
    std::vector<Hsp> hsps;
    if (preliminary.empty()) return hsps;
    query_ = query.scored;
    std::ranges::replace(query_, kCodeU, kCodeC);
    bool may_be_biased = true, near = false, was_near = false;
    std::optional<CompositionAdjuster::Rule> rule;
    int adjustments = 0;
    for (std::size_t k = 0; k < preliminary.size(); ++k) {
        const Hsp& found = preliminary[k];
        if (may_be_biased) near = may_be_near_identical(query, found);
        const bool changes = k == 0 || near != was_near;
        was_near = near;
        if (changes && may_be_biased) {
            const Hsp& first = preliminary.front();
            const auto of_query =
                std::span<const ResidueCode>(query_).subspan(first.query_begin, first.query_end - first.query_begin);
            const auto of_target = target.subspan(first.target_begin, first.target_end - first.target_begin);
            if (near && is_near_identical(of_query, of_target)) {
                target_.assign(target.begin(), target.end());
            } else {
                const auto stretches = seg_stretches(target, kTargetMasking);
                may_be_biased = !stretches.empty();
                target_ = masked(target, stretches);
            }
        }
        constexpr double kToleranceBits = 2;
        const double enough = kAdjustedScale * found.score_raw + kToleranceBits * std::numbers::ln2 / lambda_;
        if (std::ranges::any_of(hsps,
                                [&](const Hsp& hsp) { return holds_both_ends(hsp, found) && enough <= hsp.score_raw; }))
            continue;
        if (changes) {
            ++adjustments;
            rule = parameters_.adjuster->adjust(query.composition, query.scored.size(), composition_of(target_),
                                                target_.size(), scores_.pairs);
        }
        if (!rule) continue;
        Alignment alignment = extender_.align(scores_, query_, target_, found.query_seed, found.target_seed, x_drop_);
        if (alignment.score_raw < 1) continue;
        Hsp hsp = hsp_of(std::move(alignment));
        hsp.rule = rule;
        add_distinct(hsps, std::move(hsp), adjustments == 1);
    }
    std::ranges::stable_sort(hsps, hsp_before);
    drop_contained(hsps);
    for (Hsp& hsp : hsps) {
        const double score_raw = static_cast<double>(hsp.score_raw) / kAdjustedScale;
        hsp.evalue = parameters_.statistics.evalue(score_raw, query.residues.size(), target.size(), space_);
        hsp.score_raw = static_cast<std::int32_t>(std::lround(score_raw));
    }
    std::erase_if(hsps, [&](const Hsp& hsp) { return hsp.evalue > parameters_.evalue; });
    return hsps;
}

}  // namespace warpseq
