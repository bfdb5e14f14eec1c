// Aligner of whole sequences to a profile, each as one domain, for what hmmalign prints. It uses
// posterior decoding of the model of one domain at the sequence's length, and the alignment of
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

    /// Sets trace, posteriors and flanks of each sequence, which comes with its residues. A
    /// sequence without residues gets an empty trace. Returns an error that names a sequence for
    /// which no alignment is possible. Returns Status::interrupted() soon after a stop is
    /// requested. Besides the sequences' own memory each thread takes what a few sequences'
    /// matrices need, 20 to 30 bytes a cell.
    Status align(std::span<AlignedSequence> sequences, const ThreadPool& pool, const std::stop_token& stop = {}) const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
