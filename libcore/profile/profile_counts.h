// Observed counts of a profile: which columns of an alignment are nodes, and how often each row, by
// its weight, emits what and goes where. Floats, added up row by row: HMMER 3's counts bit for bit.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "libcore/profile/aligned_rows.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/profile/row_trace.h"

namespace warpseq {

/// Columns in which at least this fraction of the weight is on residues; missing data and stops
/// count on neither side.
std::vector<bool> columns_by_occupancy(const AlignedRows& rows, std::span<const double> weights, float least_residues);

/// Columns for which a line of annotation has something else than a gap.
std::vector<bool> columns_by_reference(std::string_view reference);

/// A profile of as many nodes with all its emissions and transitions 0.
ProfileHmm empty_counts(int length);

/// Adds a row to counts. Of a fragment only what lies between its first and last match state
/// counts.
void count_row(const RowTrace& trace, std::span<const ResidueCode> row, float weight, ProfileHmm& counts);

/// Multiplies all counts.
void scale_counts(ProfileHmm& counts, double factor);

/// Raises the residues that each node's match state has seen to a power from 0 to 1, and scales all
/// of the node's counts alike.
void compress_counts(ProfileHmm& counts, double exponent);

}  // namespace warpseq
