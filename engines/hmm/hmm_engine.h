// The profile HMM engine as a session runs it: prepare, scan, merge, finish. GPUs or the CPU,
// whatever the session has, filter; the host computes every number that is reported (hmm_search.h).
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
    HmmPipelineSettings pipeline;                // but for the back end, which is the session's
    std::optional<double> targets_z, domains_z;  // Z and domZ; nothing: as many as there are, or are reported
    bool names_as_hmmer = false;                 // of targets: a Ctrl-A does not end them (formats/fasta/hmmer_fasta.h)
};

/// Thread-safe.
class HmmEngine {
   public:
    /// Whether a GPU is quicker than so many of the host's threads where profiles of so many nodes
    /// are sought in few sequences: by the times of both (docs/lab-notes.md), which for a GPU are
    /// those of preparing profiles and of launches, hardly of cells.
    static bool models_are_worth_a_gpu(std::uint64_t nodes, std::uint64_t sequence_residues, unsigned threads);

    /// Opens the session's GPUs, if it has any. The session outlives the engine.
    static Result<std::unique_ptr<HmmEngine>> create(const Session& session, HmmSettings settings);

    const Session& session() const { return session_; }
    const HmmSettings& settings() const { return settings_; }

    /// So many batches of at most so much keep the devices busy and the memory bounded.
    std::size_t batches_in_flight() const;
    HmmBatchLimits batch_limits() const { return batch_limits(session_); }
    /// Of any engine of the session: queries can be read before it is there.
    static HmmBatchLimits batch_limits(const Session& session);

    /// Profiles with statistics (HmmQueryReader makes them of whatever a file holds), and as many
    /// thresholds. Status::interrupted() soon after a stop is requested.
    Result<HmmBatch> prepare(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                             const std::stop_token& stop = {}) {
        return host_->prepare(std::move(profiles), std::move(thresholds), stop);
    }
    /// The same of profiles that may be pressed. GPUs want all of each at once, which is read here.
    Result<HmmBatch> prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                     const std::stop_token& stop = {});

    /// GPUs begin to filter at once; all other work is done by whoever waits for the result, with
    /// the session's threads: first some of the GPUs', where the session says so. Batch and
    /// observer live until then.
    std::future<Result<HmmPartial>> start_scan(const HmmBatch& batch, const TargetShare& share,
                                               const SearchControl& control);
    Result<HmmPartial> scan(const HmmBatch& batch, const TargetShare& share, const SearchControl& control) {
        return start_scan(batch, share, control).get();
    }

    /// Adds what another share holds. The order and the grouping of merges change nothing. An error
    /// where a sequence was found in both shares, which have none in common.
    Status merge(HmmPartial& partial, HmmPartial&& other) const;

    /// A report for each profile, finished (finish_report). `partial` is that of the whole
    /// databases.
    Result<std::vector<HmmReport>> finish(const HmmBatch& batch, HmmPartial partial, const SearchControl& control);

    /// For another process or machine, and back (formats/io/packet.h). What is no partial of this
    /// batch and these databases is refused; messages name `origin`.
    std::string to_bytes(const HmmPartial& partial) const { return warpseq::to_bytes(partial); }
    Result<HmmPartial> from_bytes(std::string_view bytes, const HmmBatch& batch, std::string_view origin) const {
        return hmm_partial_from_bytes(bytes, batch, session_.databases(), origin);
    }

    /// Of all that is done: the host's, and the GPUs'.
    HmmTimes times() const { return host_->times(); }
    std::optional<HmmGpuCounts> gpu_counts() const;

   private:
    HmmEngine(const Session& session, HmmSettings settings);

    /// While it lives somebody finishes a batch.
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
