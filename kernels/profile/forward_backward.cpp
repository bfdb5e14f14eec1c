// Makes the back ends of kernels/profile/forward_backward.h, and defines the code that all of them
// share.
#include "kernels/profile/forward_backward.h"

#include <cassert>

#include "kernels/backends/backend_table.h"
#include "kernels/profile/forward_backward_reference.h"
#include "kernels/profile/forward_backward_simd.h"

namespace warpseq {

void ForwardBackward::read_special_states(const ForwardTask& task, Workspace& workspace, const TakeRows& take) const {
    if (workspace.stop.stop_requested()) return;
    take(task.forward.rows, task.backward.rows);
}

std::unique_ptr<ForwardBackward> make_forward_backward(CpuBackend backend, const ForwardProfile& profile,
                                                       std::size_t rows_per_block) {
    assert(is_runnable(backend));
    const BackendTable* const table = runnable_backend_table(backend);
    if (!table) return make_reference_forward_backward(profile);
    return make_simd_forward_backward(table->forward_backward, profile, rows_per_block);
}

}  // namespace warpseq
