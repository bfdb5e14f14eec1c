// The rows of a multiple alignment as residue codes, as profiles are built from them: two more
// codes stand for gaps and for missing data (what lies beyond the ends of a fragment).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

inline constexpr ResidueCode kGapCode = 27, kMissingCode = 28;  // unassigned as residues (libcore/sequence/alphabet.h)

/// An amino acid or a letter that stands for some; a stop is none.
constexpr bool is_residue(ResidueCode code) { return code < kCodeStop; }
constexpr bool is_amino_acid(ResidueCode code) { return code < kAminoAcids; }
/// In the lines of annotation, too.
constexpr bool is_gap_letter(char letter) { return letter == '-' || letter == '.' || letter == '_'; }

class AlignedRows {
   public:
    /// '-', '.' and '_' are gaps, '~' is missing data, letters of either case are residues and '*'
    /// is a stop. Another letter, rows of unlike lengths, and an alignment without rows or columns
    /// are errors.
    static Result<AlignedRows> from(const MultipleAlignment& alignment);

    std::size_t count() const { return count_; }      // rows, at least 1
    std::size_t columns() const { return columns_; }  // at least 1
    std::span<ResidueCode> operator[](std::size_t row) { return std::span(codes_).subspan(row * columns_, columns_); }
    std::span<const ResidueCode> operator[](std::size_t row) const {
        return std::span(codes_).subspan(row * columns_, columns_);
    }

    /// Easel's checksum of an alignment, which profiles carry as CKSUM: of the letters alone,
    /// whatever their case and the kind of gap.
    std::uint32_t checksum() const;

    /// A row of which missing data stands elsewhere than at its ends; count() where there is none.
    std::size_t row_with_inner_missing_data() const;

    /// Makes missing data of the gaps (and stops) before the first residue and behind the last in
    /// every row that has at most `most_filled` * columns() residues.
    void mark_fragments(float most_filled);

    /// Makes X of every residue and stop in the columns for which `mask` has 'm'.
    void mask_columns(std::string_view mask);

   private:
    std::size_t count_ = 0, columns_ = 0;
    std::vector<ResidueCode> codes_;  // row after row
};

}  // namespace warpseq
