// Formats the report of a search in rounds as text for people, in the layout of HMMER 3's
// jackhmmer. A round is shown as hmmsearch shows a search. New hits are marked with '+' and lost
// ones with '-'. Lines between the rounds begin with @@.
#pragma once

#include <string>

#include "engines/hmm/hmm_rounds.h"
#include "reports/hmmer/hmm_query.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// Appends a round of a query. `model` is the model that it searched with, and `report` is what it
/// found. The first round begins with the lines about the query.
void append_round_report(const HmmRun& run, const HmmQuery& query, const HmmQuery& model, const HmmReport& report,
                         const HmmRoundFacts& round, std::string& out);

}  // namespace warpseq
