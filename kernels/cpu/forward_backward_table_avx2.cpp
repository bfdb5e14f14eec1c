// Forward, Backward and optimal accuracy for AVX2.
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "kernels/cpu/forward_backward.h"
#include "kernels/cpu/simd_avx2.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("avx2")
#include "kernels/cpu/forward_backward_kernels.h"
WARPSEQ_TARGET_END

namespace warpseq {
namespace {
using F = simd::Avx2::F32;
constinit const GroupKernels kTwoVectors = simd::ForwardBackwardKernels<F, 2>::kernels();
constinit const GroupKernels kOneVector = simd::ForwardBackwardKernels<F, 1>::kernels();
constinit const GroupKernels* const kGroups[] = {&kTwoVectors, &kOneVector, &kSse41SingleTarget};
}  // namespace

constinit const ForwardBackwardTable kAvx2ForwardBackward = {kGroups, std::size(kGroups), simd::mixture_odds<F>};

}  // namespace warpseq
#endif
