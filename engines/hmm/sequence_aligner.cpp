#include "engines/hmm/sequence_aligner.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/profile/forward_backward.h"
#include "kernels/profile/log_space_alignment.h"
#include "libcore/base/memory_budget.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq {

namespace {

/// Bytes that threads share for matrices of long sequences.
constexpr std::uint64_t kSharedBytes = std::uint64_t{2} << 30;
constexpr std::uint64_t kLogSpaceBytesPerCell = 24;

}  // namespace

struct SequenceAligner::State {
    State(const ProfileHmm& hmm, CpuBackend backend)
        : profile(configure_plan7(hmm)), kernels(make_forward_backward(backend, forward_odds(profile))) {}

    Status finish(AlignedSequence& sequence, EnvelopeTask& task) {
        if (!task.in_range || task.trace.empty()) {
            const std::uint64_t bytes =
                kLogSpaceBytesPerCell * sequence.residues.size() * static_cast<std::uint64_t>(profile.length);
            const MemoryBudget::Grant grant = budget.take(bytes);
            if (!align_in_log_space(profile, task))
                return Status::invalid_input("sequence " + sequence.name +
                                             " cannot be aligned to the profile: none of its residues can be matched");
        }
        sequence.trace.assign(task.trace.begin(), task.trace.end());  // no larger than needed
        sequence.flank_posteriors = std::move(task.flank_posteriors);
        return {};
    }

    Plan7Profile profile;
    std::unique_ptr<ForwardBackward> kernels;
    MemoryBudget budget{kSharedBytes};
};

SequenceAligner::SequenceAligner(const ProfileHmm& hmm, CpuBackend backend)
    : state_(std::make_unique<State>(hmm, backend)) {}
SequenceAligner::~SequenceAligner() = default;

Status SequenceAligner::align(std::span<AlignedSequence> sequences, const ThreadPool& pool,
                              const std::stop_token& stop) const {
    State& state = *state_;
    // Sequences of like length are together, the longest first.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        AlignedSequence& sequence = sequences[i];
        sequence.has_posteriors = true;
        sequence.trace.clear();
        sequence.flank_posteriors.clear();
        if (!sequence.residues.empty()) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return sequences[i].residues.size(); });
    const std::size_t tasks_per_call = state.kernels->preferred_tasks();
    const std::size_t calls = (order.size() + tasks_per_call - 1) / tasks_per_call;
    std::vector<std::unique_ptr<ForwardBackward::Workspace>> workspaces(pool.threads());
    const ThreadPool stoppable = pool.with_stop(stop);
    return stoppable.parallel_for(calls, [&](std::uint64_t call, unsigned thread) -> Status {
        std::unique_ptr<ForwardBackward::Workspace>& workspace = workspaces[thread];
        if (!workspace) {
            workspace = state.kernels->make_workspace();
            workspace->budget = &state.budget;
            workspace->stop = stop;
            workspace->keeps_subnormals = true;
        }
        const std::size_t begin = call * tasks_per_call, end = std::min(begin + tasks_per_call, order.size());
        std::vector<EnvelopeTask> tasks(end - begin);
        std::vector<EnvelopeTask*> pointers;
        for (std::size_t x = 0; x < tasks.size(); ++x) {
            const AlignedSequence& sequence = sequences[order[begin + x]];
            tasks[x].envelope = sequence.residues;
            tasks[x].length_model = LengthModel::unihit(sequence.residues.size());
            tasks[x].wants_null2 = false;
            tasks[x].wants_flanks = true;
            pointers.push_back(&tasks[x]);
        }
        state.kernels->decode_envelopes(pointers, *workspace);
        if (stop.stop_requested()) return Status::interrupted();
        for (std::size_t x = 0; x < tasks.size(); ++x) WARPSEQ_TRY(state.finish(sequences[order[begin + x]], tasks[x]));
        return {};
    });
}

}  // namespace warpseq
