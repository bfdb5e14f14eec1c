// The parts that the kernels of Forward, Backward and optimal accuracy share: the places of a
// group's numbers in memory. This file is included only inside a target region.
#pragma once

#include "kernels/profile/float_packs_simd.h"

namespace warpseq::simd {

/// The base of the kernels for groups of V vectors of a vector set F.
template <typename F, std::size_t V>
struct TargetGroupKernels {
    using Vector = typename F::Vector;
    using Pack = FloatPack<F, V>;
    using Profile = StripedProfile;
    /// Rows between two checks of the stop token. Even with tens of thousands of nodes they take at
    /// most a few milliseconds.
    static constexpr std::size_t kRowsBetweenLooks = 8;
    static constexpr std::size_t kTargets = V * F::kQuads;
    static constexpr std::size_t kFloats = V * F::kLanes;  // floats of one kind in one stripe

    WARPSEQ_SIMD Vector zero() { return F::set(0.0f); }
    WARPSEQ_SIMD Vector transition(const Profile& profile, std::size_t q, std::size_t kind) {
        return F::load_quad(profile.transitions + 4 * (Profile::kTransitions * q + kind));
    }
    WARPSEQ_SIMD Vector delete_delete(const Profile& profile, std::size_t q) {
        return F::load_quad(profile.delete_delete + 4 * q);
    }

    /// Match odds of a row's residues.
    struct Odds {
        const float* of[kTargets];
        WARPSEQ_SIMD Odds at(const Profile& profile, const TargetGroup& group, std::size_t row) {
            Odds odds;
            const std::uint8_t* codes = group.codes + row * kTargets;
            for (std::size_t t = 0; t < kTargets; ++t) odds.of[t] = profile.match + 4 * profile.stripes * codes[t];
            return odds;
        }
        [[gnu::always_inline]] inline Pack stripe(std::size_t q) const {
            Pack p;
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v) p.v[v] = F::load_quads(of + v * F::kQuads, 4 * q);
            return p;
        }
    };

    /// The transitions of N, C, J and E of each target.
    struct LengthModels {
        Pack loop, move, end_loop, end_move;
        WARPSEQ_SIMD LengthModels of(const TargetGroup& group) {
            return {Pack::load_each(group.loop), Pack::load_each(group.move), Pack::load_each(group.end_loop),
                    Pack::load_each(group.end_move)};
        }
    };

    /// Loads one kind of number of a row of special states.
    WARPSEQ_SIMD Pack special_of(const float* rows, std::size_t i, std::size_t kind) {
        return Pack::load_each(rows + (i * GroupSpecial::kKinds + kind) * kTargets);
    }
};

}  // namespace warpseq::simd
