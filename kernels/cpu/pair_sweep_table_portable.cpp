// The kernels of sweeps over pairs for any processor.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/pair_directions.h"
#include "kernels/cpu/pair_sweep_table.h"
#include "kernels/cpu/simd_portable.h"

#include "kernels/cpu/pair_sweep_kernels.h"

namespace warpseq {
constinit const PairSweepTable kPortablePairSweep = simd::pair_sweep_table<simd::Portable>(CpuBackend::kPortable);
}  // namespace warpseq
