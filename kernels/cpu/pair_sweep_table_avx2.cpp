// The kernels of sweeps over pairs for AVX2.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/pair_directions.h"
#include "kernels/cpu/pair_sweep_table.h"
#include "kernels/cpu/simd_avx2.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx2")
#include "kernels/cpu/pair_sweep_kernels.h"
WARPSEQ_TARGET_END

namespace warpseq {
constinit const PairSweepTable kAvx2PairSweep = simd::pair_sweep_table<simd::Avx2>(CpuBackend::kAvx2);
}  // namespace warpseq
#endif
