// The report of a search in rounds as text for people, in the layout of HMMER 3's jackhmmer: what
// hmmsearch shows of a search, with '+' before hits that are new and '-' before those that were
// lost, and between the rounds lines that begin with @@.
#pragma once

#include <string>

#include "engines/hmm/hmm_rounds.h"
#include "reports/hmmer/hmm_query.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// A round of a query, and the model that it searched with; before the first round the lines about
/// the query.
void append_round_report(const HmmRun& run, const HmmQuery& query, const HmmQuery& model, const HmmRound& round,
                         std::string& out);

}  // namespace warpseq
