// A running scan of a batch of profiles, and the data that pass between its steps.
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

#include "engines/hmm/hmm_batch.h"
#include "engines/hmm/hmm_partial.h"
#include "engines/hmm/hmm_pipeline.h"
#include "engines/targets/database_set.h"
#include "libcore/base/observer.h"
#include "libcore/base/progress_counter.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Times and counts of searches, for --stats. Seconds are wall time, summed over chunks. Cells are
/// model length times residues.
struct HmmTimes {
    double prepare_seconds = 0, submit_seconds = 0, wait_seconds = 0;  // submitting to GPUs, waiting for them
    double read_seconds = 0, msv_seconds = 0, viterbi_seconds = 0, forward_seconds = 0, name_seconds = 0;
    std::uint64_t out_of_range =
        0;  // pairs of a profile and a target whose Forward or Backward left the range of floats
    std::uint64_t msv_cells = 0, msv_undecided_cells = 0, viterbi_cells = 0, forward_cells = 0;

    HmmTimes& operator+=(const HmmTimes& other);
};

struct HmmScan {
    HmmScan(const HmmBatch& the_batch, const DatabaseSet& databases, const ThreadPool& threads, Progress& progress,
            const std::stop_token& when)
        : batch(the_batch), pool(threads.with_stop(when)), stop(when), partial(the_batch.size()), units_done(progress) {
        if (batch.models_before) partial.sequence_counts.resize(databases.stored_sequence_count());
        if (batch.most_targets) partial.unscored.resize(batch.size());
    }

    /// Units of progress per cell (a node times a residue) for each part of the pipeline. They are
    /// roughly proportional to the parts' times on the CPU.
    static constexpr std::uint64_t kFilterUnits = 2, kViterbiUnits = 1, kForwardUnits = 3,
                                   kUnits = kFilterUnits + kViterbiUnits + kForwardUnits;

    const HmmBatch& batch;
    ThreadPool pool;
    std::stop_token stop;  // the pool's stop, which long work checks
    HmmPartial partial;    // the results so far
    HmmTimes times;
    ProgressCounter units_done;
    /// Returns the counts of a sequence, or nullptr if stages are not counted by sequence.
    HmmStageCounts* counts_of(const DatabaseSet& databases, std::uint32_t database, std::uint64_t rank) {
        if (partial.sequence_counts.empty()) return nullptr;
        return &partial.sequence_counts[databases.reader(database).input_positions()[rank]];
    }
    std::uint64_t kept_bytes = 0;     // residues that are kept of unscored targets
    std::uint64_t cells_at_once = 0;  // cells of the chunk on which the later stages work; 0: not counted
};

/// Candidates by profile. The candidates of one profile are in the order of databases and ranks, so
/// that neighbours have similar lengths.
using HmmCandidates = std::vector<std::vector<HmmCandidate>>;

/// A survivor: a pair of a profile and a target that a device has not rejected.
struct HmmSurvivor {
    std::uint32_t profile;
    std::uint32_t database;
    std::uint64_t rank;
    std::int16_t msv;  // the MSV filter's result
    bool settled;      // whether the device has decided and counted all up to Viterbi; if not, all after MSV is open
};

/// The result of a device's filters for a batch.
struct HmmFiltered {
    std::vector<HmmSurvivor> survivors;  // in any order
    std::vector<HmmStageCounts> counts;  // by profile; numbers that passed the filters that the device decided
    std::vector<HmmStageCounts> sequence_counts = {};  // the same by sequence, as in HmmPartial
};

}  // namespace warpseq
