// What follows the filters over whole databases, the same for the candidates of every device:
// Viterbi, Forward and all after it, over batches of candidates of one profile that are of like
// length. Results do not depend on threads or on how candidates are handed over.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engines/hmm/hmm_scan.h"
#include "engines/targets/database_set.h"
#include "libcore/base/memory_budget.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Residues from which a target is unpacked once for all threads and profiles, and no buffer keeps
/// its size.
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
    // Thread-safe for distinct scans, whose pools are the same threads: each of those has a
    // workspace, whatever it works for.

    /// `targets_z` is Z where it is given. The databases have to outlive this.
    HmmFinisher(const DatabaseSet& databases, std::optional<double> targets_z, const ThreadPool& pool)
        : databases_(databases), targets_z_(targets_z), threads_(pool.threads()) {}

    /// Takes away candidates that Viterbi, where it has to be asked, does not pass; counts.
    Status filter_by_viterbi(HmmScan& scan, const HmmTargets& targets, HmmCandidates& candidates);
    /// Forward and everything after it: counts, and hits in any order; or targets that are not
    /// scored yet.
    Status find_hits(HmmScan& scan, const HmmTargets& targets, const HmmCandidates& candidates);
    /// Everything after a device's filters.
    Status finish(HmmScan& scan, HmmFiltered filtered);
    /// Makes hits of what the whole databases have left unscored, as far as HmmBatch::most_targets
    /// needs them. `domains_z` is domZ where it is given.
    Status score_best(HmmScan& scan, std::optional<double> domains_z);

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
    static const HmmPipeline* first_with(const HmmBatch& batch, const HmmCandidates& candidates);
    std::uint64_t residues_of(const HmmCandidate& candidate) const;
    // Nodes times residues.
    std::uint64_t cells_of(const HmmBatch& batch, const HmmCandidates& candidates, const Task& task) const;
    std::uint64_t cells_of(const HmmBatch& batch, const HmmCandidates& candidates) const;
    /// Adds a hit to those that are kept, if it is one of them.
    void judge(const HmmBatch& batch, std::size_t profile, const HmmCandidate& candidate, HmmHit hit,
               std::vector<HmmHit>& kept) const;
    void count_forward(HmmScan& scan, std::size_t profile, const HmmCandidate& candidate, bool passed,
                       bool out_of_range) const;
    Status find_regions(HmmScan& scan, std::size_t profile, std::span<const HmmPipeline::Target> targets,
                        ForwardBackward::Workspace& workspace, std::mutex& mutex) const;
    /// By profile: everything that follows regions.
    Status score(HmmScan& scan, std::vector<std::vector<HmmUnscored>> targets);
    Status finish_window(HmmScan& scan, std::span<const HmmSurvivor> survivors);

    const DatabaseSet& databases_;
    std::optional<double> targets_z_;
    std::vector<Thread> threads_;
    // What threads share beyond what each has of its own: for what is kept of long targets between
    // Forward and Backward, and for matrices of regions and envelopes. A task takes first of the
    // one, then of the other.
    static constexpr std::uint64_t kSharedBytes = std::uint64_t{1} << 30;
    MemoryBudget target_budget_{kSharedBytes}, matrix_budget_{kSharedBytes};
};

}  // namespace warpseq
