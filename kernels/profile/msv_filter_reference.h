// The MSV filter in plain scalar code: the recurrences of kernels/profile/msv_filter.h word for word, never optimised. It is what
// every other back end is held against.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "kernels/profile/msv_filter.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The single-hit form; nothing if it leaves the target undecided. The target has at least one residue, here and below.
std::optional<std::int16_t> reference_single_hit_msv(const MsvProfile& profile, std::span<const ResidueCode> target);
/// The full recurrence.
std::int16_t reference_multihit_msv(const MsvProfile& profile, std::span<const ResidueCode> target);

/// Both behind the contract that all back ends share.
std::unique_ptr<MsvFilter> make_reference_msv_filter(std::span<const MsvProfile> profiles);

}  // namespace warpseq
