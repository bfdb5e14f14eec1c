// All residues of a tile at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

/// The residues of all lanes, one sequence after another, into room for all of them. For tiles that
/// is_sound() has approved.
void unpack_tile(const TileView& tile, ResidueCode* residues);

}  // namespace warpseq
