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

/// Returns for each column whether residues have at least the share `least_residues` of its weight.
/// The weight of a column is the sum of the weights of the rows that have a residue or a gap there.
/// Missing data and stops count as neither. A column without any residue is false.
std::vector<bool> columns_by_occupancy(const AlignedRows& rows, std::span<const double> weights, float least_residues);

/// Returns for each column whether the line of annotation `reference` has a letter other than a gap
/// there.
std::vector<bool> columns_by_reference(std::string_view reference);

/// Returns a profile of `length` nodes with all emissions and transitions 0.
ProfileHmm empty_counts(int length);

/// Adds the emissions and transitions of a row's path to `counts`, each with `weight`. `row` has
/// the codes of the row. For a fragment, only the part between its first and last match state
/// counts.
void count_row(const RowTrace& trace, std::span<const ResidueCode> row, float weight, ProfileHmm& counts);

/// Multiplies all counts by `factor`.
void scale_counts(ProfileHmm& counts, double factor);

/// Scales all counts of each node from 1 to M. The factor turns n, the number of residues counted
/// in the node's match state, into n to the power of `exponent`. The exponent is from 0 to 1. A
/// node with n = 0 stays as it is.
void compress_counts(ProfileHmm& counts, double exponent);

}  // namespace warpseq
