#include "libcore/profile/sequence_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>

#include "libcore/base/compensated_sum.h"
#include "libcore/base/ordered_sample.h"
#include "libcore/base/stop_scope.h"
#include "libcore/profile/pairwise_identity.h"

namespace warpseq {
namespace {

constexpr float kConsensusFraction = 0.5f;  // share of the rows that have no gap
constexpr float kFragmentSpan = 0.5f;       // share of the columns: a row that spans less is a fragment

constexpr std::size_t kRowsWithoutSample = 50'000, kSampleRows = 10'000, kMostFragmentsOfSample = 5'000;
constexpr std::uint64_t kSampleSeed = 42;

/// Scales weights so that they add up to their number.
void scale_to_rows(std::vector<double>& weights) {
    normalise(weights);
    for (double& weight : weights) weight *= static_cast<double>(weights.size());
}

using Columns = std::vector<std::size_t>;
using CodeCounts = std::array<std::uint32_t, kMissingCode + 1>;

/// The columns [begin, end) of a row whose letters count, and whether the row is a fragment.
struct Span {
    std::size_t begin, end;
    bool is_fragment;
};

Span counted_span(std::span<const ResidueCode> codes) {
    const auto least =
        static_cast<std::ptrdiff_t>(std::ceil(static_cast<double>(kFragmentSpan * static_cast<float>(codes.size()))));
    const auto begin = std::find_if(codes.begin(), codes.end(), is_residue);
    const auto end = begin == codes.end() ? codes.begin()  // behind `begin`, by as much as a row without residues spans
                                          : std::find_if(codes.rbegin(), codes.rend(), is_residue).base();
    if (end - begin >= least) return {0, codes.size(), false};
    if (end < begin) return {0, 0, true};
    return {static_cast<std::size_t>(begin - codes.begin()), static_cast<std::size_t>(end - codes.begin()), true};
}

/// Returns the columns where fewer than half of the letters that were counted are gaps.
Columns filled_columns(const std::vector<CodeCounts>& counts) {
    Columns columns;
    for (std::size_t column = 0; column < counts.size(); ++column) {
        const CodeCounts& of = counts[column];
        std::uint32_t letters = of[kGapCode];
        for (ResidueCode code = 0; is_residue(code); ++code) letters += of[code];
        if (static_cast<float>(of[kGapCode]) / static_cast<float>(letters) < kConsensusFraction) {
            columns.push_back(column);
        }
    }
    return columns;
}

/// Returns the filled columns of a sample of the rows, or none if too many rows of it are
/// fragments.
Columns filled_columns_of_sample(const AlignedRows& rows) {
    std::mt19937_64 generator(kSampleSeed);
    std::vector<CodeCounts> counts(rows.columns(), CodeCounts{});
    std::size_t fragments = 0;
    for (const std::uint64_t row : ordered_sample(generator, kSampleRows, rows.count())) {
        const std::span<const ResidueCode> codes = rows[row];
        const Span span = counted_span(codes);
        fragments += span.is_fragment;
        for (std::size_t column = span.begin; column < span.end; ++column) ++counts[column][codes[column]];
    }
    return fragments <= kMostFragmentsOfSample ? filled_columns(counts) : Columns();
}

/// Counts the letters of each column.
std::vector<CodeCounts> count_codes(const AlignedRows& rows) {
    std::vector<CodeCounts> counts(rows.columns(), CodeCounts{});
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const std::span<const ResidueCode> codes = rows[row];
        const Span span = counted_span(codes);
        for (std::size_t column = span.begin; column < span.end; ++column) ++counts[column][codes[column]];
    }
    return counts;
}

}  // namespace

std::vector<double> position_based_weights(const AlignedRows& rows, std::string_view reference) {
    if (rows.count() == 1) return {1.0};
    Columns consensus;
    for (std::size_t column = 0; column < reference.size(); ++column) {
        if (!is_gap_letter(reference[column])) consensus.push_back(column);
    }
    if (reference.empty() && rows.count() > kRowsWithoutSample) consensus = filled_columns_of_sample(rows);
    const std::vector<CodeCounts> counts = count_codes(rows);
    if (consensus.empty()) consensus = filled_columns(counts);
    if (consensus.empty()) {
        for (std::size_t column = 0; column < rows.columns(); ++column) consensus.push_back(column);
    }

    // The amount that a residue in a consensus column adds to a weight.
    std::vector<std::array<double, kAminoAcids>> shares(consensus.size());
    for (std::size_t i = 0; i < consensus.size(); ++i) {
        const CodeCounts& of = counts[consensus[i]];
        std::uint32_t kinds = 0;
        for (std::size_t a = 0; a < kAminoAcids; ++a) kinds += of[a] > 0;
        for (std::size_t a = 0; a < kAminoAcids; ++a) {
            shares[i][a] = of[a] > 0 ? 1.0 / static_cast<double>(std::uint64_t{kinds} * of[a]) : 0;
        }
    }
    std::vector<double> weights(rows.count(), 0.0);
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const std::span<const ResidueCode> codes = rows[row];
        std::size_t amino_acids = 0;
        for (std::size_t i = 0; i < consensus.size(); ++i) {
            const ResidueCode code = codes[consensus[i]];
            if (!is_amino_acid(code)) continue;
            weights[row] += shares[i][code];
            ++amino_acids;
        }
        if (amino_acids > 0) weights[row] /= static_cast<double>(amino_acids);
    }
    scale_to_rows(weights);
    return weights;
}

RowClusters cluster_rows(const AlignedRows& rows, double identity) {
    const PairwiseIdentity identity_of(rows);
    RowClusters clusters{std::vector<std::size_t>(rows.count(), 0), 0};
    std::vector<std::size_t> alone(rows.count()), fresh;
    for (std::size_t i = 0; i < alone.size(); ++i) alone[i] = alone.size() - 1 - i;
    for (; !alone.empty(); ++clusters.count) {
        fresh.push_back(alone.back());
        alone.pop_back();
        while (!fresh.empty()) {
            if (StopScope::is_stopped()) {  // the caller asks, too
                alone.clear();
                fresh.clear();
                break;
            }
            const std::size_t row = fresh.back();
            fresh.pop_back();
            clusters.cluster_of[row] = clusters.count;
            const auto joins = [&](std::size_t other) { return identity_of(row, other) >= identity; };
            const auto joining = std::stable_partition(alone.begin(), alone.end(), [&](auto i) { return !joins(i); });
            fresh.insert(fresh.end(), joining, alone.end());
            alone.erase(joining, alone.end());
        }
    }
    return clusters;
}

std::vector<double> cluster_weights(const AlignedRows& rows, double identity) {
    if (rows.count() == 1) return {1.0};
    const RowClusters clusters = cluster_rows(rows, identity);
    std::vector<std::size_t> sizes(clusters.count, 0);
    for (const std::size_t cluster : clusters.cluster_of) ++sizes[cluster];
    std::vector<double> weights;
    for (const std::size_t cluster : clusters.cluster_of) weights.push_back(1.0 / static_cast<double>(sizes[cluster]));
    scale_to_rows(weights);
    return weights;
}

}  // namespace warpseq
