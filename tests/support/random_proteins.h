// Random and related protein sequences for tests. Residues have the composition of real proteins.
// Copies have substitutions, insertions and deletions, so that alignments have gaps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq::testing {

using Sequence = std::vector<ResidueCode>;

/// Returns an amino acid. Each is about as frequent as in Swiss-Prot.
inline ResidueCode random_residue(Random& random) {
    static constexpr std::string_view kComposition =
        "AAAAAAAACDDDDDEEEEEEEFFFFGGGGGGGHHIIIIIIKKKKKKLLLLLLLLLLMMNNNNPPPPPQQQQRRRRRRSSSSSSSTTTTTVVVVVVVWYYY";
    return static_cast<ResidueCode>(kResidueLetters.find(kComposition[random.below(kComposition.size())]));
}

inline Sequence random_protein(Random& random, std::size_t residues) {
    Sequence sequence(residues);
    for (ResidueCode& code : sequence) code = random_residue(random);
    return sequence;
}

/// Returns random residue codes of all kinds, including B, X and the stop.
inline Sequence random_codes(Random& random, std::size_t residues) {
    Sequence sequence(residues);
    for (ResidueCode& code : sequence) code = static_cast<ResidueCode>(random.below(kResidueCodes));
    return sequence;
}

/// Returns a relative of `ancestor`. Each residue is kept with probability `identity`. Now and then
/// a few residues are left out or added.
inline Sequence mutated(Random& random, std::span<const ResidueCode> ancestor, double identity,
                        double gap_rate = 0.02) {
    Sequence sequence;
    for (std::size_t i = 0; i < ancestor.size(); ++i) {
        if (random.uniform() < gap_rate) {
            i += random.below(12);
            if (i >= ancestor.size()) break;
        }
        if (random.uniform() < gap_rate) {
            const Sequence added = random_protein(random, 1 + random.below(12));
            sequence.insert(sequence.end(), added.begin(), added.end());
        }
        sequence.push_back(random.uniform() < identity ? ancestor[i] : random_residue(random));
    }
    return sequence;
}

}  // namespace warpseq::testing
