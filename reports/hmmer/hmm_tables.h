// Formats the tables of a profile search, with the columns of HMMER 3's --tblout, --domtblout and
// --pfamtblout. Columns are separated by blanks. Name columns are as wide as the longest names of
// the query's hits. The description is the last column. Lines that begin with # are comments.
#pragma once

#include <string>

#include "engines/hmm/hmm_hit.h"
#include "reports/hmmer/hmm_query.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// The three tables: targets, domains, and Pfam's table of both.
enum class HmmTableKind { kTargets, kDomains, kPfam };

/// Append the reported targets or domains of a finished report. `with_header` is true for a file's
/// first query.
void append_target_table(const HmmQuery& query, const HmmReport& report, bool with_header, std::string& out);
void append_domain_table(const HmmQuery& query, const HmmReport& report, bool with_header, std::string& out);
/// Appends the targets, then the domains in the order of their own scores. Each of the two lists
/// has a header.
void append_pfam_table(const HmmReport& report, std::string& out);

/// Appends the end of a table: how it was made, then "[ok]". The text does not depend on the
/// machine. It depends on folder and time only if `run.program` has them.
void append_table_end(const HmmRun& run, std::string& out, HmmTableKind kind = HmmTableKind::kTargets);

}  // namespace warpseq
