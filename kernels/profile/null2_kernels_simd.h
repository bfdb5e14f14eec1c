// The vector kernel for the odds of null2. This file is included only inside a target region.
#pragma once

namespace warpseq::simd {

/// Does what ForwardBackwardTable::mixture_odds says. A quad holds the four partial sums of one
/// amino acid.
template <typename F>
void mixture_odds(const StripedProfile& profile, const float* match_weights, const float* insert_weights, float* odds) {
    constexpr std::size_t kVectors = kAminoAcids / F::kQuads;
    static_assert(kVectors * F::kQuads == kAminoAcids);
    typename F::Vector sums[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) sums[v] = F::set(0.0f);
    const float* table = profile.residue_odds;
    for (std::size_t q = 0; q < profile.stripes; ++q, table += 4 * kAminoAcids) {
        const typename F::Vector match = F::load_quad(match_weights + 4 * q);
        // A sampled domain visits a part of the model. Zeros would change no sum.
        if (!insert_weights && !F::any_bit(match)) continue;
#pragma GCC unroll 20
        for (std::size_t v = 0; v < kVectors; ++v)
            sums[v] = F::add(sums[v], F::multiply(match, F::load(table + v * F::kLanes)));
        if (insert_weights) {
            const typename F::Vector insert = F::load_quad(insert_weights + 4 * q);
#pragma GCC unroll 20
            for (std::size_t v = 0; v < kVectors; ++v) sums[v] = F::add(sums[v], insert);
        }
    }
#pragma GCC unroll 20
    for (std::size_t v = 0; v < kVectors; ++v) F::store_firsts(odds + v * F::kQuads, F::sum_across(sums[v]));
}

}  // namespace warpseq::simd
