// The kernels of sweeps over pairs for AVX-512 with BW, VL and VBMI.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/pair_directions.h"
#include "kernels/cpu/pair_sweep_table.h"
#include "kernels/cpu/simd_avx512.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi")
#include "kernels/cpu/pair_sweep_kernels.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {
using Set = simd::Avx512;
}  // namespace

constinit const PairSweepTable kAvx512PairSweep = {
    CpuBackend::kAvx512,
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
#endif
