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
#include "kernels/profile/striped_profile_simd.h"

namespace warpseq {

/// Most targets of a group, which are two vectors of four quads.
inline constexpr std::size_t kMostGroupTargets = 8;

/// The kinds of numbers that a row of a group's special states has. Each is an array with one float
/// per target.
struct GroupSpecial {
    enum Kind : std::size_t { kE, kN, kJ, kB, kC, kScale, kKinds };
};
/// The same for the optimal-accuracy matrix, together with the numbers from which it is computed.
struct GroupAccuracySpecial {
    enum Kind : std::size_t { kE, kN, kJ, kB, kC, kPosteriorJ, kPosteriorC, kTotal, kKinds };
};

/// The arguments that all kernels for a group of targets share. In these comments, `targets` is
/// GroupKernels::targets. Arrays with a value per target have kMostGroupTargets entries.
///
/// A row of match, delete and insert values has, for each stripe and kind of value, a quad per
/// target. The quad of target t in stripe q begins at float 4 (targets (kinds q + kind) + t), where
/// `kinds` is the number of kinds in the row.
struct TargetGroup {
    std::size_t rows;  // residues of the longest target
    /// The residue codes: residue i of target t is at i * targets + t, for i = 1..rows + 1. It is
    /// kPaddingCode behind the target's end.
    const std::uint8_t* codes;
    const std::size_t* residues;                     // per target: its last row
    const float *loop, *move, *end_loop, *end_move;  // per target
    float* forward;                                  // GroupSpecial of rows 0..rows
    const std::stop_token* stop;  // checked every few rows; after a stop request, rows are missing from every result
};

/// The kinds of numbers that Backward passes from a row to the row above it, besides the row's
/// values. Each is an array with one float per target. kE is the value before rescaling. kOwn is 1
/// once Backward has scales of its own.
struct GroupCarried {
    enum Kind : std::size_t { kE, kN, kJ, kC, kScale, kOwn, kKinds };
};

/// Arguments of Forward. If no matrix is kept, strides are 0 and rows overwrite one another. The
/// caller sets row 0 and its special states. These are the target's begin, or the row before a
/// block of rows.
struct ForwardGroup : TargetGroup {
    float* match_insert;  // row 0; kinds: match, insert. Values before rescaling
    std::size_t match_insert_stride;
    float* deletes;  // row 0; one kind
    std::size_t deletes_stride;
    float* log_scale_total;  // per target; added to
};

/// Arguments of Backward, which reads the values that Forward left in `forward`. The caller sets
/// `row` and `carried`, the state from which row `rows` follows. This is the target's end, or the
/// row after a block of rows.
struct BackwardGroup : TargetGroup {
    float* row;           // state after row rows + 1; out: after row 1. Kinds: match, delete, insert
    float* carried;       // GroupCarried, in and out
    bool from_start;      // whether row 0 is the target's begin and is wanted; else the rows end with row 1
    float* match_insert;  // Forward's matrix, or nullptr: values of rows 1.. become (scaled) Forward times Backward
    std::size_t match_insert_stride;
    float* backward;         // GroupSpecial of rows 0..rows, out
    float* log_scale_total;  // per target; added to
};

/// Arguments of decoding and optimal accuracy, which read the special states of Forward and
/// Backward and the matrix of products.
struct AccuracyGroup : TargetGroup {
    const float* backward;
    const float* own_scales;    // per target: above 0 where Backward had scales of its own
    const float* match_insert;  // products
    std::size_t match_insert_stride;
    float* accuracy;             // GroupAccuracySpecial of rows 0..rows, out
    float* row;                  // scratch of two rows; kinds: match, delete, insert
    float* sums;                 // kinds match, insert; out: summed posterior probabilities, nullptr if not wanted
    float* other_sums;           // three arrays per target: N, C, J; out
    float* scale;                // per target, out; the caller checks it with isinf()
    std::uint16_t* choices;      // out: [row 1..rows][stripe][AccuracyChoice][vector], with a bit per lane
    std::size_t choices_stride;  // from row to row
    std::uint32_t* first_end;    // per target, out: the state from which E of row 1 is best entered
    std::uint32_t* last_end;     // the same for the last row whose E is better than staying in C
};

/// Returns the code of a state from which E is entered: twice the node's index, plus 1 for its
/// delete state.
inline constexpr std::uint32_t end_in(std::size_t node_index, bool is_delete) {
    return static_cast<std::uint32_t>(2 * node_index + (is_delete ? 1 : 0));
}

/// The choices of the optimal-accuracy traceback. Each takes a bit per lane.
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

/// The kernels for a single target. They are of SSE4.1, because one target fills four lanes only.
/// The tables of wider instruction sets use them, too.
extern const GroupKernels kSse41SingleTarget;

/// Adds the logarithm of `scale` to a float as HMMER does, in double precision and rounded once.
float add_log_nats(float total_nats, float scale);

/// Returns the code of the state from which E is best entered in a row of an optimal-accuracy
/// matrix. It is the last match state in scan order whose value equals `greatest`. If there is
/// none, it is the first such delete state. `row` points to the target's quad in stripe 0.
std::uint32_t find_end(const float* row, std::size_t stripes, std::size_t stripe_stride, std::size_t delete_offset,
                       float greatest);

std::unique_ptr<ForwardBackward> make_simd_forward_backward(const ForwardBackwardTable& table,
                                                            const ForwardProfile& profile, std::size_t rows_per_block);

}  // namespace warpseq
