#include "engines/blastp/composition_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace warpseq {
namespace {

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
bool have_same_end(const Hsp& a, const Hsp& b) { return begin_of(a) == begin_of(b) || end_of(a) == end_of(b); }

/// Whether an end of `added` lies within `hsp` on the diagonal of its own end.
bool have_similar_end(const Hsp& hsp, const Hsp& added) {
    const auto similar = [&](const Point& of_hsp, const Point& of_added) {
        return holds(hsp, of_added) && diagonal_of(of_hsp) == diagonal_of(of_added);
    };
    return similar(begin_of(hsp), begin_of(added)) || similar(end_of(hsp), end_of(added));
}

/// Puts `added` first and removes HSPs that share an end with it. If one of those scores as high,
/// `added` is left out instead.
void add_distinct(std::vector<Hsp>& hsps, Hsp added, bool same_scores) {
    const bool is_known = std::ranges::any_of(hsps, [&](const Hsp& hsp) {
        return (same_scores ? have_same_end(hsp, added) : have_similar_end(hsp, added)) &&
               added.score_raw <= hsp.score_raw;
    });
    if (is_known) return;
    std::erase_if(hsps, [&](const Hsp& hsp) { return have_same_end(hsp, added); });
    hsps.insert(hsps.begin(), std::move(added));
}

AlignedBox box_of(const Hsp& hsp) {
    return {hsp.score_raw, hsp.query_begin, hsp.query_end, hsp.target_begin, hsp.target_end};
}

}  // namespace

CompositionSearcher::CompositionSearcher(const BlastpParameters& parameters, const SearchSpace& space,
                                         std::stop_token stop)
    : parameters_(parameters),
      space_(space),
      extender_(parameters.backend),
      pair_(*parameters.adjuster, parameters.scheme, parameters.statistics),
      x_drop_(
          BlastpParameters::x_drop_raw(parameters.x_drop_final_bits, pair_.lambda(), parameters.x_drop_final_raw())),
      stop_(std::move(stop)) {
    extender_.stop = stop_;
}

std::vector<Hsp> CompositionSearcher::trace_back(const BlastpQuery& query, std::span<const ResidueCode> target,
                                                 std::span<const Hsp> preliminary) {
    std::vector<Hsp> hsps;
    if (preliminary.empty()) return hsps;
    pair_.set_query(query.scored);
    bool may_be_biased = true, near = false, was_near = false;
    std::optional<CompositionAdjuster::Rule> rule;
    int adjustments = 0;
    for (std::size_t k = 0; k < preliminary.size(); ++k) {
        if (stop_.stop_requested()) return {};
        const Hsp& found = preliminary[k];
        if (may_be_biased) near = pair_.may_be_near_identical(box_of(found));
        const bool changes = k == 0 || near != was_near;
        was_near = near;
        if (changes && may_be_biased) {
            if (near && pair_.is_near_identical(box_of(preliminary.front()), target)) {
                pair_.set_target(target);
            } else {
                may_be_biased = pair_.set_masked_target(target);
            }
        }
        constexpr double kToleranceBits = 2;
        const double enough = kAdjustedScale * found.score_raw + kToleranceBits * std::numbers::ln2 / pair_.lambda();
        if (std::ranges::any_of(hsps,
                                [&](const Hsp& hsp) { return holds_both_ends(hsp, found) && enough <= hsp.score_raw; }))
            continue;
        if (changes) {
            ++adjustments;
            rule = pair_.adjust();
        }
        if (!rule) continue;
        Alignment alignment = extender_.align(pair_.scores(), pair_.query(), pair_.target(), found.query_seed,
                                              found.target_seed, x_drop_);
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
    // In tiny search spaces a score that rounds to 0 can be significant; blastp does not report it.
    std::erase_if(hsps, [&](const Hsp& hsp) { return hsp.evalue > parameters_.evalue || hsp.score_raw < 1; });
    std::ranges::stable_sort(hsps, lower_evalue_before);
    return hsps;
}

}  // namespace warpseq
