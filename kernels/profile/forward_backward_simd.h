// The vector kernels behind the CPU back ends of kernels/profile/forward_backward.h, and the class
// around them.
//
// A kernel runs a group of targets at once, each in a quad of four lanes of its own, in the order
// of operations of the contract. kernels/profile/forward_backward_kernels_simd.h explains the
// kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "kernels/profile/forward_backward.h"
#include "kernels/simd/aligned_bytes.h"

namespace warpseq {

/// The most targets of a group, which take two vectors of four quads.
inline constexpr std::size_t kMostGroupTargets = 8;

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
    const std::uint8_t* possible;  // per stripe: 1 if all eight transitions are above 0 in all lanes
    bool long_model;               // passes over delete paths end once one has changed nothing

    /// Returns the place of a node in a stripe-ordered array of quads. `node_index` is k - 1 for
    /// node k.
    std::size_t place(std::size_t node_index) const { return node_index % stripes * 4 + node_index / stripes; }

   private:
    AlignedBytes memory_;
};

/// The numbers per row of a group's special states. Each is an array with one float per target.
struct GroupSpecial {
    enum Kind : std::size_t { kE, kN, kJ, kB, kC, kScale, kKinds };
};
/// The same of the optimal-accuracy matrix, together with the numbers that it is computed from.
struct GroupAccuracySpecial {
    enum Kind : std::size_t { kE, kN, kJ, kB, kC, kPosteriorJ, kPosteriorC, kTotal, kKinds };
};

/// The arguments that all kernels of a group share. `targets` below is GroupKernels::targets.
/// Arrays per target have kMostGroupTargets entries.
///
/// Rows of match, delete and insert values hold, per stripe, one vector for each four lanes' worth
/// of targets. The quad of target t is at 4 (targets (kinds q + kind) + t), where `kinds` is the
/// number of kinds of values in the row.
struct TargetGroup {
    std::size_t rows;  // residues of the longest target
    /// Residue i of target t at i * targets + t, for rows 1..rows and row rows + 1. It is
    /// kPaddingCode beyond the target's end.
    const std::uint8_t* codes;
    const std::size_t* residues;                     // per target: its last row
    const float *loop, *move, *end_loop, *end_move;  // per target
    float* forward;                                  // GroupSpecial of rows 0..rows
    const std::stop_token* stop;  // checked every few rows; after a stop request, rows are missing from every result
};

/// Numbers of Backward that pass from a row to the one above it, besides the row itself. Each is an
/// array with one float per target. E is the value before rescaling. kOwn is 1 once Backward has
/// scales of its own.
struct GroupCarried {
    enum Kind : std::size_t { kE, kN, kJ, kC, kScale, kOwn, kKinds };
};

/// Arguments of Forward. Without a matrix (strides 0) rows overwrite one another. The caller sets
/// row 0 and its special states. They are the target's begin, or the row before a block of rows.
struct ForwardGroup : TargetGroup {
    float* match_insert;  // row 0; kinds: match, insert. Values before rescaling
    std::size_t match_insert_stride;
    float* deletes;  // row 0; one kind
    std::size_t deletes_stride;
    float* log_scale_total;  // per target; added to
};

/// Arguments of Backward, which reads the values that Forward left in `forward`. The caller sets
/// the state that leads to row `rows`. It is the target's end, or the row after a block of rows.
struct BackwardGroup : TargetGroup {
    float* row;           // state after row rows + 1; out: after row 1. Kinds: match, delete, insert
    float* carried;       // GroupCarried, in and out
    bool from_start;      // whether row 0 is the target's begin, and wanted; else the rows end with row 1
    float* match_insert;  // Forward's matrix, or nullptr: values of rows 1.. become (scaled) Forward times Backward
    std::size_t match_insert_stride;
    float* backward;         // GroupSpecial of rows 0..rows, out
    float* log_scale_total;  // per target; added to
};

/// Arguments of decoding and optimal accuracy, which read both special states' rows and the matrix
/// of products.
struct AccuracyGroup : TargetGroup {
    const float* backward;
    const float* own_scales;    // per target: above 0 where Backward had scales of its own
    const float* match_insert;  // products
    std::size_t match_insert_stride;
    float* accuracy;             // GroupAccuracySpecial of rows 0..rows, out
    float* row;                  // scratch of two rows; kinds: match, delete, insert
    float* sums;                 // kinds match, insert; out: summed posterior probabilities, nullptr if not wanted
    float* other_sums;           // three arrays per target: N, C, J; out
    float* scale;                // per target, out: tested by isinf()
    std::uint16_t* choices;      // out: per row 1..rows, stripe, kind of choice and vector one bit per lane
    std::size_t choices_stride;  // from row to row
    std::uint32_t* first_end;    // per target, out: the state from which E of row 1 is best entered
    std::uint32_t* last_end;     // the same for the last row whose E is better than staying in C
};

/// Returns the code of a state that E is entered from: twice the node's index, plus 1 for its
/// delete state.
inline constexpr std::uint32_t end_in(std::size_t node_index, bool is_delete) {
    return static_cast<std::uint32_t>(2 * node_index + (is_delete ? 1 : 0));
}

/// Kinds of choices of the optimal-accuracy traceback, each a bit per lane.
enum AccuracyChoice : std::size_t {
    kMatchFromMatch,   // M(i, k) from M(i - 1, k - 1)
    kMatchFromInsert,  // if not: from I(i - 1, k - 1)
    kMatchFromDelete,  // if neither: from D(i - 1, k - 1); else from B
    kInsertFromMatch,  // I(i, k) from M(i - 1, k), else from I(i - 1, k)
    kDeleteFromMatch,  // D(i, k + 1) from M(i, k), else from D(i, k)
    kAccuracyChoices,
};

/// The kernels of one instruction set for groups of one size.
struct GroupKernels {
    std::size_t targets;  // per group
    std::size_t quads;    // per vector
    void (*forward)(const StripedProfile& profile, const ForwardGroup& group);
    void (*backward)(const StripedProfile& profile, const BackwardGroup& group);
    void (*accuracy)(const StripedProfile& profile, const AccuracyGroup& group);
};

struct ForwardBackwardTable {
    const GroupKernels* const* groups;  // largest first; the last runs single targets
    std::size_t group_kinds;
    /// Computes odds[a] for each amino acid: the sum over nodes of match weight times match odds
    /// plus insert weight. Weights are in stripe order, 4 Q floats each. If `insert_weights` is
    /// nullptr, all are 0.
    void (*mixture_odds)(const StripedProfile& profile, const float* match_weights, const float* insert_weights,
                         float* odds);
};

/// Kernels for a single target. Their instruction set is narrower than those of the tables that use
/// them.
extern const GroupKernels kSse41SingleTarget;

/// Adds the logarithm of `scale` to a float as HMMER does, in double precision and rounded once.
float add_log_nats(float total_nats, float scale);

/// Returns the state from which E is best entered in a row of an optimal-accuracy matrix. It is the
/// last match state in scan order that equals `greatest`, or else the first such delete state.
/// `row` is the quad of the target in stripe 0.
std::uint32_t find_end(const float* row, std::size_t stripes, std::size_t stripe_stride, std::size_t delete_offset,
                       float greatest);

std::unique_ptr<ForwardBackward> make_simd_forward_backward(const ForwardBackwardTable& table,
                                                            const ForwardProfile& profile, std::size_t rows_per_block);

}  // namespace warpseq
