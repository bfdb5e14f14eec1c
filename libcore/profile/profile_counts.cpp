#include "libcore/profile/profile_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "libcore/base/compensated_sum.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

/// Adds a residue. A letter that stands for several amino acids counts for each in equal parts.
void count_residue(ResidueCode code, float weight, ProfileHmm::Residues& counts) {
    if (is_amino_acid(code)) {
        counts[code] += weight;
        return;
    }
    if (!is_residue(code)) return;
    const std::uint32_t amino_acids = kAminoAcidsOfCode[code];
    const float part = weight / static_cast<float>(std::popcount(amino_acids));
    for (std::size_t a = 0; a < counts.size(); ++a) {
        if ((amino_acids >> a & 1) != 0) counts[a] += part;
    }
}

/// Returns the first and the last step that count, in this order. At an end with missing data it is
/// the first or last match state, if there is one.
std::pair<std::size_t, std::size_t> counted_steps(const RowTrace& trace) {
    std::size_t first = 0, last = trace.size() - 1;
    const auto is_match = [&](std::size_t step) { return trace[step].state == RowState::kMatch; };
    if (trace[1].state == RowState::kMissing) {
        for (std::size_t step = 2; step + 1 < trace.size(); ++step) {
            if (!is_match(step)) continue;
            first = step;
            break;
        }
    }
    if (trace[trace.size() - 2].state == RowState::kMissing) {
        for (std::size_t step = trace.size() - 2; step-- > 1;) {
            if (!is_match(step)) continue;
            last = step;
            break;
        }
    }
    return {first, last};
}

/// Returns the transition between two neighbouring states that the model connects. Neither is
/// missing data.
HmmTransition transition_between(RowState from, RowState to) {
    switch (from) {
        case RowState::kInsert: return to == RowState::kInsert ? kInsertInsert : kInsertMatch;
        case RowState::kDelete: return to == RowState::kDelete ? kDeleteDelete : kDeleteMatch;
        default: break;  // begin is the match state of node 0, end is that of node M + 1
    }
    return to == RowState::kInsert ? kMatchInsert : to == RowState::kDelete ? kMatchDelete : kMatchMatch;
}

}  // namespace

std::vector<bool> columns_by_occupancy(const AlignedRows& rows, std::span<const double> weights, float least_residues) {
    std::vector<float> residues(rows.columns(), 0.0f), all(rows.columns(), 0.0f);
    const auto add = [](float& sum, double weight) { sum = static_cast<float>(static_cast<double>(sum) + weight); };
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const std::span<const ResidueCode> codes = rows[row];
        for (std::size_t column = 0; column < codes.size(); ++column) {
            if (is_residue(codes[column])) add(residues[column], weights[row]);
            if (is_residue(codes[column]) || codes[column] == kGapCode) add(all[column], weights[row]);
        }
    }
    std::vector<bool> is_match(rows.columns());
    for (std::size_t column = 0; column < is_match.size(); ++column) {
        is_match[column] = residues[column] > 0 && residues[column] / all[column] >= least_residues;
    }
    return is_match;
}

std::vector<bool> columns_by_reference(std::string_view reference) {
    std::vector<bool> is_match;
    is_match.reserve(reference.size());
    for (const char letter : reference) is_match.push_back(!is_gap_letter(letter));
    return is_match;
}

ProfileHmm empty_counts(int length) {
    ProfileHmm counts;
    counts.length = length;
    const auto nodes = static_cast<std::size_t>(length) + 1;
    counts.match.assign(nodes, {});
    counts.insert.assign(nodes, {});
    counts.transitions.assign(nodes, {});
    return counts;
}

void count_row(const RowTrace& trace, std::span<const ResidueCode> row, float weight, ProfileHmm& counts) {
    const auto [first, last] = counted_steps(trace);
    for (std::size_t i = first; i < last; ++i) {
        const RowStep& step = trace[i];
        if (step.state == RowState::kMissing) continue;
        const auto node = static_cast<std::size_t>(step.node);
        const auto code = [&] { return row[static_cast<std::size_t>(step.column) - 1]; };
        if (step.state == RowState::kMatch) count_residue(code(), weight, counts.match[node]);
        if (step.state == RowState::kInsert) count_residue(code(), weight, counts.insert[node]);
        const RowState next = trace[i + 1].state;
        if (next == RowState::kMissing) continue;
        counts.transitions[node][transition_between(step.state, next)] += weight;
    }
}

void scale_counts(ProfileHmm& counts, double factor) {
    const auto scale = static_cast<float>(factor);
    for (std::size_t node = 0; node < counts.match.size(); ++node) {
        for (float& count : counts.transitions[node]) count *= scale;
        for (float& count : counts.match[node]) count *= scale;
        for (float& count : counts.insert[node]) count *= scale;
    }
}

void compress_counts(ProfileHmm& counts, double exponent) {
    for (std::size_t node = 1; node < counts.match.size(); ++node) {
        const float sum = compensated_sum(counts.match[node]);
        const auto power = static_cast<float>(std::pow(static_cast<double>(sum), exponent));
        const auto scale = static_cast<float>(sum > 0 ? static_cast<double>(power / sum) : 1.0);
        for (float& count : counts.transitions[node]) count *= scale;
        for (float& count : counts.match[node]) count *= scale;
        for (float& count : counts.insert[node]) count *= scale;
    }
}

}  // namespace warpseq
