// A running scan of a batch of profiles, and the data that its steps hand to each other.
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

/// Times of searches, for --stats. Seconds are wall time, summed over chunks. Cells are model
/// length times residues.
struct HmmTimes {
    double prepare_seconds = 0, submit_seconds = 0, wait_seconds = 0;  // submitted to GPUs, waited for
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

    /// Units of progress for a cell, which is a node times a residue. They follow roughly where the
    /// time of a search on the CPU goes.
    static constexpr std::uint64_t kFilterUnits = 2, kViterbiUnits = 1, kForwardUnits = 3,
                                   kUnits = kFilterUnits + kViterbiUnits + kForwardUnits;

    const HmmBatch& batch;
    ThreadPool pool;
    std::stop_token stop;  // the pool's; long work asks it
    HmmPartial partial;    // what has been found
    HmmTimes times;
    ProgressCounter units_done;
    /// Returns the counts of a sequence; nullptr if they are not counted by sequence.
    HmmStageCounts* counts_of(const DatabaseSet& databases, std::uint32_t database, std::uint64_t rank) {
        if (partial.sequence_counts.empty()) return nullptr;
        return &partial.sequence_counts[databases.reader(database).input_positions()[rank]];
    }
    std::uint64_t kept_bytes = 0;     // of residues of targets that are not scored yet
    std::uint64_t cells_at_once = 0;  // of the chunk that the stages after the filters work on; 0: not counted
};

/// Candidates by profile. Those of one profile are in the order of databases and ranks, so that
/// neighbours are of like length.
using HmmCandidates = std::vector<std::vector<HmmCandidate>>;

/// A target that a device has not rejected.
struct HmmSurvivor {
    std::uint32_t profile;
    std::uint32_t database;
    std::uint64_t rank;
    std::int16_t msv;  // the MSV filter's result
    bool settled;      // the device has decided and counted everything up to Viterbi; else everything after MSV is open
};

/// The result of a device's filters for a batch.
struct HmmFiltered {
    std::vector<HmmSurvivor> survivors;  // in any order
    std::vector<HmmStageCounts> counts;  // by profile: what passed which filter, as far as the device has decided it
    std::vector<HmmStageCounts> sequence_counts = {};  // the same by sequence, as in HmmPartial
};

}  // namespace warpseq
