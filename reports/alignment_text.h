// An alignment as letters, and what is counted over its columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Counts over alignment columns, as BLAST counts them.
struct AlignmentCounts {
    std::uint64_t columns = 0;
    std::uint64_t identities = 0;  // equal letters
    std::uint64_t positives = 0;   // pairs that score above 0
    std::uint64_t mismatches = 0;  // pairs of unequal letters
    std::uint64_t gap_columns = 0;
    std::uint64_t gap_openings = 0;
};

struct AlignmentText {
    std::string query;   // letters and '-'
    std::string middle;  // the letter where equal, '+' where the score is above 0, a blank elsewhere
    std::string target;
};

/// `aligned_target` holds target residues target_begin .. target_end - 1; `query` is the whole
/// query.
AlignmentCounts count_alignment(const Alignment& alignment, std::span<const ResidueCode> query,
                                std::span<const ResidueCode> aligned_target, const SubstitutionMatrix& matrix);
AlignmentText draw_alignment(const Alignment& alignment, std::span<const ResidueCode> query,
                             std::span<const ResidueCode> aligned_target, const SubstitutionMatrix& matrix,
                             std::string_view letters = kResidueLetters);

/// "12M3I5M": M a pair, I query residues against a gap, D target residues against a gap.
std::string cigar(const Alignment& alignment);
/// The same with = for equal letters and X for others instead of M.
std::string extended_cigar(const Alignment& alignment, std::span<const ResidueCode> query,
                           std::span<const ResidueCode> aligned_target);
/// BLAST's trace-back operations: runs of identities as numbers, other columns as two letters,
/// query first.
std::string btop(const AlignmentText& text);

/// E-values as BLAST prints them in tables (two decimals) or in pairwise text (no decimals) below
/// 0.0009.
std::string format_evalue(double evalue, bool pairwise);
/// Bit scores as BLAST prints them: one decimal below 100, whole (truncated) from there, with an
/// exponent from 100,000.
std::string format_bits(double bits);

}  // namespace warpseq
