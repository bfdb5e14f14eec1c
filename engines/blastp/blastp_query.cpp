#include "engines/blastp/blastp_query.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "engines/composition/adjusted_pair.h"

namespace warpseq {
namespace {

constexpr double kGapTriggerBits = 22;

/// Returns a number without its fraction, or the lowest int if it does not fit.
int truncated(double number) {
    using Limits = std::numeric_limits<int>;
    return number > Limits::lowest() && number < Limits::max() + 1.0 ? static_cast<int>(number) : Limits::lowest();
}

// Joins stretches that share two residues or more. Neighbours stay apart, and so do stretches that
// share one residue, as in blastp.
std::vector<QueryStretch> joined(std::vector<QueryStretch> stretches) {
    std::ranges::sort(stretches, {}, [](const QueryStretch& stretch) { return std::pair(stretch.begin, stretch.end); });
    std::vector<QueryStretch> result;
    for (const QueryStretch& stretch : stretches) {
        if (!result.empty() && stretch.begin + 1 < result.back().end) {
            result.back().end = std::max(result.back().end, stretch.end);
        } else {
            result.push_back(stretch);
        }
    }
    return result;
}

std::vector<QueryStretch> unmasked(const std::vector<QueryStretch>& masked, std::uint32_t residues) {
    std::vector<QueryStretch> result;
    std::uint32_t begin = 0;
    for (const QueryStretch& stretch : masked) {
        if (stretch.begin > begin) result.push_back({begin, stretch.begin});
        begin = stretch.end;
    }
    if (begin < residues) result.push_back({begin, residues});
    return result;
}

// Returns the lower-case stretches of a query as its part has them. In parts blastp takes a stretch
// for one residue longer at its end. It ignores a stretch that has only the part's last residue.
std::vector<QueryStretch> within(const QueryStretch& part, const std::vector<QueryStretch>& stretches) {
    std::vector<QueryStretch> result;
    for (const QueryStretch& stretch : stretches) {
        const std::uint32_t begin = std::max(part.begin, stretch.begin), last = std::min(part.end - 1, stretch.end);
        if (begin < last) result.push_back({begin - part.begin, last + 1 - part.begin});
    }
    return result;
}

// Returns how much a restricted extension may lose (kernels/seeds/gapped_extension.h), if that can
// decide which pairs are looked at again. It cannot if the matrix's own scores decide about a whole
// query's alignments in the end.
ScoreAllowance preliminary_allowance(const BlastpQuery& query, const BlastpParameters& parameters, bool is_part) {
    if (!is_part && !parameters.adjuster) return {};
    if (!parameters.restricts_extension(query.ungapped_cutoff_raw, query.cutoff_raw)) return {};
    const GapCosts gaps = parameters.scheme.gaps;
    const int x_drop = std::max(parameters.x_drop_gapped_raw(), gaps.first());
    return {.side_raw = gaps.open, .jump_raw = x_drop + 1 - parameters.scheme.matrix.highest_raw()};
}

}  // namespace

bool BlastpParameters::restricts_extension(std::int32_t ungapped_raw, std::int32_t cutoff_raw) const {
    // Extensions are restricted only up to this E-value limit.
    constexpr double kHighestEvalue = 10;
    return evalue <= kHighestEvalue && ungapped_raw < static_cast<int>(kRestrictedShare * cutoff_raw);
}
int BlastpParameters::x_drop_raw(double bits, double lambda, int least_raw) {
    return truncated(std::max(bits * std::numbers::ln2 / lambda, static_cast<double>(least_raw)));
}
int BlastpParameters::x_drop_gapped_raw() const { return x_drop_raw(x_drop_gapped_bits, statistics.gapped().lambda); }
double BlastpParameters::preliminary_evalue(const SearchSpace& space) const {
    return adjuster && space.effective == 0 ? warpseq::preliminary_evalue(evalue, adjuster->mode()) : evalue;
}
int BlastpParameters::x_drop_final_raw() const {
    return x_drop_raw(x_drop_final_bits, statistics.gapped().lambda, x_drop_gapped_raw());
}

namespace {

BlastpQuery make_query(std::string header, std::vector<ResidueCode> residues, std::vector<QueryStretch> lower_case,
                       const BlastpParameters& parameters, const SearchSpace& space,
                       std::span<const QueryStretch> parts, bool is_part) {
    BlastpQuery query;
    query.header = std::move(header);
    query.residues = std::move(residues);
    std::vector<QueryStretch> masked;
    if (parameters.seg) {
        for (const SegStretch& stretch : seg_stretches(query.residues, *parameters.seg)) {
            masked.push_back({static_cast<std::uint32_t>(stretch.begin), static_cast<std::uint32_t>(stretch.end)});
        }
    }
    if (parameters.lower_case_masking) masked.insert(masked.end(), lower_case.begin(), lower_case.end());
    query.masked = joined(std::move(masked));
    query.scored = query.residues;
    std::ranges::replace(query.scored, kCodeO, kCodeX);
    if (!parameters.soft_masking) {
        for (const QueryStretch& stretch : query.masked) {
            std::fill(query.scored.begin() + stretch.begin, query.scored.begin() + stretch.end, kCodeX);
        }
    }
    query.ungapped = ungapped_parameters(query.scored, parameters.scheme.matrix);
    if (!query.ungapped) return query;
    if (parameters.ungapped) {
        query.own_statistics = parameters.statistics.without_gaps(*query.ungapped);
        query.own_space = space;
        if (query.own_space.effective == 0) {
            query.own_space.effective = query.own_statistics->effective_search_space(
                query.residues.size(), space.database_residues, parameters.database_sequences);
        }
    }
    for (const QueryStretch& part : parts) {
        query.parts.push_back(make_query({}, {query.residues.begin() + part.begin, query.residues.begin() + part.end},
                                         within(part, lower_case), parameters, space, {}, true));
        query.parts.back().begin_in_whole = part.begin;
    }
    if (!parts.empty()) return query;

    query.cutoff_raw = statistics_of(query, parameters.statistics)
                           .cutoff_raw(parameters.preliminary_evalue(space), query.residues.size(),
                                       parameters.cutoff_target_residues, space_of(query, space));
    const double lambda = query.ungapped->lambda;
    const int gap_trigger =
        static_cast<int>((kGapTriggerBits * std::numbers::ln2 + std::log(query.ungapped->k)) / lambda);
    WordHitSettings settings;
    settings.window_residues = parameters.window_residues;
    query.ungapped_cutoff_raw = settings.cutoff_raw = std::min(gap_trigger, query.cutoff_raw);
    // Without gaps an alignment's E-value decides at once. The cutoff is the lowest score whose
    // E-value passes, less one in case rounding has raised that score.
    query.screen_cutoff_raw =
        parameters.ungapped ? std::max(query.ungapped_cutoff_raw, query.cutoff_raw - 1) : query.ungapped_cutoff_raw;
    query.allowance = preliminary_allowance(query, parameters, is_part);
    settings.x_drop_raw = truncated(std::ceil(parameters.x_drop_ungapped_bits * std::numbers::ln2 / lambda));
    if (settings.x_drop_raw == 0) settings.x_drop_raw = settings.cutoff_raw;
    query.x_drop_ungapped_raw = settings.x_drop_raw;
    query.word_stretches = unmasked(query.masked, static_cast<std::uint32_t>(query.scored.size()));
    query.finder = make_word_hit_finder(parameters.backend, query.scored, query.word_stretches, parameters.rule,
                                        parameters.scheme.matrix, settings);
    return query;
}

}  // namespace

BlastpQuery make_blastp_query(std::string header, std::vector<ResidueCode> residues,
                              std::vector<QueryStretch> lower_case, const BlastpParameters& parameters,
                              const SearchSpace& space, std::span<const QueryStretch> parts) {
    if (parameters.ungapped) parts = {};
    return make_query(std::move(header), std::move(residues), std::move(lower_case), parameters, space, parts, false);
}

std::vector<const BlastpQuery*> all_searched_parts(std::span<const BlastpQuery> queries) {
    std::vector<const BlastpQuery*> parts;
    for (const BlastpQuery& query : queries) {
        for (const BlastpQuery& part : searched_parts(query)) parts.push_back(&part);
    }
    return parts;
}

std::vector<Query> scanned_parts(std::span<const BlastpQuery* const> parts) {
    std::vector<Query> scanned;
    for (const BlastpQuery* part : parts) {
        scanned.push_back({.header = {}, .residues = part->scored, .allowance = part->allowance});
    }
    return scanned;
}

}  // namespace warpseq
