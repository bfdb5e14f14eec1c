// The MSV filter in plain scalar code. It follows the recurrences of kernels/profile/msv_filter.h
// exactly and is never optimised. Tests compare every other back end with it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "kernels/profile/msv_filter.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Returns the MSV result that follows from SSV, or nothing if the target is undecided. In both
/// functions the target has at least one residue.
std::optional<std::int16_t> reference_ssv(const MsvProfile& profile, std::span<const ResidueCode> target);
/// Returns the result of the full MSV recurrence.
std::int16_t reference_msv(const MsvProfile& profile, std::span<const ResidueCode> target);

/// Returns a filter that computes the same and follows the contract of all back ends.
std::unique_ptr<MsvFilter> make_reference_msv_filter(std::span<const MsvProfile> profiles);

}  // namespace warpseq
