// Alignments as text: letters, counts over columns, CIGAR, BTOP, and numbers as BLAST prints them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Counts over the columns of an alignment, as BLAST counts them.
struct AlignmentCounts {
    std::uint64_t columns = 0;
    std::uint64_t identities = 0;  // equal letters
    std::uint64_t positives = 0;   // pairs that score above 0
    std::uint64_t mismatches = 0;  // pairs of unequal letters
    std::uint64_t gap_columns = 0;
    std::uint64_t gap_openings = 0;
};

/// The three lines of a drawn alignment, a character for each column.
struct AlignmentText {
    std::string query;   // letters and '-'
    std::string middle;  // the letter where equal, '+' where the score is above 0, a blank elsewhere
    std::string target;
};

/// Counts the columns of `alignment`. `aligned_target` holds target residues target_begin to
/// target_end - 1. `query` is the whole query.
AlignmentCounts count_alignment(const Alignment& alignment, std::span<const ResidueCode> query,
                                std::span<const ResidueCode> aligned_target, const SubstitutionMatrix& matrix);
/// Returns the alignment as text. The first four arguments are those of count_alignment().
/// `letters` has the letter of each residue code.
AlignmentText draw_alignment(const Alignment& alignment, std::span<const ResidueCode> query,
                             std::span<const ResidueCode> aligned_target, const SubstitutionMatrix& matrix,
                             std::string_view letters = kResidueLetters);

/// Returns the CIGAR string, such as "12M3I5M". M is a pair, I a query residue against a gap, D a
/// target residue against a gap.
std::string cigar(const Alignment& alignment);
/// Returns the CIGAR string with = for pairs of equal letters and X for other pairs, instead of M.
std::string extended_cigar(const Alignment& alignment, std::span<const ResidueCode> query,
                           std::span<const ResidueCode> aligned_target);
/// Returns BLAST's traceback operations, such as "7AV-G12". A run of identities is written as its
/// length. Any other column is written as two letters, first the query's and then the target's.
std::string btop(const AlignmentText& text);

/// Returns an E-value as BLAST prints it. Below 1e-180 it is "0.0". From there to 0.0009 it has an
/// exponent, as in "2.50e-09" in tables and "3e-09" in pairwise text. Higher values have three
/// decimals below 0.1, two below 1, one below 10, and none from 10 on.
std::string format_evalue(double evalue, bool pairwise);
/// Returns a bit score as BLAST prints it. Scores up to 99.9 have one decimal. Higher ones are
/// truncated to whole numbers. Scores above 99,999 have three decimals and an exponent.
std::string format_bits(double bits);

}  // namespace warpseq
