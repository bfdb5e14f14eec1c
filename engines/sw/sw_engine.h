// The Smith-Waterman engine of a session. It prepares batches of queries, scans shares of the
// databases, merges partials and finishes results. The session's GPUs, or else the CPU, compute
// scores. The host turns scores into hits and aligns the hits that are reported (sw_search.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/hit_list.h"
#include "engines/query_set.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "engines/sw/reported_hit.h"
#include "engines/sw/sw_gpu_scan.h"
#include "engines/sw/sw_search.h"
#include "engines/targets/share.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "libcore/statistics/composition_adjustment.h"
#include "libcore/statistics/karlin_altschul.h"

namespace warpseq {

struct SwSettings {
    ScoringScheme scheme;
    double evalue = 10;            // infinity: every hit with a score above 0
    std::uint64_t max_hits = 500;  // per query; 0: no limit
    CompositionMode composition = CompositionMode::kNone;
    std::uint64_t database_residues = 0;  // database size for E-values; 0: the residues that are searched
};

/// A batch of queries that is ready to be scanned. The same batch serves for all shares of the
/// databases. It may be moved while a scan runs.
struct SwBatch {
    std::vector<Query> queries;
};

/// A partial: the result of scanning a share for a batch. It has the best hits of each query by
/// unadjusted scores, in the order of a report. They suffice to find the best hits of all shares
/// together.
struct SwPartial {
    std::vector<std::vector<Hit>> hits;
};

/// The reported hits of consecutive queries of a batch.
struct SwResults {
    std::uint64_t first_query = 0;  // in the batch
    std::vector<std::vector<ReportedHit>> hits;
};

/// The Smith-Waterman engine. Thread-safe.
class SwEngine {
   public:
    /// Creates an engine and opens the session's GPUs, if it has any. The session has to outlive
    /// the engine. Returns an error if the settings need E-value statistics that are not known for
    /// the scoring scheme, or residue frequencies that are not known for the matrix.
    static Result<std::unique_ptr<SwEngine>> create(const Session& session, SwSettings settings);

    const SwSettings& settings() const { return settings_; }
    /// Returns the statistics. Without statistics there are no E-values and no bit scores.
    const std::optional<AlignmentStatistics>& statistics() const { return statistics_; }

    /// Returns how many batches should be in flight at a time. If all of them keep within
    /// batch_limits(), this keeps the devices busy and the memory bounded.
    std::size_t batches_in_flight() const;
    /// Returns the limits of a batch if `batches_in_flight` batches share the memory. 0 stands for
    /// batches_in_flight(), or for its value with GPUs if batches have to be the same on all
    /// devices.
    QueryBatchLimits batch_limits(std::size_t batches_in_flight = 0) const;

    Result<SwBatch> prepare(std::vector<Query> queries) const { return SwBatch{std::move(queries)}; }

    /// Starts a scan of a share. Returns at once. With GPUs, the thread that waits for the result
    /// helps them if the session's settings say so. On the CPU, the thread that waits runs the
    /// scan, with the session's threads. The batch and the observer have to live until the result
    /// is there.
    std::future<Result<SwPartial>> start_scan(const SwBatch& batch, const TargetShare& share,
                                              const SearchControl& control);
    Result<SwPartial> scan(const SwBatch& batch, const TargetShare& share, const SearchControl& control) {
        return start_scan(batch, share, control).get();
    }

    /// Adds the partial of another share to `partial`. The order and the grouping of merges do not
    /// change the result. Returns an error if both partials have a hit with the same sequence,
    /// because shares have no sequence in common.
    Status merge(SwPartial& partial, SwPartial&& other) const;

    /// Returns the reported hits of the queries first .. first + count - 1, in the order of a
    /// report and within the limits of the settings. Fills in the parts that `needs` names.
    /// `partial` has to cover the whole databases.
    Result<std::vector<std::vector<ReportedHit>>> finish(const SwBatch& batch, const SwPartial& partial,
                                                         std::size_t first, std::size_t count, ReportNeeds needs,
                                                         const SearchControl& control) const;

    /// Returns the end of a window of queries that begins with `first`, for finish(). The
    /// alignments of a window are made and kept at once, so a window has few hits or one query.
    static std::size_t end_of_window(const SwPartial& partial, std::size_t first);

    /// Returns the partial as a packet (formats/io/packet.h), for another process or machine.
    std::string to_bytes(const SwPartial& partial) const;
    /// Reads such a packet. Returns an error if it is not a partial of this batch and these
    /// databases. Error messages name `origin`.
    Result<SwPartial> from_bytes(std::string_view bytes, const SwBatch& batch, std::string_view origin) const;
    /// Returns results as a packet.
    std::string to_bytes(const SwResults& results) const;
    /// Reads a packet of results. Makes the same checks as from_bytes().
    Result<SwResults> results_from_bytes(std::string_view bytes, const SwBatch& batch, std::string_view origin) const;

    /// Returns the counts of all scans that the CPU has finished.
    SmithWatermanCounts cpu_counts() const { return host_->counts(); }
    /// Returns the counts of all scans that GPUs have finished, or nothing without GPUs.
    std::optional<SwGpuCounts> gpu_counts() const;

   private:
    SwEngine(const Session& session, SwSettings settings);
    bool can_be(const Hit& hit) const;

    const Session& session_;
    SwSettings settings_;
    std::optional<AlignmentStatistics> statistics_;
    std::optional<SwSearch> host_;
    std::unique_ptr<SwGpuScan> gpus_;
};

}  // namespace warpseq
