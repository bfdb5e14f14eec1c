// When a word of a query and a word of a target are a hit: BLAST's neighbourhood (Altschul and
// others 1990, J Mol Biol 215:403).
//
// Words are `residues` letters long. The words at query position i and target position j are a hit
// if
//
//     sum over k of pair_score(query[i + k], target[j + k]) >= threshold,
//
// or if they are equal and their own score, sum of pair_score(query[i + k], query[i + k]), is below
// the threshold: so a query's own words are always found. With threshold 0 only equal words are
// hits. Two letters are equal if they are of one class. Letters without a class are in no hit.
//
// Up to 5 residues, scores are the matrix's and each letter is its own class. From 6 on, BLAST
// compares the letters of the query with the classes of a compressed alphabet (Edgar 2004, Nucleic
// Acids Res 32:380), in hundredths of the matrix's units.
#pragma once

#include <array>
#include <cstdint>

#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct WordRule {
    static constexpr std::uint8_t kNoClass = 255;
    /// What scores of pairs stand at that are in no hit: a word with one of them is below 0,
    /// whatever its other letters.
    static constexpr std::int16_t kNeverScore = -16000;
    static constexpr int kFewestResidues = 2, kMostResidues = 7;
    static constexpr int kFewestCompressed = 6;

    int residues = 3;
    int threshold = 11;  // in the unit of pair_score
    std::array<std::array<std::int16_t, kResidueTableSize>, kResidueTableSize> pair_score{};  // [query][target]
    std::array<std::uint8_t, kResidueTableSize> letter_class{};

    /// `threshold` in the matrix's units. Words of kFewestResidues .. kFewestCompressed - 1
    /// residues.
    static WordRule uncompressed(const SubstitutionMatrix& matrix, int residues, double threshold);
    /// The same for words of kFewestCompressed (15 classes) or kMostResidues (10 classes) residues;
    /// `ungapped_lambda` is the matrix's. Only for built-in matrices.
    static WordRule compressed(const SubstitutionMatrix& matrix, int residues, double threshold,
                               double ungapped_lambda);
};

}  // namespace warpseq
