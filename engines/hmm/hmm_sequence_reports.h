// Sequences against models: what batches of profiles find in the sequences of one database, turned
// round into a report for each sequence.
//
// An engine searches the sequences with a batch of profiles at a time (HmmBatch::models_before),
// and its partials are by profile. Here they are collected by sequence. What stays of a profile is
// what alignments show of it (HmmModel), and only of those that have hits; so memory is that of the
// hits, whatever the number of profiles. Numbers are those of a search the other way round, but for
// what hangs on who the targets are: Z is the number of models, domZ that of the sequence's
// reported models, and each hit is judged by its own model's thresholds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engines/hmm/hmm_batch.h"
#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_partial.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class HmmSequenceReports {
   public:
    struct Settings {
        std::optional<double> targets_z, domains_z;  // Z and domZ where they are given
        HmmThresholds thresholds;                    // of models without cutoffs of their own
    };
    /// `residues` of each sequence, in the order of the input.
    HmmSequenceReports(std::vector<std::uint64_t> residues, Settings settings);

    /// What a batch has found in all sequences. Batches come in the order of their profiles. One
    /// thread at a time.
    Status add(const HmmBatch& batch, HmmPartial partial);

    std::uint64_t models() const { return models_; }
    /// A report for each sequence, finished (finish_report). Once, after the last batch.
    Result<std::vector<HmmReport>> finish(const ThreadPool& pool);

   private:
    std::vector<std::uint64_t> residues_;
    Settings settings_;
    std::uint64_t models_ = 0, nodes_ = 0;
    std::vector<HmmStageCounts> counts_;
    std::vector<std::vector<HmmHit>> hits_;  // by sequence, in the order of models
};

}  // namespace warpseq
