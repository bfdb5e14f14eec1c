// How hits become text. One writer per output format; every printed number comes from here,
// whatever device found the hit.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/hit_list.h"
#include "engines/query_set.h"
#include "engines/sw/reported_hit.h"
#include "engines/targets/database_set.h"
#include "libcore/base/status.h"
#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/statistics/composition_adjustment.h"
#include "libcore/statistics/karlin_altschul.h"

namespace warpseq {

/// What a run is about; outlives the writer's calls.
struct RunDescription {
    std::string_view engine;  // "sw"
    const DatabaseSet& databases;
    const ScoringScheme& scheme;
    const std::optional<AlignmentStatistics>& statistics;  // nothing: no E-values and no bit scores are known
    CompositionMode composition = CompositionMode::kNone;  // of composition-based statistics
};

class ReportWriter {
   public:
    virtual ~ReportWriter() = default;
    virtual ReportNeeds needs() const = 0;
    /// Each appends to `out`, the same string in all calls; between them the caller may take text
    /// out of it.
    virtual void begin(const RunDescription& run, std::string& out) = 0;
    virtual void add(const RunDescription& run, const Query& query, std::span<const ReportedHit> hits,
                     std::string& out) = 0;
    virtual void end(const RunDescription& run, std::string& out) = 0;
};

/// "0", "6", "7", "json"; "6 FIELD ..." and "7 FIELD ..." name columns. Anything else is a usage
/// error that lists them.
Result<std::unique_ptr<ReportWriter>> make_report_writer(std::string_view outfmt);

std::unique_ptr<ReportWriter> make_pairwise_report();
std::unique_ptr<ReportWriter> make_json_report();
/// `fields` are separated by blanks; empty: the twelve that blastp prints. "std" stands for those.
Result<std::unique_ptr<ReportWriter>> make_tabular_report(std::string_view fields, bool comments);

}  // namespace warpseq
