// A profile HMM configured for searching: local multihit Plan 7 as log-odds scores, and the three
// quantised forms that the stages of a search compute with. docs/hmm.md derives each. Values equal
// HMMER 3's bit for bit, since operations, order and widths are the same.
//
//        +--------- J <--------+
//        v                     |
//   N -> B -> [ M_k I_k D_k, k = 1..M, enter at any M_k, leave from any M_k or D_k ] -> E -> C
//
// N, C and J loop with probability L / (L + 3) (multihit) or L / (L + 2) (unihit) for a target of L
// residues. E goes to C or J with 1/2 each (multihit) or always to C (unihit). The probability of
// entry at M_k is occupancy(k) / sum_i occupancy(i) (M - i + 1). Inserts emit background.
//
// Arrays over nodes hold node k at index k - 1. Arrays over residue codes have kResidueTableSize
// rows; row `code` begins at code * length. Codes that stand for nothing (stop, unassigned,
// padding) score minus infinity in match states.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/shared_bytes.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// A profile as log-odds scores in nats.
struct Plan7Profile {
    /// One array per kind of transition. Entry k is used when row k of the matrix is computed.
    /// enter, match_match, insert_match and delete_match lead into M_k. The last three of these
    /// come from node k - 1 and are minus infinity for k = 1. The others leave node k and are minus
    /// infinity for k = M.
    struct Transitions {
        std::vector<float> enter, match_match, insert_match, delete_match, match_delete, match_insert, insert_insert,
            delete_delete;
    };
    int length = 0;
    std::vector<float> match;  // [code * length + k - 1]
    Transitions transitions;
};
Plan7Profile configure_plan7(const ProfileHmm& hmm);

/// Sets the rows of all codes but the amino acids, whose rows `match` must hold. The score of a
/// degenerate code is its expected score over the background.
void fill_other_codes(Plan7Profile& profile);

/// The MSV form: 8-bit costs in thirds of a bit with offset 190, which all saturate at 255. MSV
/// allows match states only. Entry anywhere costs `enter`, leaving costs `end`, and moving on from
/// N, C or J costs `move(L)`. Loops are free, and 3.0 nats are subtracted at the end for them.
struct MsvProfile {
    static constexpr int kBase = 190;
    int length = 0;
    SharedBytes match_costs;  // bias - score, saturated at 0 and 255 [code * length + k - 1]
    std::uint8_t bias = 0;    // the highest match score: added before a cost is subtracted
    std::uint8_t enter = 0;   // B -> M_k: -log(2 / (M (M + 1)))
    std::uint8_t end = 0;     // E -> C and E -> J: -log(1/2)
    static std::uint8_t move(std::uint64_t target_residues);  // N -> B, J -> B, C -> T: -log(3 / (L + 3))
    /// Returns the filter's result (kernels/profile/msv_filter.h) in nats, with move(L) subtracted.
    static float score_nats(int xj, std::uint64_t target_residues);
    /// Returns the same where move(L) is known already. `xj_less_move` is xj - move(L).
    static float nats_of_units(int xj_less_move);
};
MsvProfile quantise_msv(const Plan7Profile& profile);

/// The form for the Viterbi filter: 16-bit scores in 1/500 bit with offset 12000, saturating. Minus
/// infinity is -32768. Loops of N, C and J are free and cost 3.0 nats at the end. The insert-insert
/// transition is at most -1.
struct ViterbiProfile {
    static constexpr int kBase = 12000;
    static constexpr std::int16_t kMinusInfinity = INT16_MIN;
    struct Transitions {
        std::vector<std::int16_t> enter, match_match, insert_match, delete_match, match_delete, match_insert,
            insert_insert, delete_delete;
    };
    int length = 0;
    std::vector<std::int16_t> match;                                 // [code * length + k - 1]
    Transitions transitions;                                         // as in Plan7Profile
    static constexpr std::int16_t kEndMove = -500, kEndLoop = -500;  // E -> C, E -> J: log 1/2
    static std::int16_t move(std::uint64_t target_residues);         // N -> B, J -> B, C -> T: log 3 / (L + 3)
    /// Returns the filter's result (kernels/profile/viterbi_filter.h) in nats, with C -> T
    /// included.
    static float score_nats(std::int16_t xc, std::uint64_t target_residues);
};
ViterbiProfile quantise_viterbi(const Plan7Profile& profile);

/// The form for Forward and Backward: odds ratios in 32-bit floats.
struct ForwardProfile {
    int length = 0;
    std::vector<float> match;               // [code * length + k - 1]; 0 for minus infinity
    Plan7Profile::Transitions transitions;  // probabilities; 0 where Plan7Profile has minus infinity
};
ForwardProfile forward_odds(const Plan7Profile& profile);

/// Special transitions of the whole model for a target of a given length, as probabilities.
struct LengthModel {
    float loop, move;          // of N, C and J
    float end_loop, end_move;  // E -> J, E -> C
    static LengthModel multihit(std::uint64_t target_residues);
    static LengthModel unihit(std::uint64_t target_residues);
};

}  // namespace warpseq
