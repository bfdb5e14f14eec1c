#include "engines/blastp/smith_waterman_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/smith_waterman/local_ends.h"

namespace warpseq {
namespace {

/// How often the X-drop is doubled, until an extension finds the score that it has to have.
constexpr int kMostDoublings = 2;

}  // namespace

SmithWatermanSearcher::SmithWatermanSearcher(const BlastpParameters& parameters, const SearchSpace& space,
                                             std::stop_token stop)
    : parameters_(parameters),
      space_(space),
      extender_(parameters.backend),
      scores_(pair_scores(parameters.scheme)),
      scale_(parameters.adjuster ? kAdjustedScale : 1),
      stop_(std::move(stop)) {
    extender_.stop = stop_;
    const double lambda = parameters.statistics.gapped().lambda / scale_;
    constexpr int kMostRaw = std::numeric_limits<int>::max() >> kMostDoublings;
    x_drop_ = std::clamp(
        BlastpParameters::x_drop_raw(parameters.x_drop_final_bits, lambda, parameters.x_drop_final_raw()), 0, kMostRaw);
    if (parameters.adjuster) pair_.emplace(*parameters.adjuster, parameters.scheme, parameters.statistics);
}

// Sets the residues and scores of a pair. Returns false if the pair has no scores.
bool SmithWatermanSearcher::set_pair(const BlastpQuery& query, std::span<const ResidueCode> target, const Hsp& first) {
    rule_.reset();
    if (!pair_) {
        query_ = query.scored;
        std::ranges::replace(query_, kCodeU, kCodeC);
        target_.assign(target.begin(), target.end());
        return true;
    }
    pair_->set_query(query.scored);
    const AlignedBox box{first.score_raw, first.query_begin, first.query_end, first.target_begin, first.target_end};
    if (pair_->may_be_near_identical(box) && pair_->is_near_identical(box, target)) {
        pair_->set_target(target);
    } else {
        pair_->set_masked_target(target);
    }
    rule_ = pair_->adjust();
    query_.assign(pair_->query().begin(), pair_->query().end());
    target_.assign(pair_->target().begin(), pair_->target().end());
    return rule_.has_value();
}

// Returns the HSP between two ends. An extension goes to the left from a pair and includes it, so
// both sequences are reversed.
Hsp SmithWatermanSearcher::aligned(std::uint64_t query_begin, std::uint64_t query_last, std::uint64_t target_begin,
                                   std::uint64_t target_last, std::int32_t score) {
    const auto turned = [](const std::vector<ResidueCode>& residues, std::uint64_t begin, std::uint64_t last) {
        const auto range = std::span(residues).subspan(begin, last - begin + 1);
        return std::vector<ResidueCode>(range.rbegin(), range.rend());
    };
    const auto query = turned(query_, query_begin, query_last), target = turned(target_, target_begin, target_last);
    const PairScores& scores = pair_ ? pair_->scores() : scores_;
    Alignment alignment;
    for (int doublings = 0; doublings <= kMostDoublings; ++doublings) {
        alignment = extender_.align(scores, query, target, query.size() - 1, target.size() - 1, x_drop_ << doublings);
        if (alignment.score_raw >= score) break;
    }
    Hsp hsp;
    hsp.score_raw = static_cast<std::int32_t>(alignment.score_raw);
    hsp.query_begin = query_begin;
    hsp.query_end = query_begin + query.size() - alignment.query_begin;
    hsp.target_begin = target_begin;
    hsp.target_end = target_begin + target.size() - alignment.target_begin;
    hsp.runs.assign(alignment.runs.rbegin(), alignment.runs.rend());
    hsp.rule = rule_;
    return hsp;
}

std::vector<Hsp> SmithWatermanSearcher::trace_back(const BlastpQuery& query, std::span<const ResidueCode> target,
                                                   std::span<const Hsp> preliminary) {
    std::vector<Hsp> hsps;
    if (preliminary.empty() || !set_pair(query, target, preliminary.front())) return hsps;
    SearchSpace effective = space_;
    if (effective.effective == 0) {
        effective.effective = parameters_.statistics.effective_search_space(
            query.residues.size(), space_.database_residues, parameters_.database_sequences);
    }
    const PairScores& scores = pair_ ? pair_->scores() : scores_;
    ForbiddenRanges forbidden(query_.size());
    do {
        const LocalEnd end = find_local_end(scores, query_, target_, forbidden, stop_);
        if (stop_.stop_requested()) return {};
        const double evalue =
            parameters_.statistics.evalue(end.score_raw / scale_, query_.size(), target_.size(), effective);
        if (end.score_raw < 1 || !(evalue < parameters_.evalue)) break;
        const LocalEnd begin = find_local_begin(scores, query_, target_, end, forbidden, stop_);
        Hsp hsp = aligned(begin.query, end.query, begin.target, end.target, end.score_raw);
        if (stop_.stop_requested() || hsp.runs.empty()) return {};
        forbidden.add(hsp.query_begin, hsp.query_end, hsp.target_begin, hsp.target_end);
        hsps.insert(hsps.begin(), std::move(hsp));
    } while (preliminary.size() > 1);
    std::ranges::stable_sort(hsps, hsp_before);
    drop_contained(hsps);
    for (Hsp& hsp : hsps) {
        const double score_raw = hsp.score_raw / scale_;
        hsp.evalue = parameters_.statistics.evalue(score_raw, query.residues.size(), target.size(), space_);
        hsp.score_raw = static_cast<std::int32_t>(std::lround(score_raw));
    }
    std::erase_if(hsps, [&](const Hsp& hsp) { return hsp.evalue > parameters_.evalue || hsp.score_raw < 1; });
    std::ranges::stable_sort(hsps, lower_evalue_before);
    return hsps;
}

}  // namespace warpseq
