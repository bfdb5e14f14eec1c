// The profile HMM engine of a session. It prepares batches of profiles, scans shares of the
// databases, merges partials and finishes reports. The session's GPUs, or else the CPU, run the
// filters. The host computes every number that is reported (hmm_search.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/hmm/hmm_batch.h"
#include "engines/hmm/hmm_gpu_filter.h"
#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_packet.h"
#include "engines/hmm/hmm_partial.h"
#include "engines/hmm/hmm_query_reader.h"
#include "engines/hmm/hmm_search.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "engines/targets/share.h"
#include "libcore/base/status.h"

namespace warpseq {

struct HmmSettings {
    HmmPipelineSettings pipeline;                // its back end is ignored; the session's is used
    std::optional<double> targets_z, domains_z;  // Z and domZ; unset: the number of targets, and of reported targets
    bool names_as_hmmer = false;                 // target names are as in formats/fasta/hmmer_fasta.h
};

/// The profile HMM engine. Thread-safe.
class HmmEngine {
   public:
    /// Whether a GPU is quicker than `threads` threads of the host if profiles with `nodes` nodes
    /// in all are searched in few sequences. It compares estimates of both times
    /// (docs/lab-notes.md). A GPU then spends most of its time on preparing profiles and launching
    /// kernels, and hardly any on cells.
    static bool models_are_worth_a_gpu(std::uint64_t nodes, std::uint64_t sequence_residues, unsigned threads);

    /// Creates an engine and opens the session's GPUs, if it has any. The session has to outlive
    /// the engine.
    static Result<std::unique_ptr<HmmEngine>> create(const Session& session, HmmSettings settings);

    const Session& session() const { return session_; }
    const HmmSettings& settings() const { return settings_; }

    /// Returns how many batches should be in flight at a time. If all of them keep within
    /// batch_limits(), this keeps the devices busy and the memory bounded.
    std::size_t batches_in_flight() const;
    HmmBatchLimits batch_limits() const { return batch_limits(session_); }
    /// Returns the limits of every engine of a session. With them queries can be read before the
    /// engine exists.
    static HmmBatchLimits batch_limits(const Session& session);

    /// Prepares a batch of profiles and their thresholds, one for each profile. The profiles need
    /// statistics, as those of HmmQueryReader have. Returns Status::interrupted() soon after a stop
    /// is requested.
    Result<HmmBatch> prepare(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                             const std::stop_token& stop = {}) {
        return host_->prepare(std::move(profiles), std::move(thresholds), stop);
    }
    /// Prepares a batch of profiles that may be pressed. With GPUs, the rest of each pressed
    /// profile is read here, because GPUs need all of it at once.
    Result<HmmBatch> prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                     const std::stop_token& stop = {});

    /// Starts a scan of a share. GPUs begin to filter at once. The thread that waits for the result
    /// does all other work, with the session's threads. It helps the GPUs before that if the
    /// session's settings say so. The batch and the observer have to live until the result is
    /// there.
    std::future<Result<HmmPartial>> start_scan(const HmmBatch& batch, const TargetShare& share,
                                               const SearchControl& control);
    Result<HmmPartial> scan(const HmmBatch& batch, const TargetShare& share, const SearchControl& control) {
        return start_scan(batch, share, control).get();
    }

    /// Adds the partial of another share to `partial`. The order and the grouping of merges do not
    /// change the result. Returns an error if both partials have a hit with the same sequence,
    /// because shares have no sequence in common.
    Status merge(HmmPartial& partial, HmmPartial&& other) const;

    /// Returns a finished report (finish_report()) for each profile. `partial` has to cover the
    /// whole databases.
    Result<std::vector<HmmReport>> finish(const HmmBatch& batch, HmmPartial partial, const SearchControl& control);

    /// Returns the partial as a packet (formats/io/packet.h), for another process or machine.
    std::string to_bytes(const HmmPartial& partial) const { return warpseq::to_bytes(partial); }
    /// Reads such a packet. Returns an error if it is not a partial of this batch and these
    /// databases. Error messages name `origin`.
    Result<HmmPartial> from_bytes(std::string_view bytes, const HmmBatch& batch, std::string_view origin) const {
        return hmm_partial_from_bytes(bytes, batch, session_.databases(), origin);
    }

    /// Returns the times of all finished work on the host.
    HmmTimes times() const { return host_->times(); }
    /// Returns the counts of all batches that GPUs have finished, or nothing without GPUs.
    std::optional<HmmGpuCounts> gpu_counts() const;

   private:
    HmmEngine(const Session& session, HmmSettings settings);

    /// A guard. While it lives, a batch counts as being in its finish() call.
    class Finishing {
       public:
        explicit Finishing(std::atomic<int>& count) : count_(count) { ++count_; }
        ~Finishing() { --count_; }
        Finishing(const Finishing&) = delete;
        Finishing& operator=(const Finishing&) = delete;

       private:
        std::atomic<int>& count_;
    };

    const Session& session_;
    HmmSettings settings_;
    std::optional<HmmSearch> host_;
    std::atomic<int> finishing_ = 0;
    std::unique_ptr<HmmGpuFilter> gpus_;
};

}  // namespace warpseq
