// Reports of sequences against models. From the results of batches of profiles in the sequences of
// one database they make a report for each sequence.
//
// An engine searches the sequences with one batch of profiles at a time (HmmBatch::models_before),
// and its partials are by profile. This class collects the hits by sequence. Of a profile with hits
// it keeps only what alignments show (HmmModel), and nothing of other profiles. So the memory
// depends on the number of hits, not on the number of profiles. Scores are the same as in a search
// of the sequences as targets. Only Z and domZ differ: Z is the number of models, and domZ the
// number of reported models of the sequence. The thresholds of a hit are those of its model.
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
        std::optional<double> targets_z, domains_z;  // Z and domZ if they are given
        HmmThresholds thresholds;                    // for models without cutoffs of their own
    };
    /// Makes empty reports. `residues` are the lengths of the sequences, in the order of the input.
    HmmSequenceReports(std::vector<std::uint64_t> residues, Settings settings);

    /// Adds the hits of a batch in all sequences. Batches have to come in the order of their
    /// profiles. Only one thread may call it at a time.
    Status add(const HmmBatch& batch, HmmPartial partial);

    std::uint64_t models() const { return models_; }
    /// Returns a finished report (finish_report()) for each sequence. Called once, after the last
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
