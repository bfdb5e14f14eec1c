// The table of the Smith-Waterman, alignment and seed kernels of one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/seeds/gapped_extension_simd.h"
#include "kernels/seeds/word_hits_table_simd.h"
#include "kernels/smith_waterman/local_alignment_simd.h"
#include "kernels/smith_waterman/smith_waterman.h"
#include "kernels/smith_waterman/smith_waterman_simd.h"
#include "libcore/scoring/scoring.h"

namespace warpseq {

struct KernelTable {
    CpuBackend backend;
    std::size_t vector_bytes;  // also the number of 8-bit lanes; half as many have 16 bits, a quarter 32 bits
    std::size_t column_block;  // columns that the interleaved kernels take at once

    /// Unpacks the residue codes of `lanes` (16 or 32) lanes of an interleaved tile, starting at
    /// `words`, into byte columns.
    void (*decode)(const std::uint32_t* words, std::uint64_t word_rows, std::size_t lanes, std::uint8_t* columns,
                   std::size_t column_stride);
    /// Scores a group of sequences. Returns false if the kernel gave up because too many lanes were
    /// saturated. All lanes then have to be computed again in wider lanes.
    bool (*interleaved_8_bit)(const InterleavedTask& task);
    bool (*interleaved_16_bit)(const InterleavedTask& task);
    /// Fills a query profile of kResidueCodes rows with row_bytes scores each. `letters` holds the
    /// query's residue codes in the order of a row, row_bytes of them, a multiple of vector_bytes.
    /// `target_scores` is the matrix with rows and columns exchanged. `letters` and `profile` are
    /// 64-byte aligned.
    void (*fill_profile)(const std::uint8_t* letters, std::size_t row_bytes,
                         const SubstitutionMatrix::Table& target_scores, std::int8_t* profile);
    /// Returns the score of one sequence, in raw units. A score above task.limit_raw is saturated.
    std::int32_t (*striped_8_bit)(const StripedTask& task);
    std::int32_t (*striped_16_bit)(const StripedTask& task);
    std::int32_t (*striped_32_bit)(const StripedTask& task);

    void (*striped_columns_8_bit)(StripedColumnsTask& task);
    void (*striped_columns_16_bit)(StripedColumnsTask& task);
    void (*striped_columns_32_bit)(StripedColumnsTask& task);

    void (*align_columns_16_bit)(AlignmentColumnsTask& task);
    void (*align_columns_32_bit)(AlignmentColumnsTask& task);

    void (*extend_row_32_bit)(ExtensionRowTask<std::int32_t>& task);
    /// Extends a row in 16 bits. This and the next function are nullptr if the instruction set
    /// cannot look up 16-bit scores fast.
    void (*extend_row_16_bit)(ExtensionRowTask<std::int16_t>& task);
    /// Converts the scores of a residue with the kResidueTableSize codes into the form that
    /// extend_row_16_bit takes. That form has as many numbers and is 64-byte aligned.
    void (*fill_extension_scores)(const std::int16_t* scores, std::int16_t* table);

    void (*find_word_hits_8_bit)(const WordHitTask<std::int8_t>& task);
    void (*find_word_hits_16_bit)(const WordHitTask<std::int16_t>& task);
};

}  // namespace warpseq
