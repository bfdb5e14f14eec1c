// The function that makes the table of the pair kernels of one instruction set. The kernels are
// written once as templates over a vector set (kernels/simd/portable.h). This file is included only
// inside the target region of each kernels/backends/backend_table_<instruction set>.cpp.
#pragma once

#include "kernels/pair/pair_skewed_kernels_simd.h"
#include "kernels/pair/pair_tall_kernel_simd.h"

namespace warpseq::simd {

template <class Set>
void fill_pair_scores(const std::uint8_t* codes, std::size_t count, const std::uint8_t* letter_scores,
                      std::uint8_t* scores) {
    using I8 = typename Set::I8;
    const auto table = I8::load_table(reinterpret_cast<const std::int8_t*>(letter_scores));
    for (std::size_t i = 0; i < count; i += I8::kLanes)
        I8::store(reinterpret_cast<std::int8_t*>(scores + i),
                  I8::lookup(table, I8::load(reinterpret_cast<const std::int8_t*>(codes + i))));
}

template <class Set>
constexpr PairSweepTable pair_sweep_table(CpuBackend backend) {
    return {backend,
            Set::U8::kLanes,
            Set::U8::kTableEntries,
            run_pair_steps<Set, 1, PairKernel::kDifferences>,
            run_pair_steps<Set, 2, PairKernel::kDifferences>,
            run_pair_steps<Set, 1, PairKernel::kAbsolute>,
            run_pair_steps<Set, 2, PairKernel::kAbsolute>,
            run_pair_steps<Set, 4, PairKernel::kAbsolute>,
            run_pair_steps<Set, 2, PairKernel::kDirections>,
            run_pair_steps<Set, 4, PairKernel::kDirections>,
            pair_columns<Set>,
            fill_pair_scores<Set>};
}

}  // namespace warpseq::simd
