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
// rows; row `code` begins at code * length. Codes that stand for no amino acid (stop, unassigned,
// padding) score minus infinity in match states.
#pragma once

#include <cstdint>
#include <numbers>
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
/// Configures a profile for searching. A match score is the log of the residue's probability over
/// the background, and a transition score is the log of its probability. Both are in nats and
/// 32-bit floats.
Plan7Profile configure_plan7(const ProfileHmm& hmm);

/// Returns the scores of the entry at each node, in nats (Plan7Profile::Transitions::enter).
std::vector<float> entry_scores(const ProfileHmm& hmm);

/// Sets the rows of all codes but the amino acids, whose rows `match` must hold. The score of a
/// degenerate code is its expected score over the background.
void fill_other_codes(Plan7Profile& profile);

/// The cost, in nats, that stands for the loops of N, C and J in the MSV and Viterbi filters, where
/// they are free. It is about -L log(L / (L + 3)).
inline constexpr double kFreeLoopNats = 3.0;

/// The MSV form, for a filter that allows match states only. All costs are 8-bit numbers in thirds
/// of a bit and saturate at kCeiling. Sums have the offset kBase. Entering at any node costs
/// `enter`, leaving costs `end`, and moving on from N, C or J costs `move(L)`. Loops of N, C and J
/// are free, and kFreeLoopNats are subtracted at the end for them.
struct MsvProfile {
    static constexpr int kUnitsPerBit = 3;
    static constexpr float kUnitsPerNat = static_cast<float>(kUnitsPerBit / std::numbers::ln2);
    static constexpr float kNatsPerUnit = static_cast<float>(std::numbers::ln2 / kUnitsPerBit);
    static constexpr int kBase = 190, kCeiling = UINT8_MAX;
    int length = 0;
    SharedBytes match_costs;  // bias - score, saturated at 0 and kCeiling [code * length + k - 1]
    std::uint8_t bias = 0;    // the highest match score: added before a cost is subtracted
    std::uint8_t enter = 0;   // B -> M_k: -log(2 / (M (M + 1)))
    std::uint8_t end = 0;     // E -> C and E -> J: -log(1/2)
    static std::uint8_t move(std::uint64_t target_residues);  // N -> B, J -> B, C -> T: -log(3 / (L + 3))
    /// Turns the filter's result `xj` (kernels/profile/msv_filter.h), which is in thirds of a bit
    /// with the offset, into a score in nats. Subtracts move(L) and the cost of the loops.
    static float score_nats(int xj, std::uint64_t target_residues);
    /// Does the same for a caller that has already subtracted move(L) from `xj`.
    static float nats_of_units(int xj_less_move);
};
/// Returns the MSV form of a configured profile.
MsvProfile quantise_msv(const Plan7Profile& profile);

/// The form for the Viterbi filter. Scores are 16-bit numbers in 1/500 bit, and they saturate. Sums
/// have the offset kBase. Minus infinity is -32768. Loops of N, C and J are free, and kFreeLoopNats
/// are subtracted at the end for them. The insert-insert transition is at most -1.
struct ViterbiProfile {
    static constexpr int kUnitsPerBit = 500;
    static constexpr float kUnitsPerNat = static_cast<float>(kUnitsPerBit / std::numbers::ln2);
    static constexpr float kNatsPerUnit = static_cast<float>(std::numbers::ln2 / kUnitsPerBit);
    static constexpr int kBase = 12000;
    static constexpr std::int16_t kMinusInfinity = INT16_MIN;
    struct Transitions {
        std::vector<std::int16_t> enter, match_match, insert_match, delete_match, match_delete, match_insert,
            insert_insert, delete_delete;
    };
    int length = 0;
    std::vector<std::int16_t> match;                                                   // [code * length + k - 1]
    Transitions transitions;                                                           // as in Plan7Profile
    static constexpr std::int16_t kEndMove = -kUnitsPerBit, kEndLoop = -kUnitsPerBit;  // E -> C, E -> J: log 1/2
    static std::int16_t move(std::uint64_t target_residues);  // N -> B, J -> B, C -> T: log 3 / (L + 3)
    /// Turns the filter's result `xc` (kernels/profile/viterbi_filter.h), which is in 1/500 bit
    /// with the offset, into a score in nats. Adds the transition C -> T and subtracts the cost of
    /// the loops. Returns minus infinity for kMinusInfinity.
    static float score_nats(std::int16_t xc, std::uint64_t target_residues);
};
/// Returns the Viterbi filter's form of a configured profile.
ViterbiProfile quantise_viterbi(const Plan7Profile& profile);

/// The form for Forward and Backward: odds ratios in 32-bit floats.
struct ForwardProfile {
    int length = 0;
    std::vector<float> match;               // [code * length + k - 1]; 0 for minus infinity
    Plan7Profile::Transitions transitions;  // probabilities; 0 where Plan7Profile has minus infinity
};
/// Returns the odds ratios e^score of a configured profile. They are HMMER's floats, which differ
/// from those of the C library's expf().
ForwardProfile forward_odds(const Plan7Profile& profile);

/// The probabilities of the transitions from N, C, J and E, which depend on the length of the
/// target.
struct LengthModel {
    float loop, move;          // of N, C and J
    float end_loop, end_move;  // E -> J, E -> C
    static LengthModel multihit(std::uint64_t target_residues);
    static LengthModel unihit(std::uint64_t target_residues);
};

}  // namespace warpseq
