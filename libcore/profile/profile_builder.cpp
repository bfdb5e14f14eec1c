#include "libcore/profile/profile_builder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "libcore/base/stop_scope.h"
#include "libcore/profile/aligned_rows.h"
#include "libcore/profile/dirichlet_prior.h"
#include "libcore/profile/effective_number.h"
#include "libcore/profile/profile_counts.h"
#include "libcore/profile/profile_parameters.h"
#include "libcore/profile/sequence_weights.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

/// The value that HMMER writes for a domain cutoff that an alignment does not give.
constexpr float kNoCutoffBits = -99999;

Result<std::vector<double>> weigh_rows(const MultipleAlignment& alignment, const AlignedRows& rows,
                                       const ProfileBuildSettings& settings) {
    switch (settings.weighting) {
        case RelativeWeighting::kPositionBased: {
            const bool by_reference = settings.architecture == ModelArchitecture::kReference;
            return position_based_weights(rows, by_reference ? alignment.reference : std::string_view());
        }
        case RelativeWeighting::kTree: return tree_weights(rows);
        case RelativeWeighting::kClusters: return cluster_weights(rows, settings.weighting_identity);
        case RelativeWeighting::kNone: return std::vector<double>(rows.count(), 1.0);
        case RelativeWeighting::kGiven: break;
    }
    std::vector<double> weights;
    for (const MultipleAlignment::Row& row : alignment.rows) {
        weights.push_back(row.weight.value_or(1.0));
        if (!(weights.back() >= 0) || std::isinf(weights.back())) {
            return Status::invalid_input("the weight of the aligned sequence \"" + row.name +
                                         "\" is not a number of 0 or more");
        }
    }
    return weights;
}

Result<std::vector<bool>> choose_match_columns(const MultipleAlignment& alignment, const AlignedRows& rows,
                                               std::span<const double> weights, const ProfileBuildSettings& settings) {
    const auto has_any = [](const std::vector<bool>& columns) {
        return std::find(columns.begin(), columns.end(), true) != columns.end();
    };
    if (settings.architecture == ModelArchitecture::kReference) {
        if (alignment.reference.size() != rows.columns()) {
            return Status::invalid_input("Alignment " + alignment.name + " has no reference annotation line");
        }
        std::vector<bool> columns = columns_by_reference(alignment.reference);
        if (has_any(columns)) return columns;
        return Status::invalid_input("Alignment " + alignment.name +
                                     " has no annotated consensus columns - can't build a model.");
    }
    std::vector<bool> columns = columns_by_occupancy(rows, weights, settings.least_residues);
    if (has_any(columns)) return columns;
    return Status::invalid_input("Alignment " + alignment.name + " has no consensus columns w/ > " +
                                 std::to_string(static_cast<int>(100 * settings.least_residues)) +
                                 "% residues - can't build a model.");
}

/// Returns the letters of a line of annotation that stand in match columns.
std::string in_match_columns(const std::string& line, const std::vector<bool>& is_match) {
    std::string letters;
    for (std::size_t column = 0; column < line.size(); ++column) {
        if (is_match[column]) letters += line[column];
    }
    return letters;
}

void annotate_nodes(const MultipleAlignment& alignment, const std::vector<bool>& is_match, ProfileHmm& hmm) {
    hmm.reference = in_match_columns(alignment.reference, is_match);
    hmm.mask = in_match_columns(alignment.mask, is_match);
    std::replace(hmm.mask.begin(), hmm.mask.end(), '.', '-');
    hmm.structure = in_match_columns(alignment.structure, is_match);
    for (std::size_t column = 0; column < is_match.size(); ++column) {
        if (is_match[column]) hmm.map.push_back(static_cast<int>(column) + 1);
    }
}

std::string without_trailing_space(const std::string& text) {
    return text.substr(0, text.find_last_not_of(" \t\n\v\f\r") + 1);
}

std::optional<ScoreCutoffs> cutoffs_of(const MultipleAlignment::Cutoffs& given) {
    if (!given.sequence_bits) return std::nullopt;
    return ScoreCutoffs{*given.sequence_bits, given.domain_bits.value_or(kNoCutoffBits)};
}

void annotate_model(const MultipleAlignment& alignment, ProfileHmm& hmm) {
    hmm.name = without_trailing_space(alignment.name);
    hmm.accession = without_trailing_space(alignment.accession);
    hmm.description = without_trailing_space(alignment.description);
    hmm.composition = composition_of(hmm);
    hmm.consensus = consensus_of(hmm);
    hmm.gathering = cutoffs_of(alignment.gathering);
    hmm.trusted = cutoffs_of(alignment.trusted);
    hmm.noise = cutoffs_of(alignment.noise);
}

/// Whether all probabilities are finite. They are not if weights, or a number of sequences, are
/// beyond what floats hold.
bool has_probabilities(const ProfileHmm& hmm) {
    const auto are_finite = [](const auto& nodes) {
        return std::all_of(nodes.begin(), nodes.end(), [](const auto& numbers) {
            return std::all_of(numbers.begin(), numbers.end(), [](float p) { return std::isfinite(p); });
        });
    };
    return are_finite(hmm.match) && are_finite(hmm.insert) && are_finite(hmm.transitions);
}

/// Limits the mean length of inserts to `longest`. Node 0 and the last node keep their counts, as
/// in HMMER.
void bound_inserts(ProfileHmm& counts, int longest) {
    for (std::size_t node = 1; node + 1 < counts.transitions.size(); ++node) {
        ProfileHmm::Transitions& from = counts.transitions[node];
        from[kInsertInsert] = std::min(from[kInsertInsert], static_cast<float>(longest) * from[kMatchInsert]);
    }
}

}  // namespace

Result<BuiltProfile> build_profile(const MultipleAlignment& alignment, const ProfileBuildSettings& settings) {
    if (alignment.name.empty()) return Status::invalid_input("Unable to name the HMM.");
    Result<AlignedRows> digitised = AlignedRows::from(alignment);
    if (!digitised.ok()) return digitised.status();
    AlignedRows& rows = *digitised;
    if (const std::size_t row = rows.row_with_inner_missing_data(); row < rows.count()) {
        return Status::invalid_input("msa " + alignment.name + "; sequence " + alignment.rows[row].name +
                                     "\nhas missing data chars (~) other than at fragment edges");
    }
    BuiltProfile built;
    built.sequences = rows.count();
    built.columns = rows.columns();
    const std::uint32_t checksum = rows.checksum();

    Result<std::vector<double>> weights = weigh_rows(alignment, rows, settings);
    if (!weights.ok()) return weights.status();
    WARPSEQ_TRY(StopScope::check());
    built.weights = std::move(*weights);
    rows.mark_fragments(settings.most_fragment_fill);
    Result<std::vector<bool>> is_match = choose_match_columns(alignment, rows, built.weights, settings);
    if (!is_match.ok()) return is_match.status();
    built.is_match = std::move(*is_match);

    rows.mask_columns(alignment.mask);
    ProfileHmm& hmm = built.hmm;
    hmm = empty_counts(static_cast<int>(std::count(built.is_match.begin(), built.is_match.end(), true)));
    RowTrace trace;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        WARPSEQ_TRY(StopScope::check());
        trace_row(rows[row], built.is_match, trace);
        count_row(trace, rows[row], static_cast<float>(built.weights[row]), hmm);
        if (row == 0) built.first_trace = trace_of_residues(trace);
        if (settings.keep_row_traces) built.row_traces.push_back(trace);
    }
    hmm.sequences = static_cast<int>(rows.count());
    annotate_nodes(alignment, built.is_match, hmm);
    if (settings.longest_insert) bound_inserts(hmm, *settings.longest_insert);

    const std::optional<ProfilePrior> prior =
        settings.prior == PriorChoice::kProteins  ? std::optional(ProfilePrior::of_proteins())
        : settings.prior == PriorChoice::kLaplace ? std::optional(ProfilePrior::laplace())
                                                  : std::nullopt;
    const ProfilePrior* const given_prior = prior ? &*prior : nullptr;
    WARPSEQ_TRY(scale_to_effective_number(settings, rows, given_prior, hmm));
    estimate_parameters(hmm, given_prior);
    WARPSEQ_TRY(StopScope::check());
    if (!has_probabilities(hmm)) {
        return Status::invalid_input("Alignment " + alignment.name +
                                     " has sequence weights, or an effective number of sequences, too large for "
                                     "single precision");
    }
    annotate_model(alignment, hmm);
    hmm.checksum = checksum;

    const bool has_given = std::any_of(alignment.rows.begin(), alignment.rows.end(),
                                       [](const MultipleAlignment::Row& row) { return row.weight.has_value(); });
    const bool computes = settings.weighting != RelativeWeighting::kNone &&
                          settings.weighting != RelativeWeighting::kGiven && rows.count() > 1;
    built.is_weighted = has_given || computes;
    if (settings.keep_row_traces) built.rows = std::move(rows);
    return built;
}

void finish_profile(ProfileHmm& hmm, const ProfileBuildSettings& settings) {
    // The last node keeps its values, as in HMMER.
    for (std::size_t node = 1; node + 1 < hmm.match.size(); ++node) {
        if (!hmm.mask.empty() && hmm.mask[node - 1] == 'm') hmm.match[node] = kBackgroundFrequencies;
    }
    if (!settings.gap_open && !settings.gap_extend) return;
    for (ProfileHmm::Transitions& node : hmm.transitions) {
        if (settings.gap_open) {
            node[kMatchMatch] = static_cast<float>(1.0 - 2 * *settings.gap_open);
            node[kMatchInsert] = node[kMatchDelete] = static_cast<float>(*settings.gap_open);
        }
        if (settings.gap_extend) {
            node[kInsertMatch] = node[kDeleteMatch] = static_cast<float>(1.0 - *settings.gap_extend);
            node[kInsertInsert] = node[kDeleteDelete] = static_cast<float>(*settings.gap_extend);
        }
    }
    ProfileHmm::Transitions& last = hmm.transitions.back();
    if (settings.gap_open) last[kMatchMatch] = static_cast<float>(1.0 - *settings.gap_open);
    last[kMatchDelete] = 0;
    last[kDeleteMatch] = 1;
    last[kDeleteDelete] = 0;
}

}  // namespace warpseq
