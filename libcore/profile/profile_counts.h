// Observed counts of a profile: the columns of an alignment that become nodes, and the weighted
// numbers of emissions and transitions of its rows. They are floats, added up row by row, and equal
// HMMER 3's bit for bit.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "libcore/profile/aligned_rows.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/profile/row_trace.h"

namespace warpseq {

/// Returns for each column whether at least this fraction of its weight is on residues. Missing
/// data and stops do not count as residues or as gaps.
std::vector<bool> columns_by_occupancy(const AlignedRows& rows, std::span<const double> weights, float least_residues);

/// Returns for each column whether a line of annotation has something else than a gap there.
std::vector<bool> columns_by_reference(std::string_view reference);

/// Returns a profile of `length` nodes with all emissions and transitions 0.
ProfileHmm empty_counts(int length);

/// Adds a row to counts. Only the part of a fragment between its first and last match state counts.
void count_row(const RowTrace& trace, std::span<const ResidueCode> row, float weight, ProfileHmm& counts);

/// Multiplies all counts by `factor`.
void scale_counts(ProfileHmm& counts, double factor);

/// Raises the number of residues that each node's match state has seen to a power from 0 to 1, and
/// scales all of the node's counts by the same factor.
void compress_counts(ProfileHmm& counts, double exponent);

}  // namespace warpseq
