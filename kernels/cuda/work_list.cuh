// What passes from filter to filter on the device: lists of pairs of a profile and a target.
#pragma once

#include <cstdint>

namespace warpseq::cuda {

/// Pairs in device memory, in ascending order of `slot` = profile * lane_count + lane, so that those of a profile stand together,
/// longest target first. How many there are is known only on the device; kernels read it there, so that nothing waits for the host.
struct DeviceWorkList {
    const std::uint32_t* slots;
    const std::uint32_t* count;     // one number in device memory, at most `most`
    std::uint32_t most;
    std::uint32_t lane_count;       // of the chunk
    std::uint32_t profile_count;    // of the batch
};

/// What a stage leaves in the results of its list where another stage has to look again.
inline constexpr std::int16_t kUndecided = INT16_MIN + 1;

}  // namespace warpseq::cuda
