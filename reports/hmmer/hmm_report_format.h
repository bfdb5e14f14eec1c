// The formats of a profile search's report: HMMER's text for people, and tables and JSON for
// programs, with the names that other engines' have.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_rounds.h"
#include "engines/targets/database_set.h"
#include "libcore/base/status.h"
#include "reports/hmmer/hmm_query.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

class HmmReportFormat {
   public:
    virtual ~HmmReportFormat() = default;

    /// Begins the report, once it is known what the queries are. `run` outlives the format; `out`
    /// is the same in begin() and end(), and between them the caller may take text out of it.
    virtual void begin(const HmmRun& run, HmmQueryKind kind, const DatabaseSet& databases, std::string& out) = 0;
    /// Appends everything about one query; `first` is for the first of all. `report` has been
    /// finished (finish_report). Thread-safe.
    virtual void append_query(const HmmQuery& query, const HmmReport& report, bool first, std::string& out) const = 0;
    /// The same of a search in rounds, of which people are told all and others the last one;
    /// `query` is the query's own profile, `model` the round's.
    virtual void append_round(const ProfileHmm& query, const HmmQuery& model, const HmmRound& round, bool first,
                              std::string& out) const;
    /// Behind a query's last round, and the remarks about it.
    virtual void end_rounds(std::string&) const {}
    /// A sentence about the query before, for people.
    virtual void append_remark(const std::string&, std::string&) const {}
    virtual void end(std::uint64_t queries, std::string& out) = 0;
};

/// A round's model under its query's names.
HmmQuery named_by(const ProfileHmm& query, HmmQuery model);

/// "0", "6", "7", "json"; "6 FIELD ..." and "7 FIELD ..." name columns. Anything else is a usage
/// error that lists them.
Result<std::unique_ptr<HmmReportFormat>> make_hmm_report_format(std::string_view outfmt);

/// The text report (reports/hmmer/hmm_text_report.h).
std::unique_ptr<HmmReportFormat> make_hmm_text_format();
/// A row for each reported domain; `fields` as parse_hmm_fields() takes them.
Result<std::unique_ptr<HmmReportFormat>> make_hmm_table_format(std::string_view fields, bool comments);
std::unique_ptr<HmmReportFormat> make_hmm_json_format();

}  // namespace warpseq
