#include "kernels/profile/target_group_simd.h"

#include <cstring>
#include <utility>

namespace warpseq {
namespace {

/// The size of a group's matrices above which a smaller group is faster. They should stay in the
/// second-level cache.
constexpr std::size_t kCachedBytes = std::size_t{3} << 19;
/// The size above which targets are computed one by one. A quad for each then needs no more memory
/// than plain rows.
constexpr std::size_t kGroupedBytes = kOwnWorkspaceBytes;

}  // namespace

void GroupWorkspace::shrink() {
    std::size_t bytes = sampled.capacity_bytes();
    for (const AlignedBytes* memory :
         {&codes, &forward, &backward, &accuracy, &match_insert, &deletes, &choices, &match_slots})
        bytes += memory->capacity_bytes();
    if (bytes <= kOwnWorkspaceBytes) return;
    GroupWorkspace emptied;
    static_cast<ForwardBackward::Workspace&>(emptied) = *this;  // the caller's settings stay
    *this = std::move(emptied);
}

GroupedTargets::GroupedTargets(const GroupKernels& kernels, std::span<const GroupMember> members,
                               GroupWorkspace& workspace)
    : kernels_(kernels), targets_(kernels.targets) {
    std::size_t rows = 0;
    for (std::size_t t = 0; t < targets_; ++t) {
        const GroupMember& member = members[std::min(t, members.size() - 1)];
        residues_[t] = member.target.size() - member.first;
        loop_[t] = member.length_model.loop;
        move_[t] = member.length_model.move;
        end_loop_[t] = member.length_model.end_loop;
        end_move_[t] = member.length_model.end_move;
        rows = std::max(rows, member.rows());
    }
    auto* codes = reinterpret_cast<std::uint8_t*>(workspace.codes.reserve((rows + 2) * targets_));
    std::memset(codes, kPaddingCode, (rows + 2) * targets_);
    for (std::size_t t = 0; t < targets_; ++t) {
        const GroupMember& member = members[std::min(t, members.size() - 1)];
        // A residue of the next block follows a block of rows.
        const auto residues = member.target.subspan(member.first, std::min(member.rows() + 1, residues_[t]));
        for (std::size_t i = 0; i < residues.size(); ++i) codes[(i + 1) * targets_ + t] = residues[i];
    }
    common_ = {rows,
               codes,
               residues_.data(),
               loop_.data(),
               move_.data(),
               end_loop_.data(),
               end_move_.data(),
               GroupWorkspace::floats(workspace.forward, (rows + 1) * GroupSpecial::kKinds * targets_),
               &workspace.stop};
}

void GroupedTargets::copy_out(const float* rows, std::size_t t, SpecialStates& states) const {
    states.rows.resize(residues_[t] + 1);
    for (std::size_t i = 0; i <= residues_[t]; ++i) states.rows[i] = special_row(rows, i, t);
}

void GroupedTargets::copy_scales_in(const SpecialStates& states, std::size_t t) {
    for (std::size_t i = 0; i <= rows(); ++i) {
        common_.forward[(i * GroupSpecial::kKinds + GroupSpecial::kScale) * targets_ + t] =
            i < states.rows.size() ? states.rows[i].scale : 1.0f;
    }
}

void GroupedTargets::copy_scales_in(std::span<const RowBlocks::Scale> scales, std::size_t t) {
    const auto scale_of = [&](std::size_t i) -> float& {
        return common_.forward[(i * GroupSpecial::kKinds + GroupSpecial::kScale) * targets_ + t];
    };
    for (std::size_t i = 0; i <= rows(); ++i) scale_of(i) = 1.0f;
    for (const RowBlocks::Scale& scale : scales) scale_of(scale.row) = scale.scale;
}

const GroupKernels& choose_group_kernels(const ForwardBackwardTable& table, std::size_t count,
                                         std::size_t target_bytes) {
    std::size_t kind = 0;
    for (; kind + 1 < table.group_kinds; ++kind) {
        const std::size_t targets = table.groups[kind]->targets, fewer = table.groups[kind + 1]->targets;
        const bool uncached = fewer > 1 && targets * target_bytes > kCachedBytes;
        if (fewer < count && !uncached && targets * target_bytes <= kGroupedBytes) break;
    }
    return *table.groups[kind];
}

ForwardGroup forward_arguments(const StripedProfile& profile, const GroupedTargets& group, KeptRows kept,
                               GroupWorkspace& workspace, float* log_scale_total) {
    const std::size_t row_floats = group.kind_floats() * profile.stripes;
    const std::size_t match_insert_stride = kept == KeptRows::kNone ? 0 : 2 * row_floats;
    const std::size_t deletes_stride = kept == KeptRows::kAll ? row_floats : 0;
    return {group.common(),
            GroupWorkspace::floats(workspace.match_insert, group.rows() * match_insert_stride + 2 * row_floats),
            match_insert_stride,
            GroupWorkspace::floats(workspace.deletes, group.rows() * deletes_stride + row_floats),
            deletes_stride,
            log_scale_total};
}

void begin_forward(const StripedProfile& profile, const GroupedTargets& group, const ForwardGroup& forward) {
    std::fill_n(forward.match_insert, 2 * group.kind_floats() * profile.stripes, 0.0f);
    std::fill_n(forward.deletes, group.kind_floats() * profile.stripes, 0.0f);
    std::fill_n(forward.log_scale_total, group.targets(), 0.0f);
    for (std::size_t t = 0; t < group.targets(); ++t)
        group.set_special_row(forward.forward, 0, t, group.forward_begin(t));
}

BackwardGroup backward_arguments(const StripedProfile& profile, const GroupedTargets& group, GroupWorkspace& workspace,
                                 float* match_insert, std::size_t match_insert_stride, BackwardNumbers& numbers) {
    return {group.common(),
            GroupWorkspace::floats(workspace.row, 6 * group.kind_floats() * profile.stripes),
            numbers.carried.data(),
            true,
            match_insert,
            match_insert_stride,
            GroupWorkspace::floats(workspace.backward, (group.rows() + 1) * GroupSpecial::kKinds * group.targets()),
            numbers.log_scale_total.data()};
}

void begin_backward(const StripedProfile& profile, const GroupedTargets& group, const BackwardGroup& backward) {
    const std::size_t targets = group.targets();
    std::fill_n(backward.row, 3 * group.kind_floats() * profile.stripes, 0.0f);
    std::fill_n(backward.carried, GroupCarried::kKinds * targets, 0.0f);
    std::fill_n(backward.carried + GroupCarried::kScale * targets, targets, 1.0f);
    std::fill_n(backward.log_scale_total, targets, 0.0f);
}

}  // namespace warpseq
