// Whether a test that needs a GPU has one.
#pragma once

#include <cstdio>

#include "kernels/gpu/device.h"

namespace warpseq::testing {

/// Says so where there is none.
inline bool have_gpu() {
    const auto gpus = cuda::list_gpus();
    if (!gpus.ok()) std::printf("skipped: no GPU (%s)\n", gpus.status().message().c_str());
    return gpus.ok();
}

}  // namespace warpseq::testing
