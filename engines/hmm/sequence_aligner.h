// An aligner of whole sequences to a profile, each as one domain, as hmmalign does it. It uses
// posterior decoding with the model of one domain and the sequence's length, and the alignment of
// greatest accuracy.
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include "engines/hmm/hmm_alignment.h"
#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// The aligner of one profile. It is immutable, so threads share it.
class SequenceAligner {
   public:
    SequenceAligner(const ProfileHmm& hmm, CpuBackend backend);
    ~SequenceAligner();

    /// Aligns sequences, whose residues have to be set. Sets their traces, posteriors and flanks. A
    /// sequence without residues gets an empty trace. Returns an error that names the sequence if
    /// no alignment of it is possible. Returns Status::interrupted() soon after a stop is
    /// requested. Each thread needs memory for the matrices of a few sequences, 20 to 30 bytes per
    /// cell.
    Status align(std::span<AlignedSequence> sequences, const ThreadPool& pool, const std::stop_token& stop = {}) const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
