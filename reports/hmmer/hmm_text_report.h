// The report of a profile search as text for people, in the layout of HMMER 3's hmmsearch (for
// profiles), phmmer (for sequences) and hmmscan (for sequences that models are sought in): hits,
// domains, alignments, and a summary of the filters. Nothing in it depends on the machine or the
// time.
#pragma once

#include <string>
#include <string_view>

#include "engines/hmm/hmm_hit.h"
#include "reports/hmmer/hmm_query.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// Program, files, and each option that was given and that changes results or output.
void append_report_header(const HmmRun& run, HmmQueryKind kind, std::string& out);

/// The name, length, accession and description of a query, a line each.
void append_query_lines(HmmQueryKind kind, const HmmQuery& query, std::string& out);

/// What a search has found: the list of hits, their domains, the summary. Likewise.
void append_search_results(const HmmRun& run, HmmQueryKind kind, const HmmQuery& query, const HmmReport& report,
                           std::string& out);

/// Everything about one query, from "Query:" to "//". `report` has been finished (finish_report).
void append_query_report(const HmmRun& run, HmmQueryKind kind, const HmmQuery& query, const HmmReport& report,
                         std::string& out);

}  // namespace warpseq
