// The function that makes the table of the Smith-Waterman, alignment and seed kernels of one
// instruction set. This file is included only inside the target region of each
// kernels/backends/backend_table_<instruction set>.cpp, after the kernels.
#pragma once

#include "kernels/backends/kernel_table.h"
#include "kernels/seeds/gapped_extension_kernels_simd.h"
#include "kernels/seeds/word_hits_kernels_simd.h"
#include "kernels/smith_waterman/local_alignment_kernels_simd.h"
#include "kernels/smith_waterman/smith_waterman_kernels_simd.h"

namespace warpseq::simd {

/// Returns the table of an instruction set. kColumns is the number of columns that the interleaved
/// kernels take at once.
template <class Set, std::size_t kColumns>
constexpr KernelTable kernel_table(CpuBackend backend) {
    return {backend,
            sizeof(typename Set::I8::Vector),
            kColumns,
            decode_columns<Set>,
            interleaved<Set, typename Set::I8, kColumns>,
            interleaved<Set, typename Set::I16, kColumns>,
            fill_profile<Set>,
            striped<typename Set::I8>,
            striped<typename Set::I16>,
            striped<typename Set::I32>,
            striped_columns<typename Set::I8>,
            striped_columns<typename Set::I16>,
            striped_columns<typename Set::I32>,
            align_columns<typename Set::I16>,
            align_columns<typename Set::I32>,
            extend_row<typename Set::I32>,
            extend_row_16_bit_if_any<Set>(),
            fill_extension_scores_if_any<Set>(),
            find_word_hits<typename Set::I8>,
            find_word_hits<typename Set::I16>};
}

}  // namespace warpseq::simd
