// Which part of the databases a scan covers: runs of consecutive tiles. Whoever splits a search
// (the ranks of a cluster, the parts of a batch job) gives each part a share; the shares of all
// parts hold every tile once.
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

/// In the order of databases and tiles; ranges do not overlap, begin and end at block borders, and
/// have a tile at least.
using TargetShare = std::vector<TileRange>;

/// Everything.
TargetShare whole_share(const DatabaseSet& databases);

/// Share `part` of `parts`, part < parts. Databases are sorted by length, and the work for a
/// residue depends on it; so they are cut into many pieces, which are dealt so that all have about
/// as many residues. Where there are fewer blocks than parts, some shares are empty.
TargetShare dealt_share(const DatabaseSet& databases, std::uint64_t part, std::uint64_t parts);

/// The same for parts of different strength: share `part` of weights.size() has residues in
/// proportion to its weight. Weights are above 0, and less than 2^16.
TargetShare dealt_share(const DatabaseSet& databases, std::uint64_t part, std::span<const std::uint32_t> weights);

/// A share cut for those who help each other at its end: each unit has about half of what is left,
/// the last ones `least_residues` or more (guided self-scheduling: Polychronopoulos and Kuck, IEEE
/// Transactions on Computers C-36(12), 1987). One unit at least; the units hold every tile of the
/// share once, and each has long and short sequences.
std::vector<TargetShare> guided_units(const TargetShare& share, const DatabaseSet& databases,
                                      std::uint64_t least_residues);

/// The error for a sequence that was found in two shares: those who searched them have cut the
/// databases differently.
Status found_twice(const DatabaseSet& databases, std::uint32_t database, std::uint64_t rank);

/// Of the tiles of a share that are read: those without a sequence that is searched are not.
std::uint64_t residues_of(const TargetShare& share, const DatabaseSet& databases);

}  // namespace warpseq
