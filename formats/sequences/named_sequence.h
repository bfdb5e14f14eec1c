// A sequence with its names, as the readers of sequence files return it.
#pragma once

#include <string>
#include <vector>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct NamedSequence {
    std::string name, accession, description;  // accession and description may be empty
    std::string unscored = {};                 // letters that do not score, as in unscored_note() of a header
    std::vector<ResidueCode> residues;
};

}  // namespace warpseq
