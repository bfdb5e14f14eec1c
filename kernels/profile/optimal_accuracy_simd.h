// Decoding, null2 by expectation and optimal-accuracy alignment of a group of envelopes, for the
// vector back ends of kernels/profile/forward_backward.h.
#pragma once

#include <span>

#include "kernels/profile/target_group_simd.h"

namespace warpseq {

/// Does all that EnvelopeTask names for the tasks, which are the group's members in this order. If
/// a stop is requested, results are missing.
void decode_group(const ForwardBackwardTable& table, const StripedProfile& profile,
                  std::span<EnvelopeTask* const> tasks, const GroupedTargets& group, GroupWorkspace& work);

}  // namespace warpseq
