// The rule by which a word of a query and a word of a target are a hit: BLAST's neighbourhood
// (Altschul and others 1990, J Mol Biol 215:403).
//
// Words are `residues` letters long. The words at query position i and target position j are a hit
// in two cases. Either their score reaches the threshold,
//
//     sum over k of pair_score(query[i + k], target[j + k]) >= threshold,
//
// or they are equal and their own score, sum of pair_score(query[i + k], query[i + k]), is below
// the threshold. So a query's own words are always found. With threshold 0 only equal words are
// hits. Two letters are equal if they are of one class. Letters without a class are in no hit.
//
// Up to 5 residues, scores are the matrix's and each letter is its own class. From 6 residues on,
// BLAST compares the letters of the query with the classes of a compressed alphabet (Edgar 2004,
// Nucleic Acids Res 32:380). Scores are then in hundredths of the matrix's units.
#pragma once

#include <array>
#include <cstdint>

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct WordRule {
    static constexpr std::uint8_t kNoClass = 255;
    /// The score of a pair of letters that is in no hit. A word with one such pair scores below 0
    /// even if its other letters score high.
    static constexpr std::int16_t kNeverScore = -16000;
    static constexpr int kFewestResidues = 2, kMostResidues = 7;
    static constexpr int kFewestCompressed = 6;

    int residues = 3;
    int threshold = 11;  // in the unit of pair_score
    std::array<std::array<std::int16_t, kResidueTableSize>, kResidueTableSize> pair_score{};  // [query][target]
    std::array<std::uint8_t, kResidueTableSize> letter_class{};

    /// Returns the rule for words of kFewestResidues .. kFewestCompressed - 1 residues. `threshold`
    /// is in the matrix's units. If it is 2^31 or higher, all words are hits. Only for matrices
    /// whose scores are above -20.
    static WordRule uncompressed(const SubstitutionMatrix& matrix, int residues, double threshold);
    /// Returns the rule for words of kFewestCompressed (15 classes) or kMostResidues (10 classes)
    /// residues. `threshold` is in the matrix's units, and `ungapped_lambda` is the matrix's. Only
    /// for built-in matrices.
    static WordRule compressed(const SubstitutionMatrix& matrix, int residues, double threshold,
                               double ungapped_lambda);
};

}  // namespace warpseq
