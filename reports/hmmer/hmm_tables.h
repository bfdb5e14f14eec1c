// Tables of a profile search, in the columns of HMMER 3's --tblout, --domtblout and --pfamtblout:
// separated by blanks, padded to the longest names of each query's hits, a description last. Lines
// that begin with # are comments.
#pragma once

#include <string>

#include "engines/hmm/hmm_hit.h"
#include "reports/hmmer/hmm_query.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// What tables are of.
enum class HmmTableKind { kTargets, kDomains, kPfam };

/// The reported targets or domains of a finished report. `with_header` is for a file's first query.
void append_target_table(const HmmQuery& query, const HmmReport& report, bool with_header, std::string& out);
void append_domain_table(const HmmQuery& query, const HmmReport& report, bool with_header, std::string& out);
/// Targets, then domains in the order of their own scores, each with a header.
void append_pfam_table(const HmmReport& report, std::string& out);

/// What a table ends with: how it was made, then "[ok]". Nothing that depends on the machine, the
/// place or the time.
void append_table_end(const HmmRun& run, std::string& out, HmmTableKind kind = HmmTableKind::kTargets);

}  // namespace warpseq
