// Forward, Backward and optimal accuracy for AVX-512 with BW, VL and VBMI.
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "kernels/cpu/forward_backward.h"
#include "kernels/cpu/simd_avx512.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512vbmi")
#include "kernels/cpu/forward_backward_kernels.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {
using F = simd::Avx512::F32;
constinit const GroupKernels kTwoVectors = simd::ForwardBackwardKernels<F, 2>::kernels();
constinit const GroupKernels kOneVector = simd::ForwardBackwardKernels<F, 1>::kernels();
constinit const GroupKernels* const kGroups[] = {&kTwoVectors, &kOneVector, &kSse41SingleTarget};
}  // namespace

constinit const ForwardBackwardTable kAvx512ForwardBackward = {kGroups, std::size(kGroups), simd::mixture_odds<F>};

}  // namespace warpseq
#endif
