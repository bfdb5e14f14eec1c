// How a back end of kernels/profile/forward_backward.h is made, and what is the same in all.
#include "kernels/profile/forward_backward.h"

#include "kernels/profile/forward_backward_reference.h"
#include "kernels/profile/forward_backward_simd.h"
#include "kernels/simd/target.h"

namespace warpseq {

void ForwardBackward::read_special_states(const ForwardTask& task, Workspace& workspace, const TakeRows& take) const {
    if (workspace.stop.stop_requested()) return;
    take(task.forward.rows, task.backward.rows);
}

std::unique_ptr<ForwardBackward> make_forward_backward(CpuBackend backend, const ForwardProfile& profile,
                                                       std::size_t rows_per_block) {
    switch (backend) {
        case CpuBackend::kReference: break;
#if WARPSEQ_X86
        case CpuBackend::kSse41: return make_simd_forward_backward(kSse41ForwardBackward, profile, rows_per_block);
        case CpuBackend::kAvx2: return make_simd_forward_backward(kAvx2ForwardBackward, profile, rows_per_block);
        case CpuBackend::kAvx512: return make_simd_forward_backward(kAvx512ForwardBackward, profile, rows_per_block);
#endif
        default: return make_simd_forward_backward(kPortableForwardBackward, profile, rows_per_block);
    }
    return make_reference_forward_backward(profile);
}

}  // namespace warpseq
