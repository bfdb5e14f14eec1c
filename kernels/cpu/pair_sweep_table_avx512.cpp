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
constinit const PairSweepTable kAvx512PairSweep = simd::pair_sweep_table<simd::Avx512>(CpuBackend::kAvx512);
}  // namespace warpseq
#endif
