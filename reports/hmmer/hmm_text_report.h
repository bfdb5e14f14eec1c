// Formats the report of a profile search as text for people. The layout is that of HMMER 3's
// hmmsearch for profiles, of phmmer for sequences, and of hmmscan for sequences in which models are
// sought. The report has hits, domains, alignments and a summary of the filters. It does not depend
// on the machine or the time.
#pragma once

#include <string>
#include <string_view>

#include "engines/hmm/hmm_hit.h"
#include "reports/hmmer/hmm_query.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// Appends the program, the files, and each given option that changes results or output.
void append_report_header(const HmmRun& run, HmmQueryKind kind, std::string& out);

/// Appends the name, length, accession and description of a query, a line each.
void append_query_lines(HmmQueryKind kind, const HmmQuery& query, std::string& out);

/// Appends the results of a search: the list of hits, their domains, and the summary.
void append_search_results(const HmmRun& run, HmmQueryKind kind, const HmmQuery& query, const HmmReport& report,
                           std::string& out);

/// Appends the text about one query, from "Query:" to "//". `report` has been finished
/// (finish_report).
void append_query_report(const HmmRun& run, HmmQueryKind kind, const HmmQuery& query, const HmmReport& report,
                         std::string& out);

}  // namespace warpseq
