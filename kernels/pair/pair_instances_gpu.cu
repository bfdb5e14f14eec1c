#include "kernels/pair/pair_instances_gpu.cuh"

#include <algorithm>
#include <iterator>

#include "kernels/pair/pair_sweep_kernel_gpu.cuh"
#include "kernels/pair/pair_sweep_plan_gpu.h"

namespace warpseq::cuda {
namespace {

template <std::size_t kShape>
constexpr PairKernel instance(bool local) {
    constexpr PairShape kThis = kPairShapes[kShape];
    return local ? pair_sweep_kernel<kThis.rows_per_half, kThis.wide, true>
                 : pair_sweep_kernel<kThis.rows_per_half, kThis.wide, false>;
}

/// Writes a line of PairLine::beginning(). H(i) = -(open + i * extend) behind cell 0, and 0 in all
/// cells of a free line, whose costs are given as 0. check_pair_bounds() keeps it within 32 bits.
__global__ void pair_line_kernel(BorderCell* cells, std::uint64_t count, std::int32_t open, std::int32_t extend,
                                 std::int32_t first) {
    const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
        const std::int32_t h = i == 0 ? 0 : -open - static_cast<std::int32_t>(i) * extend;
        cells[i] = {h, h - first};
    }
}

}  // namespace

PairKernel pair_kernel(std::size_t shape, bool local) {
    static_assert(std::size(kPairShapes) == 4);
    const PairKernel kernels[] = {instance<0>(local), instance<1>(local), instance<2>(local), instance<3>(local)};
    return kernels[shape];
}

cudaError_t launch_pair_kernel(PairKernel kernel, unsigned blocks, std::size_t shared_bytes, cudaStream_t stream,
                               const PairKernelArguments& arguments) {
    kernel<<<blocks, kWarpLanes * kPairBlockWarps, shared_bytes, stream>>>(arguments);
    return cudaGetLastError();
}

cudaError_t write_beginning(BorderCell* cells, std::uint64_t count, const GapCosts& gaps, bool free,
                            cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(1024, count / 256 + 1));
    pair_line_kernel<<<blocks, 256, 0, stream>>>(cells, count, free ? 0 : gaps.open, free ? 0 : gaps.extend,
                                                 gaps.first());
    return cudaGetLastError();
}

}  // namespace warpseq::cuda
