// Forward, Backward, posterior decoding, optimal-accuracy alignment and sampled tracebacks of a
// profile against targets, in 32-bit floats. This header is the contract of every back end. The
// order of floating-point operations is part of the contract, so all back ends return the same
// bits. They are the bits of HMMER 3.3.2 (its SSE implementation), so that printed digits agree.
//
// The nodes stand in Q = max(2, ceil(M / 4)) vectors of four lanes. Vector q (0..Q-1) holds nodes q
// + 1, q + 1 + Q, q + 1 + 2 Q, q + 1 + 3 Q in its lanes 0..3. Nodes above M have odds and
// transitions 0. There is no fused multiply-add. docs/hmm.md writes each recurrence out in that
// order, and kernels/profile/forward_backward_reference.cpp is that text as scalar code.
//
// A vector register holds 1, 2 or 4 such groups of four lanes, each for another target. So back
// ends use wider registers without changing the order of operations. For this reason the calls take
// several targets.
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

/// The limit above which Forward rescales a row by its E, and Backward, with its own scales, by its
/// B. It and the next one are those of HMMER 3.3.2 (impl_sse/fwdback.c).
inline constexpr float kForwardRescaleAbove = 1.0e4f;
/// The limit of B above which Forward's scales no longer suffice for Backward.
inline constexpr float kBackwardOwnScalesAbove = 1.0e16f;

/// The scaled values of the special states in rows 0..L of a Forward or Backward matrix. The true
/// values of a row are the stored ones times a product of scales: the scales of all rows up to this
/// one (Forward), or from this one on (Backward).
struct SpecialStates {
    struct Row {
        float e, n, j, b, c;
        float scale;
    };
    std::vector<Row> rows;      // L + 1 rows; empty for a target that is computed in blocks
    bool own_scales = true;     // Backward: false as long as Forward's scales suffice
    float log_scale_total = 0;  // HMMER's totscale, a float accumulated in row order
};

/// The data from which a back end computes any block of rows again. It is for targets that are so
/// long that their special states are not kept. Block b has the rows b * rows + 1 .. (b + 1) *
/// rows.
struct RowBlocks {
    struct Scale {
        std::uint32_t row;  // within the block
        float scale;
    };
    std::size_t rows = 0;                  // rows of a block; 0: not computed in blocks
    std::vector<float> forward, backward;  // values that enter each block: Forward's from above, Backward's from below
    std::vector<std::vector<Scale>> scales;  // Forward's scales above 1, per block
    SpecialStates::Row backward_start{};     // Backward's row 0
};

/// A task for Forward and Backward of one target that do not keep the values of M, I and D (HMMER's
/// "parsers").
struct ForwardTask {
    std::span<const ResidueCode> target;  // at least one residue
    LengthModel length_model{};
    SpecialStates forward;   // result of forward(); input of backward()
    float score_nats = 0;    // result of forward()
    bool in_range = true;    // result of both: false where HMMER stops with a range error (NaN, zero, infinity)
    SpecialStates backward;  // result of backward()
    RowBlocks blocks;        // result of both
};

/// Number of residues (rows) of a block. Targets with more residues are computed in blocks, of
/// which only a few are in memory at once. Special states take 48 bytes per residue.
inline constexpr std::size_t kRowsPerBlock = std::size_t{1} << 15;

/// A task for one envelope: Forward, Backward, decoding, null2 by expectation, and optimal-accuracy
/// alignment.
struct EnvelopeTask {
    std::span<const ResidueCode> envelope;  // at least one residue
    LengthModel length_model{};             // unihit, for the whole target's length
    bool wants_null2 = true;
    bool wants_flanks = false;

    bool in_range = true;  // false: decoding overflowed (a repetitive target), so there is no domain and no result
    float forward_nats = 0;
    float expected_accuracy = 0;                        // HMMER's oasc
    std::array<float, kResidueTableSize> null2_odds{};  // f_null2 / f_background per residue code, if wanted
    std::vector<TraceStep> trace;  // of the only domain, from its first M to its last M; empty: none found
    /// For each residue, the posterior probability of N before the trace and of C behind it, and 0
    /// within it. Only set if wanted.
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
    /// For each residue of the region, a sum over the traces: the null2 odds of the domain that has
    /// the residue, or 1 if no domain of the trace has it.
    std::vector<float> null2_ratio_sum;
};

/// The model length from which passes over delete paths end once one has changed nothing.
inline constexpr int kLongModel = 100;

/// The algorithms for one profile. Immutable after creation. Threads share one object, and each
/// thread uses its own Workspace.
class ForwardBackward {
   public:
    class Workspace {
       public:
        virtual ~Workspace() = default;
        /// A stop token. Once a stop is requested, every call returns soon. The reference does not
        /// check it. The results of interrupted tasks are undefined or missing. Later calls accept
        /// such tasks.
        std::stop_token stop;
        /// The budget for matrices of more than kOwnWorkspaceBytes, or null. Such matrices are
        /// taken from it and freed after use.
        MemoryBudget* budget = nullptr;
        /// Whether decode_envelopes() computes with subnormal numbers, as HMMER's hmmalign does. If
        /// not, they are taken as 0, as in all of HMMER's searches.
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
    /// Runs Forward for each task.
    virtual void forward(std::span<ForwardTask* const> tasks, Workspace& workspace) const = 0;
    /// Runs Backward for each task. Called after forward().
    virtual void backward(std::span<ForwardTask* const> tasks, Workspace& workspace) const = 0;
    /// Passes the special states of rows 0..L to `take`, in order and in one or more pieces. Called
    /// after forward() and backward().
    virtual void read_special_states(const ForwardTask& task, Workspace& workspace, const TakeRows& take) const;
    /// Does all that EnvelopeTask names for each task.
    virtual void decode_envelopes(std::span<EnvelopeTask* const> tasks, Workspace& workspace) const = 0;
    /// Samples tracebacks for each task.
    virtual void sample_regions(std::span<RegionTask* const> tasks, Workspace& workspace) const = 0;

    /// Returns the least number of tasks that a call should have to be efficient.
    virtual std::size_t preferred_tasks() const = 0;
    /// Returns the bytes that the ForwardTask of a target of `residues` residues holds between
    /// calls.
    virtual std::uint64_t task_bytes(std::size_t residues) const {
        return (std::uint64_t{residues} + 1) * 2 * sizeof(SpecialStates::Row);
    }
};

/// Most bytes of matrices that a workspace keeps for its next call.
inline constexpr std::size_t kOwnWorkspaceBytes = std::size_t{32} << 20;

/// Returns the object of a back end for one profile. `rows_per_block` is for tests. The reference
/// does not use blocks.
std::unique_ptr<ForwardBackward> make_forward_backward(CpuBackend backend, const ForwardProfile& profile,
                                                       std::size_t rows_per_block = kRowsPerBlock);

}  // namespace warpseq
