// Formats of a profile search's report: HMMER's text for people, and tables and JSON for programs.
// Their names ("0", "6", "7", "10", "json") are the same as in other engines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_rounds.h"
#include "engines/targets/database_facts.h"
#include "libcore/base/status.h"
#include "reports/fields.h"
#include "reports/hmmer/hmm_query.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// A format of the report. begin() is called first, then append_query() or append_round() for the
/// queries, then end().
class HmmReportFormat {
   public:
    virtual ~HmmReportFormat() = default;

    /// Begins the report. Called when the kind of the queries is known. `run` must outlive the
    /// format. `out` is the same string in begin() and end(). Between these calls the caller may
    /// take text out of it.
    virtual void begin(const HmmRun& run, HmmQueryKind kind, const DatabaseFacts& databases, std::string& out) = 0;
    /// Sets the databases that know the sequences of the next queries. They live until the next
    /// call. Without a call, the databases of begin() know the sequences of all queries.
    virtual void use_databases(const DatabaseFacts&) {}
    /// Appends the text about one query. `first` is true for the first query of the run. `report`
    /// has been finished (finish_report). Thread-safe.
    virtual void append_query(const HmmQuery& query, const HmmReport& report, bool first, std::string& out) const = 0;
    /// Appends the text about a round. The text report shows every round. Other formats show the
    /// last one. `query` is the query's own profile, and `model` is the round's. Thread-safe.
    virtual void append_round(const ProfileHmm& query, const HmmQuery& model, const HmmReport& report,
                              const HmmRoundFacts& round, bool first, std::string& out) const;
    /// Appends the text that follows a query's last round and the remarks about it. Only the text
    /// report has such a text.
    virtual void end_rounds(std::string&) const {}
    /// Appends a sentence about the preceding query. Only the text report shows it.
    virtual void append_remark(const std::string&, std::string&) const {}
    /// Ends the report of `queries` queries.
    virtual void end(std::uint64_t queries, std::string& out) = 0;
};

/// Returns a round's model with the name, accession and description of its query.
HmmQuery named_by(const ProfileHmm& query, HmmQuery model);

/// Returns the format "0", "6", "7", "10" or "json". Field names may follow 6, 7 and 10. Any other
/// text is a usage error that lists the formats. `header` asks for a first row with the names of
/// the columns, which 6 and 10 can have.
Result<std::unique_ptr<HmmReportFormat>> make_hmm_report_format(std::string_view outfmt, bool header = false);

/// Returns the text report (reports/hmmer/hmm_text_report.h).
std::unique_ptr<HmmReportFormat> make_hmm_text_format();
/// Returns the table, which has a row for each reported domain. `fields` are those of
/// parse_hmm_fields().
Result<std::unique_ptr<HmmReportFormat>> make_hmm_table_format(std::string_view fields, TableLayout layout);
std::unique_ptr<HmmReportFormat> make_hmm_json_format();

}  // namespace warpseq
