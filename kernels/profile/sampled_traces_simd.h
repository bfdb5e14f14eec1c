// Sampled tracebacks of a group of regions, for the vector back ends of
// kernels/profile/forward_backward.h.
#pragma once

#include <span>

#include "kernels/profile/target_group_simd.h"

namespace warpseq {

/// Samples tracebacks for the tasks, which are the group's members in this order. If a stop is
/// requested, results are missing.
void sample_group(const ForwardBackwardTable& table, const StripedProfile& profile, std::span<RegionTask* const> tasks,
                  const GroupedTargets& group, GroupWorkspace& work);

}  // namespace warpseq
