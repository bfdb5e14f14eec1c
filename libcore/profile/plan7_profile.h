// A profile HMM configured for searching: local multihit Plan 7 as log-odds scores, and the three
// quantised forms that the stages of a search compute with. docs/hmm.md derives each. Values equal
// HMMER 3's bit for bit: same operations, same order, same widths.
//
//        +--------- J <--------+
//        v                     |
//   N -> B -> [ M_k I_k D_k, k = 1..M, enter at any M_k, leave from any M_k or D_k ] -> E -> C
//
// N, C and J loop with probability L / (L + 3) (multihit) or L / (L + 2) (unihit) for a target of L
// residues; E goes to C or J with 1/2 each (multihit) or always to C (unihit). Entry at M_k:
// occupancy(k) / sum_i occupancy(i) (M - i + 1). Inserts emit background.
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

/// Log-odds scores in nats.
struct Plan7Profile {
    /// One array per kind of transition, each entry for the node k that it is used for when row k
    /// of the matrix is computed: enter, match_match, insert_match and delete_match lead into M_k
    /// (the last three from node k - 1; minus infinity for k = 1), the others leave node k (minus
    /// infinity for k = M).
    struct Transitions {
        std::vector<float> enter, match_match, insert_match, delete_match, match_delete, match_insert, insert_insert,
            delete_delete;
    };
    int length = 0;
    std::vector<float> match;  // [code * length + k - 1]
    Transitions transitions;
};
Plan7Profile configure_plan7(const ProfileHmm& hmm);

/// Sets the rows of all codes but the amino acids, whose rows `match` holds: what a degenerate code
/// scores is expected over the background.
void fill_other_codes(Plan7Profile& profile);

/// MSV: 8 bits, costs in thirds of a bit, offset 190; all costs saturate at 255. MSV allows match
/// states only: entry anywhere costs `enter`, leaving `end`, moving on from N, C or J `move(L)`;
/// loops are free and cost 3.0 nats at the end.
struct MsvProfile {
    static constexpr int kBase = 190;
    int length = 0;
    SharedBytes match_costs;  // bias - score, saturated at 0 and 255 [code * length + k - 1]
    std::uint8_t bias = 0;    // the highest match score: what has to be added before a cost is subtracted
    std::uint8_t enter = 0;   // B -> M_k: -log(2 / (M (M + 1)))
    std::uint8_t end = 0;     // E -> C and E -> J: -log(1/2)
    static std::uint8_t move(std::uint64_t target_residues);  // N -> B, J -> B, C -> T: -log(3 / (L + 3))
    /// Nats of what the filter returns (kernels/profile/msv_filter.h); minus move(L) included.
    static float score_nats(int xj, std::uint64_t target_residues);
    /// The same where move(L) is known: xj - move(L).
    static float nats_of_units(int xj_less_move);
};
MsvProfile quantise_msv(const Plan7Profile& profile);

/// Viterbi filter: 16 bits, 1/500 bit, offset 12000, saturating; minus infinity is -32768. Loops of
/// N, C and J are free and cost 3.0 nats at the end. The insert-insert transition is at most -1.
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
    /// Nats of what the filter returns (kernels/profile/viterbi_filter.h); C -> T included.
    static float score_nats(std::int16_t xc, std::uint64_t target_residues);
};
ViterbiProfile quantise_viterbi(const Plan7Profile& profile);

/// Forward and Backward: odds ratios in 32-bit floats.
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
