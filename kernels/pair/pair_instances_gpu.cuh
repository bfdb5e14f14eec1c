// The instances of the pair sweep's kernels, and their launches.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/pair/pair_sweep_layout_gpu.h"
#include "libcore/base/status.h"
#include "libcore/scoring/border_cell.h"
#include "libcore/scoring/scoring.h"

namespace warpseq::cuda {

using PairKernel = void (*)(PairKernelArguments);

/// Returns the kernel (pair_sweep_kernel_gpu.cuh) for shape `shape` of kPairShapes.
PairKernel pair_kernel(std::size_t shape, bool local);

/// Enqueues a launch of the kernel. The GPU has to be the current one.
cudaError_t launch_pair_kernel(PairKernel kernel, unsigned blocks, std::size_t shared_bytes, cudaStream_t stream,
                               const PairKernelArguments& arguments);

/// Enqueues a kernel that writes the cells of PairLine::beginning(), row 0 or column 0 of a whole
/// matrix: `count` of them. The GPU has to be the current one.
cudaError_t write_beginning(BorderCell* cells, std::uint64_t count, const GapCosts& gaps, bool free,
                            cudaStream_t stream);

}  // namespace warpseq::cuda
