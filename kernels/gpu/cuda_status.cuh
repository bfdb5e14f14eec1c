// CUDA's error codes as Status values.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "libcore/base/status.h"

namespace warpseq::cuda {

/// Returns ok, or a Status that says what failed on which GPU and why.
inline Status cuda_status(cudaError_t error, int ordinal, const char* doing) {
    if (error == cudaSuccess) return {};
    return Status::unavailable("GPU " + std::to_string(ordinal) + ": " + doing + ": " + cudaGetErrorString(error));
}

#define WARPSEQ_CUDA_TRY(expression, ordinal, doing) \
    WARPSEQ_TRY(::warpseq::cuda::cuda_status((expression), (ordinal), (doing)))

}  // namespace warpseq::cuda
