// Forward, Backward and optimal accuracy for SSE4.1.
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "kernels/cpu/forward_backward.h"
#include "kernels/cpu/simd_sse41.h"

#if WARPSEQ_X86
WARPSEQ_TARGET_BEGIN("sse4.1")
#include "kernels/cpu/forward_backward_kernels.h"
WARPSEQ_TARGET_END

namespace warpseq {
constinit const GroupKernels kSse41SingleTarget = simd::ForwardBackwardKernels<simd::Sse41::F32, 1>::kernels();

namespace {
using F = simd::Sse41::F32;
constinit const GroupKernels kTwoVectors = simd::ForwardBackwardKernels<F, 2>::kernels();
constinit const GroupKernels* const kGroups[] = {&kTwoVectors, &kSse41SingleTarget};
}  // namespace

constinit const ForwardBackwardTable kSse41ForwardBackward = {kGroups, std::size(kGroups), simd::mixture_odds<F>};

}  // namespace warpseq
#endif
