// The profile HMM engine of a session: prepares batches of profiles, scans shares of the databases,
// merges partials and finishes reports. The session's GPUs, or else the CPU, filter. The host
// computes every number that is reported (hmm_search.h).
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
    HmmPipelineSettings pipeline;                // the back end is the session's, whatever is set here
    std::optional<double> targets_z, domains_z;  // Z and domZ; nothing: the number of targets, and of reported targets
    bool names_as_hmmer = false;                 // target names do not end at a Ctrl-A (formats/fasta/hmmer_fasta.h)
};

/// The profile HMM engine. Thread-safe.
class HmmEngine {
   public:
    /// Whether a GPU is quicker than `threads` threads of the host if profiles with `nodes` nodes
    /// are sought in few sequences. It compares the times of both (docs/lab-notes.md). A GPU's time
    /// is that of preparing profiles and of launches, hardly that of cells.
    static bool models_are_worth_a_gpu(std::uint64_t nodes, std::uint64_t sequence_residues, unsigned threads);

    /// Creates an engine and opens the session's GPUs, if it has any. The session has to outlive
    /// the engine.
    static Result<std::unique_ptr<HmmEngine>> create(const Session& session, HmmSettings settings);

    const Session& session() const { return session_; }
    const HmmSettings& settings() const { return settings_; }

    /// Returns how many batches may be in flight. With batches within batch_limits() that keeps the
    /// devices busy and the memory bounded.
    std::size_t batches_in_flight() const;
    HmmBatchLimits batch_limits() const { return batch_limits(session_); }
    /// Returns the limits of any engine of the session, so that queries can be read before the
    /// engine exists.
    static HmmBatchLimits batch_limits(const Session& session);

    /// Prepares profiles with statistics, which HmmQueryReader makes of whatever a file holds, and
    /// as many thresholds. Returns Status::interrupted() soon after a stop is requested.
    Result<HmmBatch> prepare(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                             const std::stop_token& stop = {}) {
        return host_->prepare(std::move(profiles), std::move(thresholds), stop);
    }
    /// Prepares profiles that may be pressed. With GPUs the rest of each profile is read here,
    /// because they need all of it at once.
    Result<HmmBatch> prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                     const std::stop_token& stop = {});

    /// Starts a scan of a share. GPUs begin to filter at once. The thread that waits for the result
    /// does all other work, with the session's threads. It does some of the GPUs' work first if the
    /// session says so. The batch and the observer have to live until then.
    std::future<Result<HmmPartial>> start_scan(const HmmBatch& batch, const TargetShare& share,
                                               const SearchControl& control);
    Result<HmmPartial> scan(const HmmBatch& batch, const TargetShare& share, const SearchControl& control) {
        return start_scan(batch, share, control).get();
    }

    /// Adds the partial of another share. The order and the grouping of merges do not change the
    /// result. Returns an error if a sequence was found in both shares, since shares have no
    /// sequence in common.
    Status merge(HmmPartial& partial, HmmPartial&& other) const;

    /// Returns a report for each profile, finished (finish_report). `partial` has to cover the
    /// whole databases.
    Result<std::vector<HmmReport>> finish(const HmmBatch& batch, HmmPartial partial, const SearchControl& control);

    /// Returns the partial as a packet for another process or machine (formats/io/packet.h).
    std::string to_bytes(const HmmPartial& partial) const { return warpseq::to_bytes(partial); }
    /// Reads such a packet. Refuses one that is no partial of this batch and these databases. Error
    /// messages name `origin`.
    Result<HmmPartial> from_bytes(std::string_view bytes, const HmmBatch& batch, std::string_view origin) const {
        return hmm_partial_from_bytes(bytes, batch, session_.databases(), origin);
    }

    /// Returns the times of all work that is done on the host.
    HmmTimes times() const { return host_->times(); }
    /// Returns the counts of all batches that are done on GPUs; nothing without GPUs.
    std::optional<HmmGpuCounts> gpu_counts() const;

   private:
    HmmEngine(const Session& session, HmmSettings settings);

    /// A guard that counts a batch as being finished while the guard lives.
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
