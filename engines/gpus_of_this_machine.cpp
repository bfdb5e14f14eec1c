// The GPU functions that each engine uses, for the GPUs of this machine. This is the only place
// where engines meet CUDA; builds without CUDA leave this file out.
#include "engines/blastp/blastp_gpu_screen.h"
#include "engines/hmm/hmm_gpu_filter.h"
#include "engines/sw/sw_gpu_scan.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/pinned_pages.h"

namespace warpseq {

HmmGpus HmmGpus::of_this_machine() {
    HmmGpus gpus;
    gpus.start_clock = cuda::ProfileFilterGpu::start_clock;
    gpus.create = cuda::ProfileFilterGpu::create;
    gpus.free_memory_bytes = cuda::free_gpu_memory_bytes;
    gpus.pin = cuda::make_pinned_pages;
    gpus.make_batch = [](std::span<const cuda::FilterProfile> profiles, cuda::ProfileFilterBatch::Mode mode) {
        return std::make_shared<const cuda::ProfileFilterBatch>(profiles, mode);
    };
    gpus.workspace_bytes = cuda::ProfileFilterGpu::workspace_bytes;
    gpus.bytes_per_lane = cuda::ProfileFilterGpu::bytes_per_lane();
    return gpus;
}

SwGpus SwGpus::of_this_machine() {
    SwGpus gpus;
    gpus.create = cuda::SmithWatermanGpu::create;
    gpus.free_memory_bytes = cuda::free_gpu_memory_bytes;
    gpus.pin = cuda::make_pinned_pages;
    gpus.make_batch = [](std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme) {
        return std::make_shared<const cuda::SmithWatermanBatch>(queries, scheme);
    };
    gpus.workspace_bytes = [](std::uint64_t chunk_bytes) {
        return cuda::SmithWatermanGpu::workspace_bytes(chunk_bytes, true);
    };
    return gpus;
}

SeedGpus SeedGpus::of_this_machine() {
    SeedGpus gpus;
    gpus.create = [](int ordinal) { return cuda::WordHitGpu::create(ordinal); };
    gpus.workspace_bytes = cuda::WordHitGpu::workspace_bytes;
    gpus.bytes_per_lane = cuda::WordHitGpu::bytes_per_lane();
    gpus.scores = SwGpus::of_this_machine();
    return gpus;
}

}  // namespace warpseq
