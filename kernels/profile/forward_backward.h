// The contract of Forward, Backward, posterior decoding, optimal-accuracy alignment and sampled
// tracebacks of a profile against targets, in 32-bit floats. All back ends share it. The ORDER of
// floating-point operations is part of the result. All back ends return the same bits. They are
// HMMER 3.3.2's (its SSE implementation), so that printed digits agree.
//
// The nodes stand in Q = max(2, ceil(M / 4)) vectors of four lanes. Vector q (0..Q-1) holds nodes q
// + 1, q + 1 + Q, q + 1 + 2 Q, q + 1 + 3 Q in its lanes 0..3. Nodes above M have odds and
// transitions 0. There is no fused multiply-add. docs/hmm.md writes each recurrence out in that
// order, and kernels/profile/forward_backward_reference.cpp is that text as scalar code.
//
// A wider vector holds 1, 2 or 4 such groups of four lanes, each for another target. So back ends
// use wider registers without changing the order. That is why calls take several targets.
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

/// The special states' scaled values in rows 0..L of a Forward or Backward matrix. A row's true
/// values are the stored ones times a product of scales: those up to the row (Forward) or from it
/// on (Backward).
struct SpecialStates {
    struct Row {
        float e, n, j, b, c;
        float scale;
    };
    std::vector<Row> rows;      // L + 1 rows; none for a target that is computed in blocks
    bool own_scales = true;     // Backward: false as long as Forward's scales suffice
    float log_scale_total = 0;  // HMMER's totscale, a float accumulated in row order
};

/// The data from which a back end can compute any block of rows again, for a target that is too
/// long to keep its special states. Block b is rows b * rows + 1 .. (b + 1) * rows.
struct RowBlocks {
    struct Scale {
        std::uint32_t row;  // within the block
        float scale;
    };
    std::size_t rows = 0;                  // rows of a block; 0: not computed in blocks
    std::vector<float> forward, backward;  // per block the state before it: Forward's from above, Backward's from below
    std::vector<std::vector<Scale>> scales;  // Forward's scales above 1, per block
    SpecialStates::Row backward_start{};     // Backward's row 0
};

/// Forward and Backward of one target that do not keep the values of M, I and D ("parsers").
struct ForwardTask {
    std::span<const ResidueCode> target;  // at least one residue
    LengthModel length_model{};
    SpecialStates forward;   // result of forward(); input of backward()
    float score_nats = 0;    // result of forward()
    bool in_range = true;    // result of both: false where HMMER stops with a range error (NaN, zero, infinity)
    SpecialStates backward;  // result of backward()
    RowBlocks blocks;        // result of both
};

/// Residues of a block of rows. Targets of more residues are computed in blocks. Special states
/// take 48 bytes a residue, and only a few blocks are in memory at once.
inline constexpr std::size_t kRowsPerBlock = std::size_t{1} << 15;

/// A task for one envelope: Forward, Backward, decoding, null2 by expectation, and optimal-accuracy
/// alignment.
struct EnvelopeTask {
    std::span<const ResidueCode> envelope;  // at least one residue
    LengthModel length_model{};             // unihit, for the whole target's length
    bool wants_null2 = true;
    bool wants_flanks = false;

    bool in_range = true;  // false: overflow in decoding, a repetitive target; no domain, and nothing else is set
    float forward_nats = 0;
    float expected_accuracy = 0;                        // HMMER's oasc
    std::array<float, kResidueTableSize> null2_odds{};  // f_null2 / f_background per residue code, if wanted
    std::vector<TraceStep> trace;  // the (only) domain's, from first M to last M; empty: none found
    /// The probability of N before the trace, of C behind it, and 0 within, per residue. Only if
    /// wanted.
    std::vector<float> flank_posteriors;
};

/// One domain of a sampled traceback, given by its first and last match state. Residues count from
/// 1 within the region, and nodes are 1..M.
struct SampledDomain {
    std::int32_t trace;  // 0..samples - 1
    std::int32_t residue_begin, residue_end, node_begin, node_end;
    bool operator==(const SampledDomain&) const = default;
};

/// A task for a region that may hold several domains: multihit Forward, then `samples` stochastic
/// tracebacks from it.
struct RegionTask {
    std::span<const ResidueCode> region;
    LengthModel length_model{};  // multihit, for the whole target's length
    std::uint32_t seed = 42;     // for a LinearCongruential of this region's own
    int samples = 200;

    std::vector<SampledDomain> domains;  // in sampling order; within a trace from left to right
    /// The sum over traces, per residue of the region, of the null2 odds of the domain that the
    /// residue is in, or 1 outside of domains.
    std::vector<float> null2_ratio_sum;
};

/// Forward and Backward of one profile. Immutable after creation. Threads share one object, and
/// each uses its own Workspace.
class ForwardBackward {
   public:
    class Workspace {
       public:
        virtual ~Workspace() = default;
        /// The token by which every call is made to return soon (the reference ignores it). The
        /// results of interrupted tasks are undefined and may be missing. Other calls accept such
        /// tasks.
        std::stop_token stop;
        /// The budget from which matrices of more than kOwnWorkspaceBytes are taken, if given. They
        /// are freed after use.
        MemoryBudget* budget = nullptr;
        /// Whether decode_envelopes() computes with subnormal numbers, as HMMER's hmmalign does.
        /// Otherwise they are 0, as in all of HMMER's searches.
        bool keeps_subnormals = false;
    };
    /// A function that takes consecutive rows of Forward and Backward, the same number of both.
    using TakeRows =
        std::function<void(std::span<const SpecialStates::Row> forward, std::span<const SpecialStates::Row> backward)>;

    virtual ~ForwardBackward() = default;
    /// Returns a workspace that every ForwardBackward of the same back end accepts.
    virtual std::unique_ptr<Workspace> make_workspace() const = 0;

    // The calls below are thread-safe for distinct workspaces. Tasks of like length in one call
    // fill the lanes best, but any mix is correct.
    virtual void forward(std::span<ForwardTask* const> tasks, Workspace& workspace) const = 0;
    virtual void backward(std::span<ForwardTask* const> tasks, Workspace& workspace) const = 0;
    /// Hands over the special states of rows 0..L, in order and in one or more pieces. Only after
    /// forward() and backward().
    virtual void read_special_states(const ForwardTask& task, Workspace& workspace, const TakeRows& take) const;
    virtual void decode_envelopes(std::span<EnvelopeTask* const> tasks, Workspace& workspace) const = 0;
    virtual void sample_regions(std::span<RegionTask* const> tasks, Workspace& workspace) const = 0;

    /// Returns the number of tasks per call from which a call is efficient.
    virtual std::size_t preferred_tasks() const = 0;
    /// Returns the bytes that a ForwardTask of a target of `residues` residues holds between the
    /// calls.
    virtual std::uint64_t task_bytes(std::size_t residues) const {
        return (std::uint64_t{residues} + 1) * 2 * sizeof(SpecialStates::Row);
    }
};

/// The greatest size of matrices that stay with a workspace for its next call.
inline constexpr std::size_t kOwnWorkspaceBytes = std::size_t{32} << 20;

/// Returns the Forward and Backward of a back end for one profile. `rows_per_block` is for tests.
/// The reference does not use blocks.
std::unique_ptr<ForwardBackward> make_forward_backward(CpuBackend backend, const ForwardProfile& profile,
                                                       std::size_t rows_per_block = kRowsPerBlock);

}  // namespace warpseq
