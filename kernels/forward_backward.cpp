// How a back end of kernels/forward_backward.h is made.
#include "kernels/forward_backward.h"

#include "kernels/cpu/forward_backward.h"
#include "kernels/cpu/simd_target.h"
#include "kernels/reference/forward_backward.h"

namespace warpseq {

std::unique_ptr<ForwardBackward> make_forward_backward(CpuBackend backend, const ForwardProfile& profile) {
    switch (backend) {
        case CpuBackend::kReference:
            break;
#if WARPSEQ_X86
        case CpuBackend::kSse41:
            return make_simd_forward_backward(kSse41ForwardBackward, profile);
        case CpuBackend::kAvx2:
            return make_simd_forward_backward(kAvx2ForwardBackward, profile);
        case CpuBackend::kAvx512:
            return make_simd_forward_backward(kAvx512ForwardBackward, profile);
#endif
        default:
            return make_simd_forward_backward(kPortableForwardBackward, profile);
    }
    return make_reference_forward_backward(profile);
}

}  // namespace warpseq
