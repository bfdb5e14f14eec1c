#include "engines/blastp/hsp.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "engines/blastp/query_parts.h"

namespace warpseq {

Hsp hsp_of(Alignment alignment) {
    Hsp hsp;
    hsp.score_raw = static_cast<std::int32_t>(alignment.score_raw);
    hsp.query_begin = alignment.query_begin;
    hsp.query_end = alignment.query_end;
    hsp.target_begin = alignment.target_begin;
    hsp.target_end = alignment.target_end;
    hsp.runs = std::move(alignment.runs);
    return hsp;
}

bool hsp_before(const Hsp& a, const Hsp& b) {
    return std::tuple(b.score_raw, a.target_begin, b.target_end, a.query_begin, b.query_end) <
           std::tuple(a.score_raw, b.target_begin, a.target_end, b.query_begin, a.query_end);
}

bool lower_evalue_before(const Hsp& a, const Hsp& b) {
    const auto evalue = [](const Hsp& hsp) { return hsp.evalue < kLowestEvalue ? 0 : hsp.evalue; };
    return evalue(a) != evalue(b) ? evalue(a) < evalue(b) : hsp_before(a, b);
}

void purge_common_ends(std::vector<Hsp>& hsps) {
    const auto keep_first = [&](const auto& before, const auto& same) {
        std::ranges::stable_sort(hsps, before);
        hsps.erase(std::unique(hsps.begin(), hsps.end(), same), hsps.end());
    };
    keep_first(
        [](const Hsp& a, const Hsp& b) {
            return std::tuple(a.query_begin, a.target_begin, b.score_raw, b.query_end, b.target_end) <
                   std::tuple(b.query_begin, b.target_begin, a.score_raw, a.query_end, a.target_end);
        },
        [](const Hsp& a, const Hsp& b) { return a.query_begin == b.query_begin && a.target_begin == b.target_begin; });
    keep_first(
        [](const Hsp& a, const Hsp& b) {
            return std::tuple(a.query_end, a.target_end, b.score_raw, b.query_begin, b.target_begin) <
                   std::tuple(b.query_end, b.target_end, a.score_raw, a.query_begin, a.target_begin);
        },
        [](const Hsp& a, const Hsp& b) { return a.query_end == b.query_end && a.target_end == b.target_end; });
}

void merge_part(std::vector<Hsp>& hsps, std::vector<Hsp> of_part, std::uint64_t part_begin) {
    constexpr std::int64_t kNearDiagonals = 10;
    const auto diagonal = [](std::uint64_t query_at, std::uint64_t target_at) {
        return static_cast<std::int64_t>(query_at) - static_cast<std::int64_t>(target_at);
    };
    // HSPs that can be merged come first. Each is exchanged with the one that stands in its place.
    // Later ones are merged with what earlier ones have become.
    const auto to_front = [](std::vector<Hsp>& all, const auto& chosen) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (chosen(all[i])) std::swap(all[count++], all[i]);
        }
        return count;
    };
    const std::size_t old_count =
        to_front(hsps, [&](const Hsp& hsp) { return part_begin > 0 && hsp.query_end > part_begin; });
    const std::size_t new_count =
        to_front(of_part, [&](const Hsp& hsp) { return hsp.query_begin < part_begin + kPartOverlapResidues; });
    std::vector<bool> is_merged(of_part.size());
    for (std::size_t i = 0; i < old_count; ++i) {
        Hsp& hsp = hsps[i];
        for (std::size_t k = 0; k < new_count; ++k) {
            const Hsp& other = of_part[k];
            if (is_merged[k]) continue;
            const auto holds = [&](std::uint64_t query_at, std::uint64_t target_at) {
                return hsp.query_begin <= query_at && query_at <= hsp.query_end && hsp.target_begin <= target_at &&
                       target_at <= hsp.target_end;
            };
            if (std::abs(diagonal(hsp.query_end, hsp.target_end) - diagonal(other.query_begin, other.target_begin)) >=
                kNearDiagonals)
                continue;
            if (!holds(other.query_begin, other.target_begin) && !holds(other.query_end, other.target_end)) continue;
            const std::uint64_t residues = hsp.query_end - hsp.query_begin + other.query_end - other.query_begin;
            const double score_per_residue = static_cast<double>(hsp.score_raw + other.score_raw) /
                                             static_cast<double>(std::max<std::uint64_t>(residues, 1));
            hsp.query_begin = std::min(hsp.query_begin, other.query_begin);
            hsp.query_end = std::max(hsp.query_end, other.query_end);
            hsp.target_begin = std::min(hsp.target_begin, other.target_begin);
            hsp.target_end = std::max(hsp.target_end, other.target_end);
            if (other.score_raw > hsp.score_raw) {
                hsp.score_raw = other.score_raw;
                hsp.query_seed = other.query_seed;
                hsp.target_seed = other.target_seed;
            }
            hsp.score_raw = std::max(
                hsp.score_raw,
                static_cast<std::int32_t>(score_per_residue * static_cast<double>(hsp.query_end - hsp.query_begin)));
            is_merged[k] = true;
        }
    }
    for (std::size_t k = 0; k < of_part.size(); ++k) {
        if (!is_merged[k]) hsps.push_back(std::move(of_part[k]));
    }
    std::ranges::stable_sort(hsps, hsp_before);
}

void drop_contained(std::vector<Hsp>& hsps) {
    std::vector<Hsp> kept;
    for (Hsp& hsp : hsps) {
        if (std::ranges::none_of(kept, [&](const Hsp& earlier) { return holds_both_ends(earlier, hsp); }))
            kept.push_back(std::move(hsp));
    }
    hsps = std::move(kept);
}

double coverage_percent(std::uint64_t covered_residues, std::uint64_t query_residues) {
    if (query_residues == 0) return 0;
    const double percent = 100 * static_cast<double>(covered_residues) / static_cast<double>(query_residues);
    return percent < 99 ? percent + 0.5 : percent;
}

bool HspSet::contains(const Hsp& hsp) const {
    return std::ranges::any_of(
        boxes_, [&](const Box& box) { return hsp.score_raw <= box.score_raw && holds_both_ends(box, hsp); });
}

// Whether another HSP keeps the place. An HSP that loses its place is removed.
template <class SameEnd>
bool HspSet::is_occupied(const Box& box, const SameEnd& same_end) {
    const auto rank = [](const Box& b) {
        return std::tuple(-std::int64_t{b.score_raw}, b.query_end - b.query_begin, b.target_end - b.target_begin);
    };
    const auto other = std::ranges::find_if(boxes_, same_end);
    if (other == boxes_.end()) return false;
    if (rank(*other) <= rank(box)) return true;
    boxes_.erase(other);
    return false;
}

void HspSet::add(const Hsp& hsp) {
    const Box box{hsp.score_raw, hsp.query_begin, hsp.query_end, hsp.target_begin, hsp.target_end};
    if (is_occupied(
            box, [&](const Box& b) { return b.query_begin == box.query_begin && b.target_begin == box.target_begin; }))
        return;
    if (is_occupied(box, [&](const Box& b) { return b.query_end == box.query_end && b.target_end == box.target_end; }))
        return;
    boxes_.push_back(box);
}

}  // namespace warpseq
