// Forward, Backward and optimal accuracy of envelopes. The kernels fill the matrices. Tracebacks
// and the results that a task may ask for besides are scalar code.
#include "kernels/profile/optimal_accuracy_simd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/profile/null2.h"
#include "kernels/profile/plan7_state.h"

namespace warpseq {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// The traceback of optimal accuracy, from the choices that the kernel left. Ties and order are the
/// same as in the reference.
class AccuracyTrace {
   public:
    AccuracyTrace(const StripedProfile& profile, const GroupedTargets& group, const AccuracyGroup& accuracy,
                  std::size_t t)
        : profile_(profile),
          group_(group),
          accuracy_(accuracy),
          t_(t),
          vectors_(group.targets() / group.kernels().quads) {}

    std::vector<TraceStep> run() const {
        std::vector<TraceStep> steps;  // from the last to the first
        std::size_t i = group_.common().residues[t_], at = 0;
        Plan7State state = Plan7State::kC;
        while (state != Plan7State::kStart) {
            Plan7State next = Plan7State::kStart;
            switch (state) {
                case Plan7State::kMatch:
                    next = choice(i, at, kMatchFromMatch)    ? Plan7State::kMatch
                           : choice(i, at, kMatchFromInsert) ? Plan7State::kInsert
                           : choice(i, at, kMatchFromDelete) ? Plan7State::kDelete
                                                             : Plan7State::kB;
                    if (next != Plan7State::kB && (at == 0 || i == 1)) return {};  // only if nothing is possible at all
                    --at;
                    --i;
                    break;
                case Plan7State::kDelete:
                    if (at == 0) return {};  // the same
                    --at;
                    next = choice(i, at, kDeleteFromMatch) ? Plan7State::kMatch : Plan7State::kDelete;
                    break;
                case Plan7State::kInsert:
                    if (i == 1) return {};  // the same
                    next = choice(i, at, kInsertFromMatch) ? Plan7State::kMatch : Plan7State::kInsert;
                    --i;
                    break;
                case Plan7State::kN: next = i == 0 ? Plan7State::kStart : Plan7State::kN; break;
                case Plan7State::kC:
                case Plan7State::kJ:
                    if (i == 0) return {};  // the same
                    next = stays(state, i) ? state : Plan7State::kE;
                    break;
                case Plan7State::kE: {
                    // In a unihit model E leads to J only if J is not yet possible at all, which is
                    // in row 1.
                    const std::uint32_t end = i == 1 ? accuracy_.first_end[t_] : accuracy_.last_end[t_];
                    at = end / 2;
                    next = end % 2 == 0 ? Plan7State::kMatch : Plan7State::kDelete;
                    steps.clear();
                    break;
                }
                case Plan7State::kB: {
                    const float move = group_.common().move[t_];
                    next = if_possible(move, special(i, GroupAccuracySpecial::kN)) >
                                   if_possible(move, special(i, GroupAccuracySpecial::kJ))
                               ? Plan7State::kN
                               : Plan7State::kJ;
                    break;
                }
                case Plan7State::kStart: break;
            }
            if (is_node_state(next))
                steps.push_back(step_of(next, at + 1, i, posterior(i, at, 0), posterior(i, at, 1)));
            if (is_flank_loop(state, next)) --i;
            state = next;
        }
        return steps_between_matches(steps);
    }

   private:
    static float if_possible(float transition, float value) { return transition == 0 ? kMinusInfinity : value; }
    /// Whether C or J is better reached from itself than from E.
    bool stays(Plan7State state, std::size_t i) const {
        using Special = GroupAccuracySpecial;
        const bool is_c = state == Plan7State::kC;
        const float before = special(i - 1, is_c ? Special::kC : Special::kJ),
                    gain = special(i, is_c ? Special::kPosteriorC : Special::kPosteriorJ);
        const TargetGroup& group = group_.common();
        return if_possible(group.loop[t_], before + gain) >
               if_possible((is_c ? group.end_move : group.end_loop)[t_], special(i, Special::kE));
    }

    bool choice(std::size_t i, std::size_t at, AccuracyChoice kind) const {
        const std::size_t quads = group_.kernels().quads, q = at % profile_.stripes, lane = at / profile_.stripes;
        const std::uint16_t bits =
            accuracy_.choices[i * accuracy_.choices_stride + (q * kAccuracyChoices + kind) * vectors_ + t_ / quads];
        return bits >> (4 * (t_ % quads) + lane) & 1;
    }
    float special(std::size_t i, GroupAccuracySpecial::Kind kind) const {
        return accuracy_.accuracy[(i * GroupAccuracySpecial::kKinds + kind) * group_.targets() + t_];
    }
    float posterior(std::size_t i, std::size_t at, std::size_t kind) const {
        const std::size_t q = at % profile_.stripes, lane = at / profile_.stripes;
        return accuracy_.match_insert[i * accuracy_.match_insert_stride + (2 * q + kind) * group_.kind_floats() +
                                      4 * t_ + lane] *
               special(i, GroupAccuracySpecial::kTotal);
    }

    const StripedProfile& profile_;
    const GroupedTargets& group_;
    const AccuracyGroup& accuracy_;
    std::size_t t_, vectors_;
};

/// Decodes the residues outside of the trace in the same way as the decoding kernel.
void decode_flanks(EnvelopeTask& task, const GroupedTargets& group, const ForwardGroup& forward,
                   const BackwardGroup& backward, std::size_t t) {
    const std::size_t residues = task.envelope.size();
    task.flank_posteriors.assign(residues, 0.0f);
    if (task.trace.empty()) return;
    const bool own = own_scales(group, backward)[t] > 0;
    const float loop = task.length_model.loop;
    float scale = reciprocal(group.special(backward.backward, 0, t, GroupSpecial::kN));
    for (std::size_t i = 1; i <= residues; ++i) {
        const SpecialStates::Row above = group.special_row(forward.forward, i - 1, t),
                                 f = group.special_row(forward.forward, i, t),
                                 b = group.special_row(backward.backward, i, t);
        const auto residue = static_cast<std::int64_t>(i);
        if (residue < task.trace.front().residue) task.flank_posteriors[i - 1] = above.n * b.n * loop * scale;
        if (residue > task.trace.back().residue) task.flank_posteriors[i - 1] = above.c * b.c * loop * scale;
        if (own) scale *= f.scale / b.scale;
    }
}

/// Computes the odds of null2 from the sums of posterior probabilities.
void expected_null2(const ForwardBackwardTable& table, const StripedProfile& profile, EnvelopeTask& task,
                    const GroupedTargets& group, const AccuracyGroup& accuracy, std::size_t t, GroupWorkspace& work) {
    const float per_residue = reciprocal(static_cast<float>(task.envelope.size()));
    work.match_weights.resize(4 * profile.stripes);
    work.insert_weights.resize(4 * profile.stripes);
    for (std::size_t q = 0; q < profile.stripes; ++q) {
        const float* sums = accuracy.sums + 2 * group.kind_floats() * q + 4 * t;
        for (std::size_t r = 0; r < 4; ++r) {
            work.match_weights[4 * q + r] = sums[r] * per_residue;
            work.insert_weights[4 * q + r] = sums[group.kind_floats() + r] * per_residue;
        }
    }
    const float* other = accuracy.other_sums + t;
    const float others =
        other[0] * per_residue + other[kMostGroupTargets] * per_residue + other[2 * kMostGroupTargets] * per_residue;
    table.mixture_odds(profile, work.match_weights.data(), work.insert_weights.data(), task.null2_odds.data());
    for (std::size_t a = 0; a < kAminoAcids; ++a) task.null2_odds[a] += others;
    complete_null2_odds(task.null2_odds);
}

}  // namespace

void decode_group(const ForwardBackwardTable& table, const StripedProfile& profile,
                  std::span<EnvelopeTask* const> tasks, const GroupedTargets& group, GroupWorkspace& work) {
    std::array<float, kMostGroupTargets> log_scale_total, scale;
    BackwardNumbers numbers;
    const ForwardGroup forward =
        forward_arguments(profile, group, KeptRows::kMatchInsert, work, log_scale_total.data());
    float* const match_insert = forward.match_insert;
    const std::size_t row_floats = forward.match_insert_stride;
    begin_forward(profile, group, forward);
    group.kernels().forward(profile, forward);
    if (work.stop.stop_requested()) return;
    const BackwardGroup backward = backward_arguments(profile, group, work, match_insert, row_floats, numbers);
    begin_backward(profile, group, backward);
    group.kernels().backward(profile, backward);
    if (work.stop.stop_requested()) return;

    const bool wants_null2 =
        std::any_of(tasks.begin(), tasks.end(), [](const EnvelopeTask* task) { return task->wants_null2; });
    const std::size_t choices_stride = profile.stripes * kAccuracyChoices * (group.targets() / group.kernels().quads);
    std::array<float, 3 * kMostGroupTargets> other_sums;
    std::array<std::uint32_t, kMostGroupTargets> first_end, last_end;
    const AccuracyGroup accuracy{
        group.common(),
        backward.backward,
        own_scales(group, backward),
        match_insert,
        row_floats,
        GroupWorkspace::floats(work.accuracy, (group.rows() + 1) * GroupAccuracySpecial::kKinds * group.targets()),
        backward.row,
        wants_null2 ? GroupWorkspace::floats(work.sums, row_floats) : nullptr,
        other_sums.data(),
        scale.data(),
        reinterpret_cast<std::uint16_t*>(
            work.choices.reserve((group.rows() + 1) * choices_stride * sizeof(std::uint16_t))),
        choices_stride,
        first_end.data(),
        last_end.data()};
    group.kernels().accuracy(profile, accuracy);
    if (work.stop.stop_requested()) return;

    for (std::size_t t = 0; t < tasks.size(); ++t) {
        EnvelopeTask& task = *tasks[t];
        float forward_nats;
        task.in_range = group.forward_score(t, log_scale_total[t], forward_nats) &&
                        group.backward_usable(backward.backward, t) && std::isfinite(scale[t]);
        if (!task.in_range) continue;
        task.forward_nats = forward_nats;
        const std::size_t end = task.envelope.size() * GroupAccuracySpecial::kKinds + GroupAccuracySpecial::kC;
        task.expected_accuracy = accuracy.accuracy[end * group.targets() + t];
        task.trace = AccuracyTrace(profile, group, accuracy, t).run();
        if (task.wants_null2) expected_null2(table, profile, task, group, accuracy, t, work);
        if (task.wants_flanks) decode_flanks(task, group, forward, backward, t);
    }
}

}  // namespace warpseq
