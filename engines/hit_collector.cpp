#include "engines/hit_collector.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpseq {
namespace {

/// Whether any score reaches `lowest`. It has no branch, so that many scores are compared at once.
bool any_reaches(std::span<const std::int32_t> scores_raw, std::int32_t lowest) {
    std::int32_t any = 0;
    for (const std::int32_t score : scores_raw) any |= static_cast<std::int32_t>(score >= lowest);
    return any != 0;
}

}  // namespace

HitCollector::HitCollector(const DatabaseSet& databases, std::span<const Query> queries,
                           const std::optional<AlignmentStatistics>& statistics, const SearchSpace& space,
                           double evalue, std::uint64_t max_hits)
    : databases_(databases),
      queries_(queries),
      statistics_(statistics),
      space_(space),
      evalue_(evalue),
      thresholds_(queries.size()),
      hits_(queries.size(), HitList(max_hits)) {}

std::int32_t HitCollector::lowest_score(std::size_t query, std::uint64_t target_residues) {
    if (std::isinf(evalue_)) return 1;
    Threshold& threshold = thresholds_[query];
    const ScoreAllowance& allowance = queries_[query].allowance;
    if (target_residues == threshold.target_residues) return allowance.lowest(threshold.lowest);
    const auto passes = [&](std::int32_t score) {
        return statistics_->evalue(score, queries_[query].residues.size(), target_residues, space_) <= evalue_;
    };
    // E falls as the score rises, so the answer is unique whatever the search starts from.
    while (threshold.lowest > 1 && passes(threshold.lowest - 1)) --threshold.lowest;
    while (!passes(threshold.lowest)) ++threshold.lowest;
    threshold.target_residues = target_residues;
    return allowance.lowest(threshold.lowest);
}

void HitCollector::add(std::size_t query, std::size_t database, std::uint64_t first_rank,
                       std::span<const std::int32_t> scores_raw) {
    const WsdbReader& reader = databases_.reader(database);
    const TargetMembers* const searched = databases_.searched(database);
    const auto lengths = reader.lengths_residues().subspan(first_rank, scores_raw.size());
    std::uint64_t added = 0;
    // Sequences come sorted by length, so one threshold serves all sequences of a length.
    for (std::size_t begin = 0, end; begin < scores_raw.size(); begin = end) {
        const std::uint64_t stored = lengths[begin];
        const auto rest = lengths.subspan(begin, scores_raw.size() - begin);
        end = begin + static_cast<std::size_t>(
                          std::ranges::partition_point(rest, [&](std::uint64_t each) { return each == stored; }) -
                          rest.begin());
        // A sequence that scores has residues, unless its file is changed meanwhile.
        const std::uint64_t length = std::max<std::uint64_t>(stored, 1);
        const std::int32_t lowest = std::max(lowest_score(query, length), 1);
        const auto of_length = scores_raw.subspan(begin, end - begin);
        if (!any_reaches(of_length, lowest)) continue;
        for (std::size_t i = 0; i < of_length.size(); ++i) {
            const std::int32_t score = of_length[i];
            const std::uint64_t rank = first_rank + begin + i;
            if (score < lowest || (searched != nullptr && !searched->has(rank))) continue;
            const double evalue =
                statistics_ ? statistics_->evalue(score, queries_[query].residues.size(), length, space_) : 0;
            hits_[query].add(
                {evalue, score, static_cast<std::uint32_t>(database), rank, reader.input_positions()[rank]});
            ++added;
        }
    }
    if (added > 0) added_.fetch_add(added, std::memory_order_relaxed);
}

void HitCollector::move_hits_to(HitCollector& other) {
    for (std::size_t query = 0; query < hits_.size(); ++query) other.hits_[query].merge(std::move(hits_[query]));
    added_ = 0;
}

std::vector<std::vector<Hit>> take_sorted_hits(std::span<HitCollector* const> collectors, std::size_t query_count) {
    std::vector<std::vector<Hit>> hits(query_count);
    for (std::size_t query = 0; query < query_count; ++query) {
        HitList& all = collectors.front()->hits(query);
        for (HitCollector* collector : collectors.subspan(1)) all.merge(std::move(collector->hits(query)));
        hits[query] = all.take_sorted();
    }
    return hits;
}

}  // namespace warpseq
