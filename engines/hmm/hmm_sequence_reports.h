// Reports of sequences against models. The results of batches of profiles in the sequences of one
// database are turned round into a report for each sequence.
//
// An engine searches the sequences with a batch of profiles at a time (HmmBatch::models_before),
// and its partials are by profile. Here they are collected by sequence. Only what alignments show
// of a profile (HmmModel) is kept, and only of profiles that have hits. So memory is that of the
// hits, whatever the number of profiles. Numbers are those of a search the other way round, except
// for those that depend on which side is the target. Z is the number of models, and domZ that of
// the sequence's reported models. Each hit is judged by its own model's thresholds.
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
    /// `residues` are the lengths of the sequences, in the order of the input.
    HmmSequenceReports(std::vector<std::uint64_t> residues, Settings settings);

    /// Adds what a batch has found in all sequences. Batches come in the order of their profiles.
    /// Only one thread may call it at a time.
    Status add(const HmmBatch& batch, HmmPartial partial);

    std::uint64_t models() const { return models_; }
    /// Returns a report for each sequence, finished (finish_report). Called once, after the last
    /// batch.
    Result<std::vector<HmmReport>> finish(const ThreadPool& pool);

   private:
    std::vector<std::uint64_t> residues_;
    Settings settings_;
    std::uint64_t models_ = 0, nodes_ = 0;
    std::vector<HmmStageCounts> counts_;
    std::vector<std::vector<HmmHit>> hits_;  // by sequence, in the order of models
};

}  // namespace warpseq
