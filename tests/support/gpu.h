// Tells a test whether the machine has a GPU.
#pragma once

#include <cstdio>

#include "kernels/gpu/device.h"

namespace warpseq::testing {

/// Returns whether there is a GPU. If not, prints that the test is skipped.
inline bool have_gpu() {
    const auto gpus = cuda::list_gpus();
    if (!gpus.ok()) std::printf("skipped: no GPU (%s)\n", gpus.status().message().c_str());
    return gpus.ok();
}

}  // namespace warpseq::testing
