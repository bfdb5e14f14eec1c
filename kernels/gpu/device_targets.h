// A chunk's tiles in the memory of one GPU, for every kernel that reads them. No CUDA header here.
#pragma once

#include <cstdint>

namespace warpseq::cuda {

/// Freed with its last owner.
class DeviceTargets {
   public:
    virtual ~DeviceTargets() = default;
    virtual std::uint64_t lanes() const = 0;
};

}  // namespace warpseq::cuda
