// The kernels of sweeps over pairs for any processor.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/pair_directions.h"
#include "kernels/cpu/pair_sweep_table.h"
#include "kernels/cpu/simd_portable.h"

#include "kernels/cpu/pair_sweep_kernels.h"

namespace warpseq {
namespace {
using Set = simd::Portable;
}  // namespace

constinit const PairSweepTable kPortablePairSweep = {
    CpuBackend::kPortable,
    Set::U8::kLanes,
    Set::U8::kTableEntries,
    simd::pair_kernels<Set, 1, simd::PairKernel::kDifferences>(),
    simd::pair_kernels<Set, 2, simd::PairKernel::kDifferences>(),
    simd::pair_kernels<Set, 1, simd::PairKernel::kAbsolute>(),
    simd::pair_kernels<Set, 2, simd::PairKernel::kAbsolute>(),
    simd::pair_kernels<Set, 4, simd::PairKernel::kAbsolute>(),
    simd::pair_direction_kernels<Set, 2>(),
    simd::pair_direction_kernels<Set, 4>(),
    simd::pair_columns<Set>,
    simd::fill_pair_scores<Set>,
};

}  // namespace warpseq
