// The stages behind the MSV and bias filters: Viterbi, Forward and everything after them. They are
// the same for candidates of every device. They work on batches of candidates of one profile that
// have similar lengths. Results do not depend on threads or on the order and grouping of
// candidates.
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

/// Number of residues from which a target counts as long. A long target is unpacked once for all
/// threads and profiles, and buffers are not kept at its size.
inline constexpr std::uint64_t kLongTargetResidues = std::uint64_t{1} << 20;

/// Access to the residues of candidates.
class HmmTargets {
   public:
    virtual ~HmmTargets() = default;
    /// Returns the residues of a candidate. They are in memory of this object or in `buffer`.
    /// Thread-safe for distinct buffers.
    virtual std::span<const ResidueCode> residues(const HmmCandidate& candidate,
                                                  std::vector<ResidueCode>& buffer) const = 0;
};

class HmmFinisher {
   public:
    // The functions are thread-safe for distinct scans whose pools have the same threads. Each
    // thread has one workspace for all scans.

    /// Makes a finisher. `targets_z` is Z if it is given. The databases have to outlive the
    /// finisher.
    HmmFinisher(const DatabaseSet& databases, std::optional<double> targets_z, const ThreadPool& pool)
        : databases_(databases), targets_z_(targets_z), threads_(pool.threads()) {}

    /// Removes the candidates that do not pass Viterbi, and counts the others. Some candidates pass
    /// without Viterbi being computed.
    Status filter_by_viterbi(HmmScan& scan, const HmmTargets& targets, HmmCandidates& candidates);
    /// Runs Forward and everything after it, and counts. Adds hits, in any order, to the scan's
    /// partial. With HmmBatch::most_targets it adds unscored targets instead.
    Status find_hits(HmmScan& scan, const HmmTargets& targets, const HmmCandidates& candidates);
    /// Runs everything that follows a device's filters.
    Status finish(HmmScan& scan, HmmFiltered filtered);
    /// Scores the unscored targets that are needed for HmmBatch::most_targets. Called when the
    /// partial covers the whole databases. `domains_z` is domZ if it is given.
    Status score_best(HmmScan& scan, std::optional<double> domains_z);

   private:
    /// A run of candidates of one profile.
    struct Task {
        std::size_t profile;
        std::size_t first, count;
    };
    /// The state that a thread keeps from batch to batch.
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
    // Return the number of nodes times residues.
    std::uint64_t cells_of(const HmmBatch& batch, const HmmCandidates& candidates, const Task& task) const;
    std::uint64_t cells_of(const HmmBatch& batch, const HmmCandidates& candidates) const;
    /// Adds a hit to `kept` if it could be reported.
    void judge(const HmmBatch& batch, std::size_t profile, const HmmCandidate& candidate, HmmHit hit,
               std::vector<HmmHit>& kept) const;
    void count_forward(HmmScan& scan, std::size_t profile, const HmmCandidate& candidate, bool passed,
                       bool out_of_range) const;
    Status find_regions(HmmScan& scan, std::size_t profile, std::span<const HmmPipeline::Target> targets,
                        ForwardBackward::Workspace& workspace, std::mutex& mutex) const;
    /// Runs everything that follows the regions. `targets` are by profile.
    Status score(HmmScan& scan, std::vector<std::vector<HmmUnscored>> targets);
    Status finish_window(HmmScan& scan, std::span<const HmmSurvivor> survivors);

    const DatabaseSet& databases_;
    std::optional<double> targets_z_;
    std::vector<Thread> threads_;
    // Budgets for memory that threads share besides their own workspaces. One is for the data of
    // long targets between Forward and Backward. The other is for matrices of regions and
    // envelopes. A task takes from the first budget before it takes from the second.
    static constexpr std::uint64_t kSharedBytes = std::uint64_t{1} << 30;
    MemoryBudget target_budget_{kSharedBytes}, matrix_budget_{kSharedBytes};
};

}  // namespace warpseq
