// What follows the filters over whole databases, the same for the candidates of every device: Viterbi, Forward and all after it,
// over batches of candidates of one profile that are of like length; then names. Results do not depend on threads or on how
// candidates are handed over.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engines/hmm/hmm_batch.h"
#include "engines/targets/database_set.h"
#include "libcore/base/memory_budget.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Residues from which a target is unpacked once for all threads and profiles, and no buffer keeps its size.
inline constexpr std::uint64_t kLongTargetResidues = std::uint64_t{1} << 20;

/// Where the residues of candidates are.
class HmmTargets {
   public:
    virtual ~HmmTargets() = default;
    /// In memory of the targets, or in `buffer`. Thread-safe for distinct buffers.
    virtual std::span<const ResidueCode> residues(const HmmCandidate& candidate,
                                                  std::vector<ResidueCode>& buffer) const = 0;
};

class HmmFinisher {
   public:
    // Thread-safe for distinct batches, which share the pool.

    /// `targets_z` is Z where it is given. References have to outlive this.
    HmmFinisher(const DatabaseSet& databases, const HmmPipelineSettings& settings, std::optional<double> targets_z,
                const ThreadPool& pool)
        : databases_(databases), settings_(settings), targets_z_(targets_z), pool_(pool), threads_(pool.threads()) {}

    /// Takes away candidates that Viterbi, where it has to be asked, does not pass; counts.
    Status filter_by_viterbi(HmmBatch& batch, const HmmTargets& targets, HmmCandidates& candidates);
    /// Forward and everything after it: counts, and hits in the batch's reports.
    Status find_hits(HmmBatch& batch, const HmmTargets& targets, const HmmCandidates& candidates);
    /// Everything after a device's filters.
    Status finish(HmmBatch& batch, HmmFiltered filtered);
    /// Brings all hits into the order of the input and fills in their names.
    Status name_hits(HmmBatch& batch);

   private:
    /// A run of candidates of one profile.
    struct Task {
        std::size_t profile;
        std::size_t first, count;
    };
    /// What a thread keeps from batch to batch.
    struct Thread {
        std::unique_ptr<ViterbiFilter::Workspace> viterbi;
        std::unique_ptr<ForwardBackward::Workspace> forward;
        std::vector<std::int16_t> results;
        std::vector<std::vector<ResidueCode>> residues;
    };
    std::vector<Task> cut_tasks(const HmmBatch& batch, const HmmCandidates& candidates, std::size_t least,
                                std::size_t most) const;
    std::uint64_t residues_of(const HmmCandidate& candidate) const;
    Status finish_window(HmmBatch& batch, std::span<const HmmSurvivor> survivors);

    const DatabaseSet& databases_;
    HmmPipelineSettings settings_;
    std::optional<double> targets_z_;
    const ThreadPool& pool_;
    std::vector<Thread> threads_;
    // What threads share beyond what each has of its own: for what is kept of long targets between Forward and Backward, and
    // for matrices of regions and envelopes. A task takes first of the one, then of the other.
    static constexpr std::uint64_t kSharedBytes = std::uint64_t{1} << 30;
    MemoryBudget target_budget_{kSharedBytes}, matrix_budget_{kSharedBytes};
};

}  // namespace warpseq
