// A group of targets that a kernel of kernels/profile/forward_backward_simd.h runs side by side,
// the memory that it works in, and the arguments of its kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/profile/forward_backward.h"
#include "kernels/profile/forward_backward_simd.h"
#include "kernels/simd/aligned_bytes.h"

namespace warpseq {

/// The choices that sampled tracebacks of one region have made so far. 200 tracebacks pass mostly
/// through the same cells.
struct SampledChoices {
    /// The running sums of a row in which sampled domains end, as far as they have been needed.
    struct EndSums {
        std::size_t first = 0;    // place of the row's first sum in end_sums
        std::size_t stripes = 0;  // stripes that have been added; 0: the row has no place yet
    };

    std::vector<std::array<double, 3>> match;
    std::vector<double> c, j, b;    // per row; negative: not computed yet
    std::vector<EndSums> end_rows;  // per row
    std::vector<double> end_sums;

    std::size_t capacity_bytes() const {
        return end_sums.capacity() * sizeof(end_sums[0]) + match.capacity() * sizeof(match[0]);
    }
};

/// The memory of a thread for groups of targets, one group after the other.
struct GroupWorkspace final : ForwardBackward::Workspace {
    AlignedBytes codes, forward, backward, accuracy, match_insert, deletes, row, sums, choices, match_slots;
    SampledChoices sampled;
    std::vector<std::uint32_t> places;                 // StripedProfile::place() of each node
    std::vector<float> match_weights, insert_weights;  // for ForwardBackwardTable::mixture_odds

    static float* floats(AlignedBytes& memory, std::size_t count) {
        return reinterpret_cast<float*>(memory.reserve(count * sizeof(float)));
    }
    /// Frees the memory if it is more than a workspace keeps.
    void shrink();
};

/// A task's part in a group: a target, or a block of rows of one.
struct GroupMember {
    static constexpr std::size_t kWholeTarget = std::numeric_limits<std::size_t>::max();

    std::span<const ResidueCode> target;
    LengthModel length_model;
    std::size_t first = 0;  // first row, less 1
    std::size_t most_rows = kWholeTarget;

    std::size_t rows() const { return std::min(target.size() - first, most_rows); }
};

/// The members of a group side by side. Unused places repeat the last member. Place t of the group
/// has index t in every array with a value per target.
class GroupedTargets {
   public:
    /// Lays out the members' residues in the workspace. `members` has at least one member and at
    /// most kernels.targets.
    GroupedTargets(const GroupKernels& kernels, std::span<const GroupMember> members, GroupWorkspace& workspace);
    GroupedTargets(const GroupedTargets&) = delete;
    GroupedTargets& operator=(const GroupedTargets&) = delete;

    const TargetGroup& common() const { return common_; }
    const GroupKernels& kernels() const { return kernels_; }
    std::size_t targets() const { return targets_; }
    std::size_t rows() const { return common_.rows; }
    /// Returns the floats of one kind in one stripe.
    std::size_t kind_floats() const { return 4 * targets_; }

    float special(const float* rows, std::size_t i, std::size_t t, GroupSpecial::Kind kind) const {
        return rows[(i * GroupSpecial::kKinds + kind) * targets_ + t];
    }
    SpecialStates::Row special_row(const float* rows, std::size_t i, std::size_t t) const {
        const float* from = rows + i * GroupSpecial::kKinds * targets_ + t;
        return {from[GroupSpecial::kE * targets_], from[GroupSpecial::kN * targets_],
                from[GroupSpecial::kJ * targets_], from[GroupSpecial::kB * targets_],
                from[GroupSpecial::kC * targets_], from[GroupSpecial::kScale * targets_]};
    }
    void set_special_row(float* rows, std::size_t i, std::size_t t, const SpecialStates::Row& row) const {
        float* to = rows + i * GroupSpecial::kKinds * targets_ + t;
        to[GroupSpecial::kE * targets_] = row.e;
        to[GroupSpecial::kN * targets_] = row.n;
        to[GroupSpecial::kJ * targets_] = row.j;
        to[GroupSpecial::kB * targets_] = row.b;
        to[GroupSpecial::kC * targets_] = row.c;
        to[GroupSpecial::kScale * targets_] = row.scale;
    }
    /// Returns the special states of Forward's row 0.
    SpecialStates::Row forward_begin(std::size_t t) const { return {0, 1, 0, move_[t], 0, 1}; }
    /// Copies all rows of a target's special states.
    void copy_out(const float* rows, std::size_t t, SpecialStates& states) const;
    /// Copies Forward's scales, since Backward reads nothing else of Forward's special states.
    void copy_scales_in(const SpecialStates& states, std::size_t t);
    void copy_scales_in(std::span<const RowBlocks::Scale> scales, std::size_t t);

    /// Computes the score. Returns false on a range error.
    bool forward_score(std::size_t t, float log_scale_total, float& nats) const {
        const float end = special(common_.forward, residues_[t], t, GroupSpecial::kC);
        if (!is_usable(end)) return false;
        nats = add_log_nats(log_scale_total, end * move_[t]);
        return true;
    }
    bool backward_usable(const float* backward, std::size_t t) const {
        return is_usable(special(backward, 0, t, GroupSpecial::kN));
    }

   private:
    static bool is_usable(float total) { return total != 0 && total <= std::numeric_limits<float>::max(); }

    const GroupKernels& kernels_;
    std::size_t targets_;
    std::array<std::size_t, kMostGroupTargets> residues_{};
    std::array<float, kMostGroupTargets> loop_{}, move_{}, end_loop_{}, end_move_{};
    TargetGroup common_{};
};

/// Returns the kernels of the smallest kind of group that holds `count` targets, or of a smaller
/// one if the matrices get too large. `target_bytes` is the size of one target's matrices.
const GroupKernels& choose_group_kernels(const ForwardBackwardTable& table, std::size_t count,
                                         std::size_t target_bytes);

/// Returns 1 / x, rounded once.
inline float reciprocal(float x) { return 1.0f / x; }

/// The matrices of Forward whose rows are kept: none, those of match and insert values, or all.
enum class KeptRows { kNone, kMatchInsert, kAll };
/// Makes arguments of Forward. The caller sets row 0, and keeps `log_scale_total` (one per target)
/// while it uses them.
ForwardGroup forward_arguments(const StripedProfile& profile, const GroupedTargets& group, KeptRows kept,
                               GroupWorkspace& workspace, float* log_scale_total);
/// Sets row 0 of whole targets.
void begin_forward(const StripedProfile& profile, const GroupedTargets& group, const ForwardGroup& forward);

/// The numbers per target of a BackwardGroup.
struct BackwardNumbers {
    std::array<float, GroupCarried::kKinds * kMostGroupTargets> carried;
    std::array<float, kMostGroupTargets> log_scale_total;
};
/// Makes arguments of Backward for whole targets. The caller sets the state after the last row, and
/// keeps `numbers` while it uses them.
BackwardGroup backward_arguments(const StripedProfile& profile, const GroupedTargets& group, GroupWorkspace& workspace,
                                 float* match_insert, std::size_t match_insert_stride, BackwardNumbers& numbers);
/// Clears the state after the last row of whole targets.
void begin_backward(const StripedProfile& profile, const GroupedTargets& group, const BackwardGroup& backward);
/// Returns, for each target, a number above 0 if Backward had scales of its own.
inline const float* own_scales(const GroupedTargets& group, const BackwardGroup& backward) {
    return backward.carried + GroupCarried::kOwn * group.targets();
}

}  // namespace warpseq
