// The rows of a multiple alignment as residue codes, from which profiles are built. Two more codes
// stand for gaps and for missing data (the columns beyond the ends of a fragment).
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

/// Whether a code is an amino acid or a letter that stands for several; a stop is not.
constexpr bool is_residue(ResidueCode code) { return code < kCodeStop; }
constexpr bool is_amino_acid(ResidueCode code) { return code < kAminoAcids; }
/// Whether a letter stands for a gap, both in rows and in lines of annotation.
constexpr bool is_gap_letter(char letter) { return letter == '-' || letter == '.' || letter == '_'; }

class AlignedRows {
   public:
    /// Converts the letters of an alignment. '-', '.' and '_' are gaps, '~' is missing data,
    /// letters of either case are residues and '*' is a stop. Any other letter is an error that
    /// names the row, and so is a row of another length than the first. An alignment without rows
    /// or without columns is an error, too.
    static Result<AlignedRows> from(const MultipleAlignment& alignment);

    std::size_t count() const { return count_; }      // rows, at least 1
    std::size_t columns() const { return columns_; }  // at least 1
    /// Return the codes of a row, one per column.
    std::span<ResidueCode> operator[](std::size_t row) { return std::span(codes_).subspan(row * columns_, columns_); }
    std::span<const ResidueCode> operator[](std::size_t row) const {
        return std::span(codes_).subspan(row * columns_, columns_);
    }

    /// Returns Easel's checksum of an alignment, which profiles carry as CKSUM. It depends on the
    /// letters alone, not on their case or on the kind of gap.
    std::uint32_t checksum() const;

    /// Returns the first row that has missing data elsewhere than at its ends, or count() if there
    /// is none.
    std::size_t row_with_inner_missing_data() const;

    /// Turns gaps (and stops) before the first residue and after the last one into missing data, in
    /// every row that has at most `most_filled` * columns() residues.
    void mark_fragments(float most_filled);

    /// Replaces every residue and stop by X in the columns for which `mask` has 'm'.
    void mask_columns(std::string_view mask);

   private:
    std::size_t count_ = 0, columns_ = 0;
    std::vector<ResidueCode> codes_;  // row after row
};

}  // namespace warpseq
