// Shares of the databases. A share is the part that a scan covers, as runs of consecutive tiles. A
// search that is split, among the ranks of a cluster or the parts of a batch job, has a share for
// each part. The shares of all parts hold every tile once.
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

/// A share, in the order of databases and tiles. Its ranges do not overlap, begin and end at block
/// borders, and have at least one tile.
using TargetShare = std::vector<TileRange>;

/// Returns a share of all tiles.
TargetShare whole_share(const DatabaseSet& databases);

/// Returns share `part` of `parts`; part < parts. Databases are sorted by length, and the work for
/// a residue depends on the length. So they are cut into many pieces, which are dealt so that all
/// shares have about as many residues. If there are fewer blocks than parts, some shares are empty.
TargetShare dealt_share(const DatabaseSet& databases, std::uint64_t part, std::uint64_t parts);

/// Returns share `part` of weights.size() for parts of different strength. Its residues are in
/// proportion to its weight. Weights are above 0 and less than 2^16.
TargetShare dealt_share(const DatabaseSet& databases, std::uint64_t part, std::span<const std::uint32_t> weights);

/// Cuts a share into units for processes that help each other at its end. Each unit has about half
/// of what is left, the last ones `least_residues` or more (guided self-scheduling:
/// Polychronopoulos and Kuck, IEEE Transactions on Computers C-36(12), 1987). There is at least one
/// unit. The units hold every tile of the share once, and each has long and short sequences.
std::vector<TargetShare> guided_units(const TargetShare& share, const DatabaseSet& databases,
                                      std::uint64_t least_residues);

/// Returns the error for a sequence that was found in two shares. It means that the processes which
/// searched them have cut the databases differently.
Status found_twice(const DatabaseSet& databases, std::uint32_t database, std::uint64_t rank);

/// Returns the residues of the tiles of a share that are read. Tiles without a searched sequence
/// are not read.
std::uint64_t residues_of(const TargetShare& share, const DatabaseSet& databases);

}  // namespace warpseq
