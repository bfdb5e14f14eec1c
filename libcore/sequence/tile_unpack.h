// Unpacks all residues of a tile at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

/// Writes the residues of all lanes, one sequence after another, to `residues`, which has room for
/// all of them. For tiles that is_sound() has approved.
void unpack_tile(const TileView& tile, ResidueCode* residues);

}  // namespace warpseq
