// Whole sequences aligned to a profile, each as one domain: posterior decoding of the model of one
// domain at the sequence's length, and the alignment of greatest accuracy. What hmmalign prints.
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

/// Immutable; one for all threads.
class SequenceAligner {
   public:
    SequenceAligner(const ProfileHmm& hmm, CpuBackend backend);
    ~SequenceAligner();

    /// Sets trace, posteriors and flanks of each sequence, which have their residues; those without
    /// residues get an empty trace. One that no alignment is possible for is an error, which names
    /// it. Status::interrupted() soon after a stop is requested. Memory besides the sequences' own:
    /// per thread what a few sequences' matrices need, 20 to 30 bytes a cell.
    Status align(std::span<AlignedSequence> sequences, const ThreadPool& pool, const std::stop_token& stop = {}) const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
