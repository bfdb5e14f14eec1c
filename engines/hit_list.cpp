#include "engines/hit_list.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace warpseq {

bool reported_before(const Hit& a, const Hit& b) {
    return std::tuple(a.evalue, -std::int64_t{a.score_raw}, a.database, a.input_position) <
           std::tuple(b.evalue, -std::int64_t{b.score_raw}, b.database, b.input_position);
}

void HitList::add(const Hit& hit) {
    hits_.push_back(hit);
    // Pruning at twice the limit makes the selection's cost constant per hit.
    if (limit_ != 0 && hits_.size() >= most_held(limit_)) prune();
}

void HitList::merge(HitList&& other) {
    hits_.insert(hits_.end(), other.hits_.begin(), other.hits_.end());
    std::vector<Hit>().swap(other.hits_);
    prune();
}

void HitList::prune() {
    if (limit_ == 0 || hits_.size() <= limit_) return;
    const auto end = hits_.begin() + static_cast<std::ptrdiff_t>(limit_);
    std::nth_element(hits_.begin(), end, hits_.end(), reported_before);
    hits_.erase(end, hits_.end());
}

std::vector<Hit> HitList::take_sorted() {
    prune();
    std::ranges::sort(hits_, reported_before);
    return std::exchange(hits_, {});
}

std::uint64_t expected_hits(double evalue, std::uint64_t sequences) {
    constexpr double kByChance = 40, kRelatives = 10'000;
    const double hits = kByChance * evalue + kRelatives;
    return hits < static_cast<double>(sequences) ? static_cast<std::uint64_t>(hits) : sequences;
}

}  // namespace warpseq
