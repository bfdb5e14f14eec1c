#include "engines/blastp/pair_searcher.h"

#include <algorithm>
#include <utility>

namespace warpseq {
namespace {

constexpr std::uint32_t kSeedWindow = 11;

// Returns where in an ungapped alignment a gapped extension begins: in the middle of its best
// stretch of eleven pairs.
std::uint32_t seed_of(const UngappedAlignment& alignment, std::span<const ResidueCode> query,
                      std::span<const ResidueCode> target, const SubstitutionMatrix& matrix) {
    if (alignment.length <= kSeedWindow) return alignment.length / 2;
    const auto score = [&](std::uint32_t k) {
        return matrix.score_raw(query[alignment.query_begin + k], target[alignment.target_begin + k]);
    };
    int sum = 0;
    for (std::uint32_t k = 0; k < kSeedWindow; ++k) sum += score(k);
    int highest = sum;
    std::uint32_t last = kSeedWindow - 1;
    for (std::uint32_t k = kSeedWindow; k < alignment.length; ++k) {
        sum += score(k) - score(k - kSeedWindow);
        if (sum > highest) {
            highest = sum;
            last = k;
        }
    }
    return highest > 0 ? last - kSeedWindow / 2 : 0;
}

Hsp box_of(const UngappedAlignment& alignment) {
    Hsp hsp;
    hsp.score_raw = alignment.score_raw;
    hsp.query_begin = alignment.query_begin;
    hsp.query_end = std::uint64_t{alignment.query_begin} + alignment.length;
    hsp.target_begin = alignment.target_begin;
    hsp.target_end = std::uint64_t{alignment.target_begin} + alignment.length;
    return hsp;
}

// Looks for a seed along the box's first diagonal. BLAST does so because it takes a seed at both
// sequences' first residues for none. Returns false if there is no seed, or if the box is none that
// a search finds; it may come from another process.
bool find_seed_again(Hsp& hsp, std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                     const SubstitutionMatrix& matrix) {
    const std::uint64_t query_residues = hsp.query_end - hsp.query_begin,
                        target_residues = hsp.target_end - hsp.target_begin;
    const auto set = [&](std::uint64_t query_seed, std::uint64_t target_seed) {
        if (query_seed >= query.size() || target_seed >= target.size()) return false;
        hsp.query_seed = query_seed;
        hsp.target_seed = target_seed;
        return true;
    };
    if (query_residues <= kSeedWindow)
        return set(hsp.query_begin + query_residues / 2, hsp.target_begin + query_residues / 2);
    const auto score = [&](std::uint64_t query_at, std::uint64_t target_at) {
        return matrix.score_raw(query[query_at], target[target_at]);
    };
    int sum = 0;
    std::uint64_t best = kSeedWindow - 1;
    const std::uint64_t length = std::min(query_residues, target_residues);
    if (length < kSeedWindow) return false;
    for (std::uint64_t k = 0; k < kSeedWindow; ++k) sum += score(hsp.query_begin + k, hsp.target_begin + k);
    int highest = sum;
    for (std::uint64_t k = kSeedWindow; k < length; ++k) {
        sum += score(hsp.query_begin + k, hsp.target_begin + k) -
               score(hsp.query_begin + k - kSeedWindow, hsp.target_begin + k - kSeedWindow);
        if (sum > highest) {
            highest = sum;
            best = k;
        }
    }
    if (highest > 0) return set(hsp.query_begin + best, hsp.target_begin + best);
    sum = 0;
    for (std::uint64_t k = 1; k <= kSeedWindow; ++k) sum += score(hsp.query_end - k, hsp.target_end - k);
    return sum > 0 && set(hsp.query_end - kSeedWindow / 2, hsp.target_end - kSeedWindow / 2);
}

}  // namespace

PairSearcher::PairSearcher(const BlastpParameters& parameters, const SearchSpace& space, std::stop_token stop)
    : parameters_(parameters),
      space_(space),
      scores_(pair_scores(parameters.scheme)),
      extender_(parameters.backend),
      stop_(std::move(stop)) {
    extender_.stop = stop_;
    words_.stop = stop_;
    if (parameters.smith_waterman) {
        smith_waterman_.emplace(parameters, space, stop_);
    } else if (parameters.adjuster) {
        composition_.emplace(parameters, space, stop_);
    }
}

// Returns false if a restricted extension does not tell whether an unrestricted one would pass.
bool PairSearcher::extend_all(const BlastpQuery& query, std::span<const ResidueCode> target, bool restricted,
                              std::vector<Hsp>& hsps) {
    const int x_drop = parameters_.x_drop_gapped_raw();
    hsps.clear();
    seen_.clear();
    for (const UngappedAlignment& alignment : ungapped_) {
        if (stop_.stop_requested()) return true;
        if (seen_.contains(box_of(alignment))) continue;
        const std::uint32_t offset = seed_of(alignment, query.scored, target, parameters_.scheme.matrix);
        const std::uint64_t query_seed = alignment.query_begin + offset, target_seed = alignment.target_begin + offset;
        const GappedExtent extent =
            extender_.extend(scores_, query.scored, target, query_seed, target_seed, x_drop,
                             restricted ? GappedExtender::Form::kRestrictedScore : GappedExtender::Form::kScore);
        if (extent.score_raw < query.cutoff_raw) {
            if (restricted &&
                extent.score_raw >= static_cast<int>(BlastpParameters::kRestrictedShare * query.cutoff_raw))
                return false;
            continue;
        }
        Hsp hsp;
        hsp.score_raw = extent.score_raw;
        hsp.query_begin = extent.query_begin;
        hsp.query_end = extent.query_end;
        hsp.target_begin = extent.target_begin;
        hsp.target_end = extent.target_end;
        hsp.query_seed = query_seed;
        hsp.target_seed = target_seed;
        seen_.add(hsp);
        hsps.push_back(std::move(hsp));
    }
    return true;
}

void PairSearcher::drop_insignificant(const BlastpQuery& query, std::span<const ResidueCode> target, double evalue,
                                      std::vector<Hsp>& hsps) const {
    const AlignmentStatistics& statistics = statistics_of(query, parameters_.statistics);
    const SearchSpace& space = space_of(query, space_);
    for (Hsp& hsp : hsps) hsp.evalue = statistics.evalue(hsp.score_raw, query.residues.size(), target.size(), space);
    std::erase_if(hsps, [&](const Hsp& hsp) { return hsp.evalue > evalue; });
}

// Word hits come in hsp_before()'s order.
std::vector<Hsp> PairSearcher::ungapped_hsps(const BlastpQuery& query, std::span<const ResidueCode> target) const {
    std::vector<Hsp> hsps;
    for (const UngappedAlignment& alignment : ungapped_) {
        hsps.push_back(box_of(alignment));
        hsps.back().query_seed = alignment.query_begin;
        hsps.back().target_seed = alignment.target_begin;
    }
    drop_insignificant(query, target, parameters_.evalue, hsps);
    return hsps;
}

std::vector<Hsp> PairSearcher::find(const BlastpQuery& query, std::span<const ResidueCode> target) {
    std::vector<Hsp> hsps;
    if (!query.finder) return hsps;
    query.finder->find(target, words_, ungapped_);
    if (ungapped_.empty()) return hsps;
    if (parameters_.ungapped) return ungapped_hsps(query, target);
    const bool restricted = parameters_.restricts_extension(ungapped_.front().score_raw, query.cutoff_raw);
    if (!extend_all(query, target, restricted, hsps)) extend_all(query, target, false, hsps);
    if (stop_.stop_requested()) return {};
    purge_common_ends(hsps);
    std::ranges::stable_sort(hsps, hsp_before);
    drop_insignificant(query, target, parameters_.preliminary_evalue(space_), hsps);
    return hsps;
}

std::vector<Hsp> PairSearcher::trace_back(const BlastpQuery& query, std::span<const ResidueCode> target,
                                          std::span<const Hsp> preliminary) {
    if (composition_) return composition_->trace_back(query, target, preliminary);
    if (smith_waterman_) return smith_waterman_->trace_back(query, target, preliminary);
    if (parameters_.ungapped) {
        std::vector<Hsp> hsps(preliminary.begin(), preliminary.end());
        for (Hsp& hsp : hsps) hsp.runs = {{AlignmentOperation::kMatch, hsp.query_end - hsp.query_begin}};
        return hsps;
    }
    const int x_drop = parameters_.x_drop_final_raw();
    std::vector<Hsp> hsps;
    seen_.clear();
    for (Hsp found : preliminary) {
        if (stop_.stop_requested()) return {};
        if (seen_.contains(found)) continue;
        if (found.query_seed == 0 && found.target_seed == 0 &&
            !find_seed_again(found, query.scored, target, parameters_.scheme.matrix)) {
            continue;
        }
        Alignment alignment =
            extender_.align(scores_, query.scored, target, found.query_seed, found.target_seed, x_drop);
        Hsp hsp = hsp_of(std::move(alignment));
        seen_.add(hsp);
        hsps.push_back(std::move(hsp));
    }
    purge_common_ends(hsps);
    std::ranges::stable_sort(hsps, hsp_before);
    seen_.clear();
    std::erase_if(hsps, [&](const Hsp& hsp) {
        if (seen_.contains(hsp)) return true;
        seen_.add(hsp);
        return false;
    });
    drop_insignificant(query, target, parameters_.evalue, hsps);
    // In tiny search spaces an empty alignment can be significant; blastp does not report it.
    std::erase_if(hsps, [](const Hsp& hsp) { return hsp.score_raw < 1; });
    return hsps;
}

}  // namespace warpseq
