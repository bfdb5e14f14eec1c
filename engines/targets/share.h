// Shares of the databases. A share is the part of the databases that a scan covers, as ranges of
// consecutive tiles. A search may be split among the ranks of a cluster or the parts of a batch
// job. Each of these then has a share, and together the shares have every tile once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engines/targets/database_set.h"
#include "libcore/base/status.h"

namespace warpseq {

struct TileRange {
    std::uint32_t database;  // index into the DatabaseSet
    std::uint64_t first_tile, tile_count;
    bool operator==(const TileRange&) const = default;
};

/// A share: ranges of tiles, in the order of databases and tiles. Ranges do not overlap, begin and
/// end at block borders, and have at least one tile.
using TargetShare = std::vector<TileRange>;

/// Returns a share of all tiles.
TargetShare whole_share(const DatabaseSet& databases);

/// Returns share `part` of `parts` shares, where part < parts. All shares have about as many
/// residues. Databases are sorted by sequence length, and the work per residue depends on the
/// length. So they are cut into many pieces, and each share gets pieces from everywhere. If there
/// are fewer blocks than parts, some shares are empty.
TargetShare dealt_share(const DatabaseSet& databases, std::uint64_t part, std::uint64_t parts);

/// Returns share `part` of weights.size() shares for parts of different speed. Its number of
/// residues is proportional to its weight. Weights are above 0 and below 2^16.
TargetShare dealt_share(const DatabaseSet& databases, std::uint64_t part, std::span<const std::uint32_t> weights);

/// Cuts a share into units, so that other processes can take over units at the end. Each unit has
/// about half of the residues that are left. The last units have `least_residues` or more (guided
/// self-scheduling: Polychronopoulos and Kuck, IEEE Transactions on Computers C-36(12), 1987).
/// There is at least one unit. Together the units have every tile of the share once, and each has
/// long and short sequences.
std::vector<TargetShare> guided_units(const TargetShare& share, const DatabaseSet& databases,
                                      std::uint64_t least_residues);

/// Returns the error for a sequence that was found in two shares. Its cause is that the processes
/// that searched them have cut the databases differently.
Status found_twice(const DatabaseSet& databases, std::uint32_t database, std::uint64_t rank);

/// Returns the number of residues of the share's tiles. Leaves out tiles without a searched
/// sequence, which are not read.
std::uint64_t residues_of(const TargetShare& share, const DatabaseSet& databases);

}  // namespace warpseq
