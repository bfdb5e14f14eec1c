#include "kernels/profile/striped_profile_simd.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernels/profile/forward_backward.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

StripedProfile::StripedProfile(const ForwardProfile& profile)
    : length(profile.length),
      stripes(std::max<std::size_t>(2, (static_cast<std::size_t>(profile.length) + 3) / 4)),
      long_model(profile.length >= kLongModel) {
    const std::size_t quad_floats = 4 * stripes;
    // Each part begins on a cache line.
    const auto rounded = [](std::size_t floats) { return (floats + 15) / 16 * 16; };
    const std::size_t transition_floats = rounded(kTransitions * quad_floats), delete_floats = rounded(quad_floats),
                      match_floats = rounded(kResidueTableSize * quad_floats),
                      residue_floats = static_cast<std::size_t>(kAminoAcids) * quad_floats;
    const std::size_t floats = transition_floats + delete_floats + match_floats + residue_floats;
    std::byte* memory = memory_.reserve(floats * sizeof(float) + stripes);
    auto* to = reinterpret_cast<float*>(memory);
    std::fill(to, to + floats, 0.0f);
    auto* is_possible = reinterpret_cast<std::uint8_t*>(to + floats);
    float* const all_transitions = to;
    float* const all_deletes = all_transitions + transition_floats;
    float* const all_match = all_deletes + delete_floats;
    float* const by_residue = all_match + match_floats;

    const Plan7Profile::Transitions& from = profile.transitions;
    // The order is that of enum Transition.
    const std::array<const std::vector<float>*, kTransitions> kinds = {
        &from.enter,        &from.match_match,  &from.insert_match, &from.delete_match,
        &from.match_delete, &from.match_insert, &from.insert_insert};
    const auto without_subnormals = [](float x) { return x < std::numeric_limits<float>::min() ? 0.0f : x; };
    const auto nodes = static_cast<std::size_t>(length);
    for (std::size_t at = 0; at < nodes; ++at) {
        const std::size_t q = at % stripes, r = at / stripes;
        for (std::size_t kind = 0; kind < kTransitions; ++kind) {
            all_transitions[4 * (kTransitions * q + kind) + r] = without_subnormals((*kinds[kind])[at]);
        }
        all_deletes[4 * q + r] = without_subnormals(from.delete_delete[at]);
        for (std::size_t code = 0; code < kResidueTableSize; ++code) {
            const float odds = without_subnormals(profile.match[code * nodes + at]);
            all_match[quad_floats * code + 4 * q + r] = odds;
            if (code < kAminoAcids) by_residue[4 * (kAminoAcids * q + code) + r] = odds;
        }
    }
    for (std::size_t q = 0; q < stripes; ++q) {
        const float* kinds_of_stripe = all_transitions + 4 * kTransitions * q;
        const auto positive = [](float x) { return x > 0; };
        is_possible[q] = std::all_of(kinds_of_stripe, kinds_of_stripe + 4 * kTransitions, positive) &&
                         std::all_of(all_deletes + 4 * q, all_deletes + 4 * q + 4, positive);
    }
    transitions = all_transitions;
    delete_delete = all_deletes;
    match = all_match;
    residue_odds = by_residue;
    possible = is_possible;
}

}  // namespace warpseq
