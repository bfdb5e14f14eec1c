// All residues of a tile at once, and how often they stand in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

/// The residues of all lanes, one sequence after another, into room for all of them. For tiles that is_sound() has approved.
void unpack_tile(const TileView& tile, ResidueCode* residues);

/// How often each pair of codes stands in words: counts[first + 32 * second], of residues 0 and 1, 2 and 3, 4 and 5 of each word.
/// Padding counts as its code.
inline constexpr std::size_t kResiduePairs = std::size_t{kResidueTableSize} * kResidueTableSize;
void count_residue_pairs(std::span<const std::uint32_t> words, std::span<std::uint64_t, kResiduePairs> counts);

}  // namespace warpseq
