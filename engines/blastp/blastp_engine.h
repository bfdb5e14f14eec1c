// The blastp engine of a session. It prepares batches of queries, scans shares of the databases,
// merges partials and finishes results. The session's GPUs, or else the CPU, screen the databases.
// The host searches the pairs that the screen leaves (blastp_search.h).
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

/// A batch of queries that is ready to be scanned. The same batch serves for all shares of the
/// databases. It may be moved while a scan runs.
struct BlastpBatch {
    std::vector<BlastpQuery> queries;
    std::vector<const BlastpQuery*> parts;  // all_searched_parts(queries)
    std::vector<Query> scanned;             // scanned_parts(parts)
};

/// A partial: the result of scanning a share for a batch. It has the preliminary hits of each part
/// of the queries, in the order of a report. They suffice to find the best hits of all shares
/// together.
struct BlastpPartial {
    std::vector<std::vector<BlastpHit>> hits;
};

/// The reported result for one query.
struct BlastpQueryResult {
    std::vector<BlastpHit> hits;               // in the order of a report
    std::vector<std::string> headers;          // headers of the hits' sequences
    std::uint64_t effective_search_space = 0;  // 0: no search with the query is possible, or nothing to search
    std::uint64_t length_adjustment = 0;       // likewise
};

/// Counts and times of all scans and finishes that are done.
struct BlastpCounts {
    std::uint64_t candidates = 0;  // pairs that the screen has left
    double screen_seconds = 0;     // time spent waiting for candidates
    double search_seconds = 0;     // time from candidates to hits
};

/// Returns the statistics of a search with these settings, or nothing if BLAST has none. A search
/// without gaps takes those of the default gap costs, since the costs do not matter.
std::optional<AlignmentStatistics> blastp_statistics(const BlastpSettings& settings);

/// The blastp engine. Thread-safe.
class BlastpEngine {
   public:
    /// Creates an engine for the session, which has to outlive it. Returns an error if the settings
    /// need statistics, word scores or residue frequencies that are not known for the scoring
    /// scheme.
    static Result<std::unique_ptr<BlastpEngine>> create(const Session& session, BlastpSettings settings);

    const BlastpSettings& settings() const { return settings_; }
    const AlignmentStatistics& statistics() const { return *statistics_; }

    /// Returns how many batches should be in flight at a time. If all of them keep within
    /// batch_limits(), this keeps the devices busy and the memory bounded.
    std::size_t batches_in_flight() const;
    /// Returns the limits of a batch if `batches_in_flight` batches share the memory. A batch ends
    /// with the group of queries that reaches a limit. 0 stands for batches_in_flight(), or for its
    /// value with GPUs if batches have to be the same on all devices.
    QueryBatchLimits batch_limits(std::size_t batches_in_flight = 0) const;

    /// Prepares a batch of whole groups of queries (query_parts.h). Sends warnings about queries to
    /// the observer.
    Result<BlastpBatch> prepare(std::vector<QueryWithParts> queries, const SearchControl& control) const;

    /// Starts a scan of a share. GPUs begin at once, and the first call opens them. The thread that
    /// waits for the result does the host's part of the work. It helps the GPUs before that if the
    /// session's settings say so. The batch and the observer have to live until the result is
    /// there.
    std::future<Result<BlastpPartial>> start_scan(const BlastpBatch& batch, const TargetShare& share,
                                                  const SearchControl& control);
    Result<BlastpPartial> scan(const BlastpBatch& batch, const TargetShare& share, const SearchControl& control) {
        return start_scan(batch, share, control).get();
    }

    /// Adds the partial of another share to `partial`. The order and the grouping of merges do not
    /// change the result. Returns an error if both partials have a hit with the same sequence,
    /// because shares have no sequence in common.
    Status merge(BlastpPartial& partial, BlastpPartial&& other) const;

    /// Returns the result of each query, within the limits of the settings. `partial` has to cover
    /// the whole databases.
    Result<std::vector<BlastpQueryResult>> finish(const BlastpBatch& batch, BlastpPartial partial,
                                                  const SearchControl& control);

    /// Returns the partial as a packet (formats/io/packet.h), for another process or machine.
    std::string to_bytes(const BlastpPartial& partial) const;
    /// Reads such a packet. Returns an error if it is not a partial of this batch and these
    /// databases. Error messages name `origin`.
    Result<BlastpPartial> from_bytes(std::string_view bytes, const BlastpBatch& batch, std::string_view origin) const;
    /// Returns results as a packet.
    std::string to_bytes(const std::vector<BlastpQueryResult>& results) const;
    /// Reads a packet of results. Makes the same checks as from_bytes().
    Result<std::vector<BlastpQueryResult>> results_from_bytes(std::string_view bytes, const BlastpBatch& batch,
                                                              std::string_view origin) const;

    BlastpCounts counts() const;
    /// Returns the number of pairs scored by Smith-Waterman on the CPU.
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
    BlastpCounts counts_;  // guarded by mutex_
    std::unique_ptr<BlastpGpuScreen> gpus_;
};

}  // namespace warpseq
