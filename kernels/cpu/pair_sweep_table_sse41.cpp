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
constinit const PairSweepTable kSse41PairSweep = simd::pair_sweep_table<simd::Sse41>(CpuBackend::kSse41);
}  // namespace warpseq
#endif
