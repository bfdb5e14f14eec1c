// A profile in the order in which the vector kernels of kernels/profile/forward_backward_simd.h
// read it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simd/aligned_bytes.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq {

/// A profile in stripes. Stripe q (0..Q-1) holds nodes q + 1, q + 1 + Q, q + 1 + 2 Q, q + 1 + 3 Q
/// as a quad. All quads are aligned.
class StripedProfile {
   public:
    static constexpr std::size_t kTransitions = 7;
    enum Transition : std::size_t {
        kEnter,
        kMatchMatch,
        kInsertMatch,
        kDeleteMatch,
        kMatchDelete,
        kMatchInsert,
        kInsertInsert
    };

    explicit StripedProfile(const ForwardProfile& profile);

    int length;
    std::size_t stripes;           // Q
    const float* transitions;      // quad t of stripe q at 4 (kTransitions q + t)
    const float* delete_delete;    // quad of stripe q at 4 q
    const float* match;            // quad of stripe q for a residue code at 4 (Q code + q)
    const float* residue_odds;     // the same by stripe, amino acids only: 4 (kAminoAcids q + code)
    const std::uint8_t* possible;  // by stripe: 1 if all eight transitions are above 0 in all lanes
    bool long_model;               // whether the passes over delete paths end once a pass has changed nothing

    /// Returns the place of a node in a stripe-ordered array of quads. `node_index` is k - 1 for
    /// node k.
    std::size_t place(std::size_t node_index) const { return node_index % stripes * 4 + node_index / stripes; }

   private:
    AlignedBytes memory_;
};

}  // namespace warpseq
