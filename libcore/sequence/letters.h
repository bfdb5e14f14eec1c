// Encodes the letters of sequences that are in memory.
#pragma once

#include <string_view>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Writes the residue code of each letter, in either case, to `codes`, which has room for all of
/// them. Returns false if a byte is no letter of a residue, such as white space, a gap or any other
/// sign. The codes then have no meaning.
bool encode_letters(std::string_view letters, ResidueCode* codes);

}  // namespace warpseq
