// The tiles of a chunk in the memory of one GPU, for every kernel that reads them. This header
// includes no CUDA header.
#pragma once

#include <cstdint>

namespace warpseq::cuda {

/// A lane of targets in GPU memory, by its index among all lanes, and its number of residues.
struct TargetLane {
    std::uint32_t lane, residues;
};

/// The tiles of a chunk in GPU memory, which is freed with its last owner.
class DeviceTargets {
   public:
    virtual ~DeviceTargets() = default;
    virtual std::uint64_t lanes() const = 0;
};

}  // namespace warpseq::cuda
