#include "reports/blast/blastp_order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "libcore/scoring/alignment.h"
#include "reports/alignment_text.h"

namespace warpseq {
namespace {

/// Sorts the hits of one query. As in NCBI's blastp, only the keys of blastp's own comparisons
/// break ties.
class Orders {
   public:
    Orders(const BlastpRun& run, const BlastpResult& result) : run_(run), result_(result) {}

    std::vector<OrderedHit> all() {
        std::vector<OrderedHit> hits(result_.hits.size());
        for (std::size_t h = 0; h < hits.size(); ++h) {
            hits[h].hit = h;
            hits[h].hsps.resize(result_.hits[h].hsps.size());
            std::iota(hits[h].hsps.begin(), hits[h].hsps.end(), std::size_t{0});
        }
        sort_hits(hits);
        for (OrderedHit& hit : hits) sort_hsps(hit, run_.layout.hsp_order);
        return hits;
    }

   private:
    const Hsp& hsp_of(const OrderedHit& hit, std::size_t i) const { return result_.hits[hit.hit].hsps[i]; }

    double identity(const OrderedHit& hit, std::size_t i) const {
        const Hsp& hsp = hsp_of(hit, i);
        const Alignment alignment{hsp.score_raw,    hsp.query_begin, hsp.query_end,
                                  hsp.target_begin, hsp.target_end,  hsp.runs};
        const AlignmentCounts counts = count_alignment(
            alignment, result_.query.residues, result_.hits[hit.hit].aligned_targets[i], run_.settings.scheme.matrix);
        return static_cast<double>(counts.identities) / static_cast<double>(counts.columns);
    }

    /// Sorts HSPs by ascending key. Equal keys are sorted by ascending E-value.
    template <typename Key>
    void sort_hsps_by(OrderedHit& hit, const Key& key) const {
        std::vector<std::pair<std::pair<decltype(key(std::size_t{0})), double>, std::size_t>> keyed;
        for (const std::size_t i : hit.hsps) keyed.push_back({{key(i), hsp_of(hit, i).evalue}, i});
        std::ranges::stable_sort(keyed, {}, [](const auto& each) { return each.first; });
        for (std::size_t i = 0; i < keyed.size(); ++i) hit.hsps[i] = keyed[i].second;
    }

    void sort_hsps(OrderedHit& hit, BlastpLayout::HspOrder order) const {
        using Order = BlastpLayout::HspOrder;
        switch (order) {
            case Order::kEvalue: break;
            case Order::kScore:
                std::ranges::stable_sort(hit.hsps, std::greater<>(),
                                         [&](std::size_t i) { return hsp_of(hit, i).score_raw; });
                break;
            case Order::kQueryStart:
                sort_hsps_by(hit, [&](std::size_t i) { return hsp_of(hit, i).query_begin; });
                break;
            case Order::kIdentity: sort_hsps_by(hit, [&](std::size_t i) { return -identity(hit, i); }); break;
            case Order::kTargetStart:
                sort_hsps_by(hit, [&](std::size_t i) { return hsp_of(hit, i).target_begin; });
                break;
        }
    }

    /// Sorts hits by descending key. Equal keys are sorted by ascending E-value.
    template <typename Key>
    void sort_hits_by(std::vector<OrderedHit>& hits, const Key& key) const {
        std::vector<std::pair<std::pair<double, double>, OrderedHit>> keyed;
        for (OrderedHit& hit : hits) {
            const std::pair<double, double> by = {-key(hit), result_.hits[hit.hit].evalue};
            keyed.push_back({by, std::move(hit)});
        }
        std::ranges::stable_sort(keyed, {}, [](const auto& each) { return each.first; });
        for (std::size_t h = 0; h < hits.size(); ++h) hits[h] = std::move(keyed[h].second);
    }

    void sort_hits(std::vector<OrderedHit>& hits) const {
        if (!run_.layout.hit_order || hits.size() < 2) return;
        using Order = BlastpLayout::HitOrder;
        switch (*run_.layout.hit_order) {
            case Order::kEvalue: break;
            case Order::kScore:
                for (OrderedHit& hit : hits) sort_hsps(hit, BlastpLayout::HspOrder::kScore);
                std::ranges::stable_sort(hits, std::greater<>(), [&](const OrderedHit& hit) {
                    return hsp_of(hit, hit.hsps.front()).score_raw;
                });
                break;
            case Order::kTotalScore:
                // Hits with equal scores end up in reverse order.
                std::ranges::reverse(hits);
                std::ranges::stable_sort(hits, std::greater<>(), [&](const OrderedHit& hit) {
                    return summarize_hit(run_, result_, hit).total_bits;
                });
                break;
            case Order::kIdentity:
                for (OrderedHit& hit : hits) sort_hsps(hit, BlastpLayout::HspOrder::kIdentity);
                sort_hits_by(hits,
                             [&](const OrderedHit& hit) { return summarize_hit(run_, result_, hit).identity_percent; });
                break;
            case Order::kCoverage:
                sort_hits_by(hits, [&](const OrderedHit& hit) {
                    return static_cast<double>(covered_residues(result_.hits[hit.hit].hsps));
                });
                break;
        }
    }

    const BlastpRun& run_;
    const BlastpResult& result_;
};

}  // namespace

std::uint64_t covered_residues(const std::vector<Hsp>& hsps) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const Hsp& hsp : hsps) ranges.emplace_back(hsp.query_begin, hsp.query_end);
    std::ranges::sort(ranges);
    std::uint64_t covered = 0, end = 0;
    for (const auto& range : ranges) {
        if (range.second > end) covered += range.second - std::max(range.first, end);
        end = std::max(end, range.second);
    }
    return covered;
}

std::vector<OrderedHit> order_hits(const BlastpRun& run, const BlastpResult& result) {
    return Orders(run, result).all();
}

HitSummary summarize_hit(const BlastpRun& run, const BlastpResult& result, const OrderedHit& shown) {
    const BlastpHit& hit = result.hits[shown.hit];
    HitSummary summary{.best = shown.hsps.front(), .total_bits = 0, .identity_percent = 0};
    for (const std::size_t i : shown.hsps) {
        summary.total_bits += statistics_of(result.query, run.statistics).bits(hit.hsps[i].score_raw);
        if (hit.hsps[i].score_raw > hit.hsps[summary.best].score_raw) summary.best = i;
    }
    const Hsp& best = hit.hsps[summary.best];
    const Alignment alignment{best.score_raw,    best.query_begin, best.query_end,
                              best.target_begin, best.target_end,  best.runs};
    const AlignmentCounts counts = count_alignment(alignment, result.query.residues, hit.aligned_targets[summary.best],
                                                   run.settings.scheme.matrix);
    summary.identity_percent = 100 * static_cast<double>(counts.identities) / static_cast<double>(counts.columns);
    summary.coverage_percent = static_cast<int>(100 * covered_residues(hit.hsps) / result.whole_residues);
    return summary;
}

}  // namespace warpseq
