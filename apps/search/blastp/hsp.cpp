#include "apps/search/blastp/hsp.h"

#include <algorithm>
#include <tuple>

namespace warpseq {

bool hsp_before(const Hsp& a, const Hsp& b) {
    return std::tuple(b.score_raw, a.target_begin, b.target_end, a.query_begin, b.query_end) <
           std::tuple(a.score_raw, b.target_begin, a.target_end, b.query_begin, a.query_end);
}

void purge_common_ends(std::vector<Hsp>& hsps) {
    const auto keep_first = [&](const auto& before, const auto& same) {
        std::ranges::stable_sort(hsps, before);
        const auto rest = std::ranges::unique(hsps, same);
        hsps.erase(rest.begin(), rest.end());
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

bool HspSet::contains(const Hsp& hsp) const {
    return std::ranges::any_of(boxes_, [&](const Box& box) {
        const auto holds = [&](std::uint64_t query_at, std::uint64_t target_at) {
            return box.query_begin <= query_at && query_at <= box.query_end && box.target_begin <= target_at && target_at <= box.target_end;
        };
        return hsp.score_raw <= box.score_raw && holds(hsp.query_begin, hsp.target_begin) && holds(hsp.query_end, hsp.target_end);
    });
}

// True if another one keeps the place; one that loses it is taken out.
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
    if (is_occupied(box, [&](const Box& b) { return b.query_begin == box.query_begin && b.target_begin == box.target_begin; })) return;
    if (is_occupied(box, [&](const Box& b) { return b.query_end == box.query_end && b.target_end == box.target_end; })) return;
    boxes_.push_back(box);
}

}  // namespace warpseq
