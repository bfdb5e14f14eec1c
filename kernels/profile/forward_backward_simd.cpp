// The ForwardBackward of every back end but the reference. It puts targets of like length into
// groups and runs the kernels on them.
#include "kernels/profile/forward_backward_simd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "kernels/profile/optimal_accuracy_simd.h"
#include "kernels/profile/row_blocks_simd.h"
#include "kernels/profile/sampled_traces_simd.h"
#include "kernels/profile/target_group_simd.h"
#include "kernels/simd/flush_subnormals.h"

namespace warpseq {
namespace {

class SimdForwardBackward final : public ForwardBackward {
   public:
    SimdForwardBackward(const ForwardBackwardTable& table, const ForwardProfile& profile, std::size_t rows_per_block)
        : table_(table), profile_(profile), blocks_(table_, profile_, rows_per_block) {}

    std::unique_ptr<ForwardBackward::Workspace> make_workspace() const override {
        return std::make_unique<GroupWorkspace>();
    }
    std::size_t preferred_tasks() const override { return table_.groups[0]->targets; }

    std::uint64_t task_bytes(std::size_t residues) const override {
        return blocks_.takes(residues) ? blocks_.task_bytes(residues) : ForwardBackward::task_bytes(residues);
    }

    void forward(std::span<ForwardTask* const> tasks, ForwardBackward::Workspace& workspace) const override {
        const FlushSubnormals flush;
        auto& work = static_cast<GroupWorkspace&>(workspace);
        const std::vector<ForwardTask*> whole = whole_targets(tasks);
        in_groups(
            std::span<ForwardTask* const>(whole), work, 0,
            [](const ForwardTask& task) {
                return GroupMember{task.target, task.length_model};
            },
            [&](std::span<ForwardTask* const> members, const GroupedTargets& group) { forward(members, group, work); });
        for (ForwardTask* const task : tasks) {
            if (is_in_blocks(*task)) blocks_.forward(*task, work);
        }
    }

    void backward(std::span<ForwardTask* const> tasks, ForwardBackward::Workspace& workspace) const override {
        const FlushSubnormals flush;
        auto& work = static_cast<GroupWorkspace&>(workspace);
        const std::vector<ForwardTask*> whole = whole_targets(tasks);
        in_groups(
            std::span<ForwardTask* const>(whole), work, 0,
            [](const ForwardTask& task) {
                return GroupMember{task.target, task.length_model};
            },
            [&](std::span<ForwardTask* const> members, GroupedTargets& group) { backward(members, group, work); });
        for (ForwardTask* const task : tasks) {
            if (is_in_blocks(*task)) blocks_.backward(*task, work);
        }
    }

    void read_special_states(const ForwardTask& task, ForwardBackward::Workspace& workspace,
                             const TakeRows& take) const override {
        if (!is_in_blocks(task)) return ForwardBackward::read_special_states(task, workspace, take);
        const FlushSubnormals flush;
        blocks_.read(task, static_cast<GroupWorkspace&>(workspace), take);
    }

    void decode_envelopes(std::span<EnvelopeTask* const> tasks, ForwardBackward::Workspace& workspace) const override {
        std::optional<FlushSubnormals> flush;
        if (!workspace.keeps_subnormals) flush.emplace();
        auto& work = static_cast<GroupWorkspace&>(workspace);
        in_groups(
            tasks, work, 2,
            [](const EnvelopeTask& task) {
                return GroupMember{task.envelope, task.length_model};
            },
            [&](std::span<EnvelopeTask* const> members, const GroupedTargets& group) {
                decode_group(table_, profile_, members, group, work);
            });
    }

    void sample_regions(std::span<RegionTask* const> tasks, ForwardBackward::Workspace& workspace) const override {
        const FlushSubnormals flush;
        auto& work = static_cast<GroupWorkspace&>(workspace);
        in_groups(
            tasks, work, 3,
            [](const RegionTask& task) {
                return GroupMember{task.region, task.length_model};
            },
            [&](std::span<RegionTask* const> members, const GroupedTargets& group) {
                sample_group(table_, profile_, members, group, work);
            });
    }

   private:
    bool is_in_blocks(const ForwardTask& task) const { return blocks_.takes(task.target.size()); }
    std::vector<ForwardTask*> whole_targets(std::span<ForwardTask* const> tasks) const {
        std::vector<ForwardTask*> whole;
        std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(whole),
                     [this](const ForwardTask* task) { return !is_in_blocks(*task); });
        return whole;
    }

    /// Runs tasks of like length together, longest first. `matrix_kinds` is the number of values
    /// per cell that the matrices keep.
    template <typename Task, typename MakeMember, typename Run>
    void in_groups(std::span<Task* const> tasks, GroupWorkspace& workspace, std::size_t matrix_kinds,
                   const MakeMember& make_member, const Run& run) const {
        std::vector<Task*> ordered(tasks.begin(), tasks.end());
        std::stable_sort(ordered.begin(), ordered.end(), [&make_member](const Task* a, const Task* b) {
            return make_member(*a).target.size() > make_member(*b).target.size();
        });
        std::vector<GroupMember> members;
        for (std::size_t first = 0; first < ordered.size() && !workspace.stop.stop_requested();) {
            const std::size_t longest = make_member(*ordered[first]).target.size();
            members.clear();
            for (std::size_t x = first; x < ordered.size() && members.size() < table_.groups[0]->targets; ++x) {
                const GroupMember member = make_member(*ordered[x]);
                // In the first vector even a short target costs no time, but its places in matrices
                // cost memory.
                const std::size_t free_places = matrix_kinds == 0 ? table_.groups[0]->quads : 1;
                if (members.size() >= free_places && 2 * member.target.size() < longest) break;
                members.push_back(member);
            }
            const GroupKernels& kernels =
                choose_group_kernels(table_, members.size(), (longest + 1) * matrix_kinds * 16 * profile_.stripes);
            members.resize(std::min(members.size(), kernels.targets));
            // The sizes of the matrices, and of choices, which take at most as much as one more
            // matrix.
            const std::size_t bytes =
                matrix_kinds == 0 ? 0 : (longest + 1) * (matrix_kinds + 1) * 16 * profile_.stripes * kernels.targets;
            MemoryBudget::Grant grant;
            if (workspace.budget && bytes > kOwnWorkspaceBytes) grant = workspace.budget->take(bytes);
            if (!workspace.stop.stop_requested()) {
                GroupedTargets group(kernels, members, workspace);
                run(std::span(ordered).subspan(first, members.size()), group);
            }
            workspace.shrink();
            first += members.size();
        }
    }

    [[gnu::noinline]] void forward(std::span<ForwardTask* const> tasks, const GroupedTargets& group,
                                   GroupWorkspace& work) const {
        std::array<float, kMostGroupTargets> log_scale_total;
        const ForwardGroup in = forward_arguments(profile_, group, KeptRows::kNone, work, log_scale_total.data());
        begin_forward(profile_, group, in);
        group.kernels().forward(profile_, in);
        if (work.stop.stop_requested()) return;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            ForwardTask& task = *tasks[t];
            group.copy_out(in.forward, t, task.forward);
            task.forward.own_scales = true;
            task.forward.log_scale_total = log_scale_total[t];
            task.in_range = group.forward_score(t, log_scale_total[t], task.score_nats);
        }
    }

    [[gnu::noinline]] void backward(std::span<ForwardTask* const> tasks, GroupedTargets& group,
                                    GroupWorkspace& work) const {
        for (std::size_t t = 0; t < group.targets(); ++t)
            group.copy_scales_in(tasks[std::min(t, tasks.size() - 1)]->forward, t);
        BackwardNumbers numbers;
        const BackwardGroup in = backward_arguments(profile_, group, work, nullptr, 0, numbers);
        begin_backward(profile_, group, in);
        group.kernels().backward(profile_, in);
        if (work.stop.stop_requested()) return;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            ForwardTask& task = *tasks[t];
            group.copy_out(in.backward, t, task.backward);
            task.backward.own_scales = own_scales(group, in)[t] > 0;
            task.backward.log_scale_total = numbers.log_scale_total[t];
            task.in_range = group.backward_usable(in.backward, t);
        }
    }

    const ForwardBackwardTable& table_;
    StripedProfile profile_;
    RowBlockPasses blocks_;
};

}  // namespace

float add_log_nats(float total_nats, float scale) {
    return static_cast<float>(static_cast<double>(total_nats) + std::log(static_cast<double>(scale)));
}

std::uint32_t find_end(const float* row, std::size_t stripes, std::size_t stripe_stride, std::size_t delete_offset,
                       float greatest) {
    for (std::size_t q = stripes; q-- > 0;) {
        for (std::size_t r = 4; r-- > 0;) {
            if (row[q * stripe_stride + r] == greatest) return end_in(r * stripes + q, false);
        }
    }
    for (std::size_t q = 0; q < stripes; ++q) {
        for (std::size_t r = 0; r < 4; ++r) {
            if (row[q * stripe_stride + delete_offset + r] == greatest) return end_in(r * stripes + q, true);
        }
    }
    return end_in(0, false);
}

std::unique_ptr<ForwardBackward> make_simd_forward_backward(const ForwardBackwardTable& table,
                                                            const ForwardProfile& profile, std::size_t rows_per_block) {
    return std::make_unique<SimdForwardBackward>(table, profile, rows_per_block);
}

}  // namespace warpseq
