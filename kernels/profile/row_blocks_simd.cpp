#include "kernels/profile/row_blocks_simd.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace warpseq {
namespace {

/// Copies the quads of one target's row to place t of a group's row.
void put_quads(const float* row, std::size_t quads, const GroupedTargets& group, std::size_t t, float* group_row) {
    for (std::size_t x = 0; x < quads; ++x) std::copy_n(row + 4 * x, 4, group_row + 4 * (group.targets() * x + t));
}

}  // namespace

void RowBlockPasses::forward(ForwardTask& task, GroupWorkspace& work) const {
    const std::size_t blocks = block_count(task.target.size()), quads = profile_.stripes;
    task.blocks.rows = rows_per_block_;
    task.blocks.forward.resize(blocks * state_floats());
    task.blocks.scales.assign(blocks, {});
    task.forward.rows.clear();
    float log_scale_total = 0;
    SpecialStates::Row last{};
    for (std::size_t b = 0; b < blocks && !work.stop.stop_requested(); ++b) {
        const GroupMember member{task.target, task.length_model, b * rows_per_block_, rows_per_block_};
        const GroupedTargets group(*table_.groups[table_.group_kinds - 1], std::span(&member, 1), work);
        const ForwardGroup in = forward_arguments(profile_, group, KeptRows::kNone, work, &log_scale_total);
        if (b == 0) {
            begin_forward(profile_, group, in);
            last = group.forward_begin(0);
        } else {
            group.set_special_row(in.forward, 0, 0, last);
        }
        float* state = task.blocks.forward.data() + b * state_floats();
        state = std::copy_n(in.match_insert, 8 * quads, state);
        state = std::copy_n(in.deletes, 4 * quads, state);
        std::copy_n(in.forward, static_cast<std::size_t>(GroupSpecial::kKinds), state);
        group.kernels().forward(profile_, in);
        if (work.stop.stop_requested()) return;
        std::vector<RowBlocks::Scale>& scales = task.blocks.scales[b];
        for (std::size_t i = 1; i <= group.rows(); ++i) {
            const float scale = group.special(in.forward, i, 0, GroupSpecial::kScale);
            if (scale != 1.0f) scales.push_back({static_cast<std::uint32_t>(i), scale});
        }
        scales.shrink_to_fit();
        last = group.special_row(in.forward, group.rows(), 0);
        if (b + 1 == blocks) task.in_range = group.forward_score(0, log_scale_total, task.score_nats);
    }
    task.forward.own_scales = true;
    task.forward.log_scale_total = log_scale_total;
}

void RowBlockPasses::backward(ForwardTask& task, GroupWorkspace& work) const {
    const std::size_t blocks = block_count(task.target.size()), quads = profile_.stripes;
    task.blocks.backward.resize(blocks * state_floats());
    task.backward.rows.clear();
    BackwardNumbers numbers;
    for (std::size_t b = blocks; b-- > 0 && !work.stop.stop_requested();) {
        const GroupMember member{task.target, task.length_model, b * rows_per_block_, rows_per_block_};
        GroupedTargets group(*table_.groups[table_.group_kinds - 1], std::span(&member, 1), work);
        group.copy_scales_in(task.blocks.scales[b], 0);
        BackwardGroup in = backward_arguments(profile_, group, work, nullptr, 0, numbers);
        in.from_start = b == 0;
        if (b + 1 == blocks) begin_backward(profile_, group, in);
        float* state = task.blocks.backward.data() + b * state_floats();
        state = std::copy_n(in.row, 12 * quads, state);
        std::copy_n(in.carried, static_cast<std::size_t>(GroupCarried::kKinds), state);
        group.kernels().backward(profile_, in);
        if (work.stop.stop_requested()) return;
        task.blocks.scales[b] = std::vector<RowBlocks::Scale>();
        if (b > 0) continue;
        task.blocks.backward_start = group.special_row(in.backward, 0, 0);
        task.backward.own_scales = own_scales(group, in)[0] > 0;
        task.backward.log_scale_total = numbers.log_scale_total[0];
        task.in_range = group.backward_usable(in.backward, 0);
    }
}

void RowBlockPasses::read(const ForwardTask& task, GroupWorkspace& work, const ForwardBackward::TakeRows& take) const {
    const std::size_t blocks = block_count(task.target.size()), quads = profile_.stripes;
    std::vector<GroupMember> members;
    std::vector<SpecialStates::Row> forward_rows, backward_rows;
    for (std::size_t first = 0; first < blocks && !work.stop.stop_requested(); first += members.size()) {
        members.clear();
        for (std::size_t b = first; b < blocks && members.size() < table_.groups[0]->targets; ++b)
            members.push_back({task.target, task.length_model, b * rows_per_block_, rows_per_block_});
        const GroupedTargets group(choose_group_kernels(table_, members.size(), 0), members, work);
        std::array<float, kMostGroupTargets> log_scale_total;
        BackwardNumbers numbers;
        const ForwardGroup forward = forward_arguments(profile_, group, KeptRows::kNone, work, log_scale_total.data());
        BackwardGroup backward = backward_arguments(profile_, group, work, nullptr, 0, numbers);
        backward.from_start = false;
        begin_forward(profile_, group, forward);
        begin_backward(profile_, group, backward);
        for (std::size_t t = 0; t < group.targets(); ++t) {
            const std::size_t b = first + std::min(t, members.size() - 1);
            const float* state = task.blocks.forward.data() + b * state_floats();
            put_quads(state, 2 * quads, group, t, forward.match_insert);
            put_quads(state + 8 * quads, quads, group, t, forward.deletes);
            for (std::size_t kind = 0; kind < GroupSpecial::kKinds; ++kind)
                forward.forward[kind * group.targets() + t] = state[12 * quads + kind];
            state = task.blocks.backward.data() + b * state_floats();
            put_quads(state, 3 * quads, group, t, backward.row);
            for (std::size_t kind = 0; kind < GroupCarried::kKinds; ++kind)
                backward.carried[kind * group.targets() + t] = state[12 * quads + kind];
        }
        group.kernels().forward(profile_, forward);
        group.kernels().backward(profile_, backward);
        if (work.stop.stop_requested()) return;
        for (std::size_t t = 0; t < members.size(); ++t) {
            forward_rows.clear();
            backward_rows.clear();
            if (first + t == 0) {
                forward_rows.push_back(group.forward_begin(0));
                backward_rows.push_back(task.blocks.backward_start);
            }
            for (std::size_t i = 1; i <= members[t].rows(); ++i) {
                forward_rows.push_back(group.special_row(forward.forward, i, t));
                backward_rows.push_back(group.special_row(backward.backward, i, t));
            }
            take(forward_rows, backward_rows);
        }
    }
}

}  // namespace warpseq
