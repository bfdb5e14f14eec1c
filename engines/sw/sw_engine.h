// The Smith-Waterman engine as a session runs it: prepare, scan, merge, finish. GPUs or the CPU,
// whatever the session has, score; the host makes hits of scores and aligns what is reported
// (sw_search.h).
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
    std::uint64_t database_residues = 0;  // of E-values; 0: those of what is searched
};

/// Queries ready to be scanned for; the same whatever share of the databases follows. May be moved
/// while a scan runs.
struct SwBatch {
    std::vector<Query> queries;
};

/// The hits that a share holds for a batch: for each query the best ones by unadjusted scores, as
/// many as decide about the best of all shares, in the order of a report.
struct SwPartial {
    std::vector<std::vector<Hit>> hits;
};

/// The reported hits of some consecutive queries of a batch.
struct SwResults {
    std::uint64_t first_query = 0;  // in the batch
    std::vector<std::vector<ReportedHit>> hits;
};

/// Thread-safe.
class SwEngine {
   public:
    /// Opens the session's GPUs, if it has any. The session outlives the engine. An error where
    /// there are no statistics for the E-values, or no frequencies for the composition-based
    /// statistics, that are asked for.
    static Result<std::unique_ptr<SwEngine>> create(const Session& session, SwSettings settings);

    const SwSettings& settings() const { return settings_; }
    /// Nothing: no E-values and no bit scores are known.
    const std::optional<AlignmentStatistics>& statistics() const { return statistics_; }

    /// So many batches of at most so many queries keep the devices busy and the memory bounded.
    std::size_t batches_in_flight() const;
    /// `batches_in_flight` share the memory; 0: as many as above.
    QueryBatchLimits batch_limits(std::size_t batches_in_flight = 0) const;

    Result<SwBatch> prepare(std::vector<Query> queries) const { return SwBatch{std::move(queries)}; }

    /// On GPUs returns at once, and whoever waits for the result helps them where the session says
    /// so; on the CPU all is done by whoever waits. Batch and observer live until then.
    std::future<Result<SwPartial>> start_scan(const SwBatch& batch, const TargetShare& share,
                                              const SearchControl& control);
    Result<SwPartial> scan(const SwBatch& batch, const TargetShare& share, const SearchControl& control) {
        return start_scan(batch, share, control).get();
    }

    /// Adds what another share holds. The order and the grouping of merges change nothing. An error
    /// where a sequence was found in both shares, which have none in common.
    Status merge(SwPartial& partial, SwPartial&& other) const;

    /// The hits of queries [first, first + count) with what is needed of them, in the order of a
    /// report, within the limits. `partial` is that of the whole databases.
    Result<std::vector<std::vector<ReportedHit>>> finish(const SwBatch& batch, const SwPartial& partial,
                                                         std::size_t first, std::size_t count, ReportNeeds needs,
                                                         const SearchControl& control) const;

    /// For another process or machine, and back (formats/io/packet.h). What is no partial of this
    /// batch and these databases is refused; messages name `origin`.
    std::string to_bytes(const SwPartial& partial) const;
    Result<SwPartial> from_bytes(std::string_view bytes, const SwBatch& batch, std::string_view origin) const;
    /// The same for what finish() gives.
    std::string to_bytes(const SwResults& results) const;
    Result<SwResults> results_from_bytes(std::string_view bytes, const SwBatch& batch, std::string_view origin) const;

    /// Of all scans that are done: the CPU's, or those of the GPUs.
    SmithWatermanCounts cpu_counts() const { return host_->counts(); }
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
