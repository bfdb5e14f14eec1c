// Relative weights of the sequences of an alignment, which keep many like sequences from outvoting
// few others. All functions return a weight per row. The weights add up to the number of rows. A
// single row has weight 1. Numbers are Easel's, bit for bit, since they are doubles added up in
// order.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/profile/aligned_rows.h"

namespace warpseq {

/// Returns position-based weights (Henikoff and Henikoff 1994). If c rows have a residue in a
/// consensus column with r different residues, it counts 1 / (r c) for each of them. A row's weight
/// is the mean of this over its own amino acids in consensus columns. Other letters do not count.
///
/// Consensus columns are those in which `reference` (RF) has no gap. If it names none, they are the
/// columns in which less than half of the rows have a gap. A row that spans less than half of the
/// columns is a fragment and counts only between its ends. If there are no such columns, all
/// columns are consensus columns. If `reference` is empty and there are more than 50,000 rows, a
/// sample of 10,000 rows decides, unless more than half of it are fragments.
std::vector<double> position_based_weights(const AlignedRows& rows, std::string_view reference = {});

/// Returns weights from a tree (Gerstein, Sonnhammer and Chothia 1994), which UPGMA makes of the
/// pairwise differences. Needs 8 n^2 bytes for n rows, and time in proportion to columns n^2.
std::vector<double> tree_weights(const AlignedRows& rows);

/// Returns weights by clusters (Henikoff and Henikoff 1992) at this identity. Each of n rows in a
/// cluster counts 1 / n.
std::vector<double> cluster_weights(const AlignedRows& rows, double identity);

/// Single linkage clusters of rows. Two rows of at least the given identity
/// (libcore/profile/pairwise_identity.h) are in the same cluster. `cluster_of` has the number of
/// each row's cluster, from 0.
struct RowClusters {
    std::vector<std::size_t> cluster_of;
    std::size_t count = 0;
};
RowClusters cluster_rows(const AlignedRows& rows, double identity);

}  // namespace warpseq
