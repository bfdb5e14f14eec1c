// The profile filters of this machine's GPUs.
#include "apps/search/hmm/hmm_gpu_filter.h"
#include "kernels/cuda/device.h"

namespace warpseq {

HmmGpus HmmGpus::of_this_machine() {
    HmmGpus gpus;
    gpus.create = cuda::ProfileFilterGpu::create;
    gpus.free_memory_bytes = cuda::free_gpu_memory_bytes;
    gpus.make_batch = [](std::span<const cuda::FilterProfile> profiles, cuda::ProfileFilterBatch::Mode mode) {
        return std::make_shared<const cuda::ProfileFilterBatch>(profiles, mode);
    };
    gpus.workspace_bytes = cuda::ProfileFilterGpu::workspace_bytes;
    gpus.bytes_per_lane = cuda::ProfileFilterGpu::bytes_per_lane();
    return gpus;
}

}  // namespace warpseq
