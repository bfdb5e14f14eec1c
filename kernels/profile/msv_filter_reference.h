// The MSV filter in plain scalar code: the recurrences of kernels/profile/msv_filter.h exactly,
// never optimised. Tests compare every other back end with it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "kernels/profile/msv_filter.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The MSV result that SSV gives; nothing if the target is undecided. The target has at least one
/// residue, here and below.
std::optional<std::int16_t> reference_ssv(const MsvProfile& profile, std::span<const ResidueCode> target);
/// The full MSV recurrence.
std::int16_t reference_msv(const MsvProfile& profile, std::span<const ResidueCode> target);

/// Both behind the contract that all back ends share.
std::unique_ptr<MsvFilter> make_reference_msv_filter(std::span<const MsvProfile> profiles);

}  // namespace warpseq
