// Relative weights of the sequences of an alignment, so that many like sequences do not outvote few
// others. All return a weight per row; they add up to the number of rows. A single row has weight
// 1. Numbers are Easel's, bit for bit: doubles, added up in order.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/profile/aligned_rows.h"

namespace warpseq {

/// Position-based weights (Henikoff and Henikoff 1994): in each consensus column a residue that c
/// rows have, one of r different ones, gives each of them 1 / (r c); a row's mean of these over its
/// own amino acids there is its weight. Other letters do not count.
///
/// Consensus columns are those that `reference` (RF) does not have a gap for, if it is not empty
/// and names any; else those where less than half of the rows have a gap, rows that reach over less
/// than half of the columns counting between their ends only; else all. Of more than 50,000 rows a
/// sample of 10,000 decides, unless more than half of it are such fragments.
std::vector<double> position_based_weights(const AlignedRows& rows, std::string_view reference = {});

/// Weights from a tree (Gerstein, Sonnhammer and Chothia 1994), which UPGMA makes of the pairwise
/// differences. Needs 8 n^2 bytes for n rows, and time in proportion to columns n^2.
std::vector<double> tree_weights(const AlignedRows& rows);

/// 1 / n for each of n rows that are clustered together (Henikoff and Henikoff 1992) at this
/// identity.
std::vector<double> cluster_weights(const AlignedRows& rows, double identity);

/// Single linkage clusters of rows: two rows of at least this identity
/// (libcore/profile/pairwise_identity.h) are in the same one. The number of each row's cluster,
/// from 0.
struct RowClusters {
    std::vector<std::size_t> cluster_of;
    std::size_t count = 0;
};
RowClusters cluster_rows(const AlignedRows& rows, double identity);

}  // namespace warpseq
