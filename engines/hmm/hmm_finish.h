// The stages that follow the filters over whole databases: Viterbi, Forward and everything after
// them. They are the same for the candidates of every device. They work on batches of candidates of
// one profile that are of like length. Results do not depend on threads or on how candidates are
// handed over.
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

/// Residues from which a target is long. It is then unpacked once for all threads and profiles, and
/// no buffer keeps its size.
inline constexpr std::uint64_t kLongTargetResidues = std::uint64_t{1} << 20;

/// The residues of candidates.
class HmmTargets {
   public:
    virtual ~HmmTargets() = default;
    /// Returns the residues, in memory of the targets or in `buffer`. Thread-safe for distinct
    /// buffers.
    virtual std::span<const ResidueCode> residues(const HmmCandidate& candidate,
                                                  std::vector<ResidueCode>& buffer) const = 0;
};

class HmmFinisher {
   public:
    // The functions are thread-safe for distinct scans whose pools have the same threads. Each
    // thread has one workspace, whichever scan it works for.

    /// `targets_z` is Z if it is given. The databases have to outlive this object.
    HmmFinisher(const DatabaseSet& databases, std::optional<double> targets_z, const ThreadPool& pool)
        : databases_(databases), targets_z_(targets_z), threads_(pool.threads()) {}

    /// Removes candidates that do not pass Viterbi and counts the others. Some candidates pass
    /// without Viterbi.
    Status filter_by_viterbi(HmmScan& scan, const HmmTargets& targets, HmmCandidates& candidates);
    /// Runs Forward and everything after it, and counts. Adds hits in any order, or else targets
    /// that are not scored yet.
    Status find_hits(HmmScan& scan, const HmmTargets& targets, const HmmCandidates& candidates);
    /// Runs everything after a device's filters.
    Status finish(HmmScan& scan, HmmFiltered filtered);
    /// Scores targets that the whole databases have left unscored, as far as HmmBatch::most_targets
    /// needs them as hits. `domains_z` is domZ if it is given.
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
    /// Adds a hit to those that are kept, if it is to be kept.
    void judge(const HmmBatch& batch, std::size_t profile, const HmmCandidate& candidate, HmmHit hit,
               std::vector<HmmHit>& kept) const;
    void count_forward(HmmScan& scan, std::size_t profile, const HmmCandidate& candidate, bool passed,
                       bool out_of_range) const;
    Status find_regions(HmmScan& scan, std::size_t profile, std::span<const HmmPipeline::Target> targets,
                        ForwardBackward::Workspace& workspace, std::mutex& mutex) const;
    /// Runs everything that follows regions, on targets by profile.
    Status score(HmmScan& scan, std::vector<std::vector<HmmUnscored>> targets);
    Status finish_window(HmmScan& scan, std::span<const HmmSurvivor> survivors);

    const DatabaseSet& databases_;
    std::optional<double> targets_z_;
    std::vector<Thread> threads_;
    // Memory that threads share beyond what each has of its own. One budget is for what is kept of
    // long targets between Forward and Backward. The other is for matrices of regions and
    // envelopes. A task takes from the first before the second.
    static constexpr std::uint64_t kSharedBytes = std::uint64_t{1} << 30;
    MemoryBudget target_budget_{kSharedBytes}, matrix_budget_{kSharedBytes};
};

}  // namespace warpseq
