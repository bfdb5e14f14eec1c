// Writes hits as text, with one writer for each output format. Every printed number is computed
// here, so it does not depend on the device that found the hit.
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
#include "engines/targets/database_facts.h"
#include "libcore/base/status.h"
#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/statistics/composition_adjustment.h"
#include "libcore/statistics/karlin_altschul.h"
#include "reports/fields.h"

namespace warpseq {

/// The description of a run. It must outlive the writer's calls.
struct RunDescription {
    std::string_view engine;  // "sw"
    const DatabaseFacts& databases;
    const ScoringScheme& scheme;
    const std::optional<AlignmentStatistics>& statistics;  // nothing if no E-values and bit scores are known
    CompositionMode composition = CompositionMode::kNone;  // the mode of composition-based statistics
};

/// A writer of reports. begin() is called first, then add() for each query, then end().
class ReportWriter {
   public:
    virtual ~ReportWriter() = default;
    virtual ReportNeeds needs() const = 0;
    /// Each call appends to `out`, which is the same string in all calls. Between calls the caller
    /// may take text out of it.
    virtual void begin(const RunDescription& run, std::string& out) = 0;
    virtual void add(const RunDescription& run, const Query& query, std::span<const ReportedHit> hits,
                     std::string& out) = 0;
    virtual void end(const RunDescription& run, std::string& out) = 0;
};

/// Returns the writer of "0", "6", "7", "10" or "json". Field names may follow 6, 7 and 10. Any
/// other text is a usage error that lists the formats. `header` asks for a first row with the names
/// of the columns, which 6 and 10 can have.
Result<std::unique_ptr<ReportWriter>> make_report_writer(std::string_view outfmt, bool header = false);

std::unique_ptr<ReportWriter> make_pairwise_report();
std::unique_ptr<ReportWriter> make_json_report();
/// Returns the writer of a table. `fields` are separated by blanks. "std" stands for the twelve
/// that blastp prints by default. An empty text means the same.
Result<std::unique_ptr<ReportWriter>> make_tabular_report(std::string_view fields, TableLayout layout);

}  // namespace warpseq
