// The blastp engine as a session runs it: prepare, scan, merge, finish. GPUs or the CPU, whatever
// the session has, screen the databases; the host searches the pairs that are left
// (blastp_search.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engines/blastp/blastp_gpu_screen.h"
#include "engines/blastp/blastp_query.h"
#include "engines/blastp/blastp_screen.h"
#include "engines/blastp/blastp_search.h"
#include "engines/blastp/blastp_settings.h"
#include "engines/blastp/query_parts.h"
#include "engines/query_set.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "engines/targets/share.h"
#include "libcore/base/status.h"
#include "libcore/statistics/karlin_altschul.h"

namespace warpseq {

/// Queries ready to be scanned for; the same whatever share of the databases follows. May be moved
/// while a scan runs.
struct BlastpBatch {
    std::vector<BlastpQuery> queries;
    std::vector<const BlastpQuery*> parts;  // all_searched_parts(queries)
    std::vector<Query> scanned;             // scanned_parts(parts)
};

/// What a share holds for a batch: of each of its parts the preliminary hits, as many as decide
/// about the best of all shares; in the order of a report.
struct BlastpPartial {
    std::vector<std::vector<BlastpHit>> hits;
};

/// What is reported of a query.
struct BlastpQueryResult {
    std::vector<BlastpHit> hits;               // in the order of a report
    std::vector<std::string> headers;          // of their sequences
    std::uint64_t effective_search_space = 0;  // 0: the query cannot be searched with, or there is nothing to search
    std::uint64_t length_adjustment = 0;       // likewise
};

/// Of all scans and finishes that are done.
struct BlastpCounts {
    std::uint64_t candidates = 0;  // pairs that the screen has left
    double screen_seconds = 0;     // until they were there, for those who waited
    double search_seconds = 0;     // from there to hits
};

/// Thread-safe.
class BlastpEngine {
   public:
    /// The session outlives the engine. An error where there are no statistics, no scores of words,
    /// or no frequencies for the composition-based statistics, that are asked for.
    static Result<std::unique_ptr<BlastpEngine>> create(const Session& session, BlastpSettings settings);

    const BlastpSettings& settings() const { return settings_; }
    const AlignmentStatistics& statistics() const { return *statistics_; }

    /// So many batches of at most so many queries, or the group that reaches it, keep the devices
    /// busy and the memory bounded.
    std::size_t batches_in_flight() const;
    /// `batches_in_flight` share the memory; 0: as many as above.
    QueryBatchLimits batch_limits(std::size_t batches_in_flight = 0) const;

    /// Whole groups of queries (query_parts.h). What a person should know of them is noted.
    Result<BlastpBatch> prepare(std::vector<QueryWithParts> queries, const SearchControl& control) const;

    /// GPUs begin at once, and open with the first call; the rest of the work is done by whoever
    /// waits for the result, who first helps the GPUs where the session says so. Batch and observer
    /// live until then.
    std::future<Result<BlastpPartial>> start_scan(const BlastpBatch& batch, const TargetShare& share,
                                                  const SearchControl& control);
    Result<BlastpPartial> scan(const BlastpBatch& batch, const TargetShare& share, const SearchControl& control) {
        return start_scan(batch, share, control).get();
    }

    /// Adds what another share holds. The order and the grouping of merges change nothing. An error
    /// where a sequence was found in both shares, which have none in common.
    Status merge(BlastpPartial& partial, BlastpPartial&& other) const;

    /// What is reported of each query, within the limits. `partial` is that of the whole databases.
    Result<std::vector<BlastpQueryResult>> finish(const BlastpBatch& batch, BlastpPartial partial,
                                                  const SearchControl& control);

    /// For another process or machine, and back (formats/io/packet.h). What is no partial of this
    /// batch and these databases is refused; messages name `origin`.
    std::string to_bytes(const BlastpPartial& partial) const;
    Result<BlastpPartial> from_bytes(std::string_view bytes, const BlastpBatch& batch, std::string_view origin) const;
    /// The same for results.
    std::string to_bytes(const std::vector<BlastpQueryResult>& results) const;
    Result<std::vector<BlastpQueryResult>> results_from_bytes(std::string_view bytes, const BlastpBatch& batch,
                                                              std::string_view origin) const;

    BlastpCounts counts() const;
    /// By Smith-Waterman on the CPU.
    std::uint64_t pairs_scored() const { return screen_->pairs_scored(); }
    std::optional<BlastpGpuCounts> gpu_counts() const;

   private:
    BlastpEngine(const Session& session, BlastpSettings settings);

    Status set_parameters();
    template <class Screen>
    Result<BlastpPartial> search_candidates(std::span<const BlastpQuery* const> parts, const Screen& screen,
                                            const SearchControl& control);
    void add(const BlastpCounts& counts);
    Status read_headers(std::vector<BlastpQueryResult>& results, const SearchControl& control) const;
    bool may_be_of(const BlastpPartial& partial, const BlastpBatch& batch) const;
    bool may_be_of(const BlastpQueryResult& result, const BlastpQuery& query) const;
    void set_search_space(const BlastpQuery& query, BlastpQueryResult& result) const;
    bool may_be_of(const BlastpHit& hit, const BlastpQuery& part) const;

    const Session& session_;
    BlastpSettings settings_;
    std::optional<AlignmentStatistics> statistics_;
    SearchSpace space_;
    std::optional<BlastpParameters> parameters_;
    std::optional<BlastpScreen> screen_;
    std::optional<BlastpSearch> search_;
    mutable std::mutex mutex_;
    BlastpCounts counts_;  // guarded by it
    std::unique_ptr<BlastpGpuScreen> gpus_;
};

}  // namespace warpseq
