// The kernels of sweeps over pairs for SSE4.1.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/pair_directions.h"
#include "kernels/cpu/pair_sweep_table.h"
#include "kernels/cpu/simd_sse41.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("sse4.1")
#include "kernels/cpu/pair_sweep_kernels.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {
using Set = simd::Sse41;
}  // namespace

constinit const PairSweepTable kSse41PairSweep = {
    CpuBackend::kSse41,
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
