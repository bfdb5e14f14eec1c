// The blastp screen on the CPU. It finds the pairs of a query (or a part of a query) and a sequence
// that blastp has to search.
//
// It uses two exact bounds. First, blastp begins gapped extension only if an ungapped alignment
// reaches the part's cutoff, and kernels/seeds/ungapped_filter.h bounds the scores of ungapped
// alignments. Second, blastp keeps only alignments that are within the part's E-value limit. Their
// scores are at most the Smith-Waterman score plus the part's allowance. docs/blastp.md has the
// proof. The first bound is the cheaper one and leaves about a tenth of all pairs
// (docs/lab-notes.md).
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/hit_list.h"
#include "engines/targets/database_set.h"
#include "engines/targets/share.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// The screen of a session's databases on the CPU. Thread-safe.
class BlastpScreen {
   public:
    /// Units of progress per cell, one for each bound.
    static constexpr std::uint64_t kUnits = 2;

    /// Makes a screen. References have to outlive it.
    BlastpScreen(const DatabaseSet& databases, const BlastpParameters& parameters, const SearchSpace& space,
                 std::uint64_t chunk_bytes, const ThreadPool& pool)
        : databases_(databases), parameters_(parameters), space_(space), chunk_bytes_(chunk_bytes), pool_(pool) {}

    /// Returns the candidates of each part in the share, in any order. `parts` must not be empty,
    /// and `scanned` is scanned_parts(parts). `progress` counts kUnits per cell.
    Result<std::vector<std::vector<Hit>>> find_candidates(std::span<const BlastpQuery* const> parts,
                                                          std::span<const Query> scanned, const TargetShare& share,
                                                          Progress& progress, std::stop_token stop = {});

    /// Returns the number of pairs scored by Smith-Waterman in all calls so far.
    std::uint64_t pairs_scored() const {
        const std::lock_guard lock(mutex_);
        return pairs_scored_;
    }

   private:
    const DatabaseSet& databases_;
    const BlastpParameters& parameters_;
    SearchSpace space_;
    std::uint64_t chunk_bytes_;
    const ThreadPool& pool_;
    mutable std::mutex mutex_;
    std::uint64_t pairs_scored_ = 0;  // guarded by mutex_
};

}  // namespace warpseq
