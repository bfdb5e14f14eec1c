// Forward, Backward, posterior decoding, optimal-accuracy alignment and sampled tracebacks of a
// profile against targets, in 32-bit floats. The contract of every back end, in which the ORDER of
// floating-point operations is part of the result: all back ends return the same bits, and they are
// HMMER 3.3.2's (its SSE implementation), so that printed digits agree.
//
// Order of operations. Nodes stand in Q = max(2, ceil(M / 4)) vectors of four lanes: vector q
// (0..Q-1) holds nodes q + 1, q + 1 + Q, q + 1 + 2 Q, q + 1 + 3 Q in its lanes 0..3; nodes above M
// have odds and transitions 0. No fused multiply-add. docs/hmm.md writes each recurrence out in
// that order; kernels/profile/forward_backward_reference.cpp is that text as scalar code.
//
// A wider vector holds 1, 2 or 4 such groups of four lanes, each another target: that is how back
// ends use wider registers without changing the order, and why calls take several targets.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "kernels/backend.h"
#include "libcore/base/memory_budget.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/trace_step.h"

namespace warpseq {

/// The special states' values of rows 0..L of a Forward or Backward matrix, scaled: a row's true
/// values are the stored ones times the product of the scales up to it (Forward) or from it on
/// (Backward).
struct SpecialStates {
    struct Row {
        float e, n, j, b, c;
        float scale;
    };
    std::vector<Row> rows;      // L + 1; none of a target that is worked on in blocks
    bool own_scales = true;     // Backward: false while Forward's scales sufficed
    float log_scale_total = 0;  // HMMER's totscale, a float accumulated in row order
};

/// Of a target that is too long to keep its special states: what a back end needs to work out any
/// block of rows again. Block b is rows b * rows + 1 .. (b + 1) * rows.
struct RowBlocks {
    struct Scale {
        std::uint32_t row;  // within the block
        float scale;
    };
    std::size_t rows = 0;                    // of a block; 0: not worked on in blocks
    std::vector<float> forward, backward;    // per block what leads into it, Forward from above and Backward from below
    std::vector<std::vector<Scale>> scales;  // per block: Forward's scales above 1
    SpecialStates::Row backward_start{};     // Backward's row 0
};

/// Forward and Backward of one target, values of M, I and D not kept ("parsers").
struct ForwardTask {
    std::span<const ResidueCode> target;  // at least one residue
    LengthModel length_model{};
    SpecialStates forward;   // result of forward(); input of backward()
    float score_nats = 0;    // result of forward()
    bool in_range = true;    // result of both: false where HMMER stops with a range error (NaN, zero, infinity)
    SpecialStates backward;  // result of backward()
    RowBlocks blocks;        // result of both
};

/// Targets of more residues are worked on in blocks of as many: of their special states, 48 bytes a
/// residue, no more than a few blocks are in memory at once.
inline constexpr std::size_t kRowsPerBlock = std::size_t{1} << 15;

/// One envelope: Forward, Backward, decoding, null2 by expectation, optimal-accuracy alignment.
struct EnvelopeTask {
    std::span<const ResidueCode> envelope;  // at least one residue
    LengthModel length_model{};             // unihit, of the whole target's length
    bool wants_null2 = true;
    bool wants_flanks = false;

    bool in_range = true;  // false: numeric overflow in decoding, a repetitive target; nothing else is set, no domain
    float forward_nats = 0;
    float expected_accuracy = 0;                        // HMMER's oasc
    std::array<float, kResidueTableSize> null2_odds{};  // per residue code, if wanted: f_null2 / f_background
    std::vector<TraceStep> trace;                       // of the (only) domain, first M to last M; empty: none found
    /// If wanted, per residue: the probability of N before the trace, of C behind it, and 0 within.
    std::vector<float> flank_posteriors;
};

/// One domain of a sampled traceback: residues from 1 within the region, nodes 1..M, of its first
/// and last match state.
struct SampledDomain {
    std::int32_t trace;  // 0..samples - 1
    std::int32_t residue_begin, residue_end, node_begin, node_end;
    bool operator==(const SampledDomain&) const = default;
};

/// A region that may hold several domains: multihit Forward, then `samples` stochastic tracebacks
/// from it.
struct RegionTask {
    std::span<const ResidueCode> region;
    LengthModel length_model{};  // multihit, of the whole target's length
    std::uint32_t seed = 42;     // of a LinearCongruential of this region's own
    int samples = 200;

    std::vector<SampledDomain> domains;  // in sampling order; within a trace from left to right
    /// Per residue of the region: sum over traces of the null2 odds of the domain it is in, or 1.
    std::vector<float> null2_ratio_sum;
};

/// One profile. Immutable after creation: threads share one; each brings its Workspace.
class ForwardBackward {
   public:
    class Workspace {
       public:
        virtual ~Workspace() = default;
        /// Requested, every call returns soon (the reference's do not), and results of its tasks
        /// mean nothing: they may be missing, but other calls take them.
        std::stop_token stop;
        /// What matrices of more than kOwnWorkspaceBytes are taken out of, if given; they are freed
        /// after use.
        MemoryBudget* budget = nullptr;
        /// decode_envelopes() computes with subnormal numbers as with any, as HMMER's hmmalign
        /// does. Else they are 0, as in all its searches.
        bool keeps_subnormals = false;
    };
    /// Takes consecutive rows of Forward and Backward, as many of both.
    using TakeRows =
        std::function<void(std::span<const SpecialStates::Row> forward, std::span<const SpecialStates::Row> backward)>;

    virtual ~ForwardBackward() = default;
    /// Usable with every ForwardBackward of the same back end.
    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    // Thread-safe for distinct workspaces. Tasks of like length in one call fill the lanes best;
    // any mix is correct.
    virtual void forward(std::span<ForwardTask* const> tasks, Workspace& workspace) const = 0;
    virtual void backward(std::span<ForwardTask* const> tasks, Workspace& workspace) const = 0;
    /// After both: hands over the special states of rows 0..L, in order and in one or more pieces.
    virtual void read_special_states(const ForwardTask& task, Workspace& workspace, const TakeRows& take) const;
    virtual void decode_envelopes(std::span<EnvelopeTask* const> tasks, Workspace& workspace) const = 0;
    virtual void sample_regions(std::span<RegionTask* const> tasks, Workspace& workspace) const = 0;

    /// Tasks per call from which a call is efficient.
    virtual std::size_t preferred_tasks() const = 0;
    /// What a ForwardTask of a target of so many residues holds between the calls.
    virtual std::uint64_t task_bytes(std::size_t residues) const {
        return (std::uint64_t{residues} + 1) * 2 * sizeof(SpecialStates::Row);
    }
};

/// Matrices up to this size stay with a workspace for its next call.
inline constexpr std::size_t kOwnWorkspaceBytes = std::size_t{32} << 20;

/// `rows_per_block` is for tests. The reference knows no blocks.
std::unique_ptr<ForwardBackward> make_forward_backward(CpuBackend backend, const ForwardProfile& profile,
                                                       std::size_t rows_per_block = kRowsPerBlock);

}  // namespace warpseq
