#include "reports/hmmer/hmm_rounds_text.h"

#include "libcore/base/append_printf.h"
#include "reports/hmmer/hmm_text_report.h"

namespace warpseq {

void append_round_report(const HmmRun& run, const HmmQuery& query, const HmmQuery& model, const HmmReport& report,
                         const HmmRoundFacts& round, std::string& out) {
    using Count = unsigned long long;
    if (round.number == 1) {
        append_query_lines(HmmQueryKind::kSequence, query, out);
        out += '\n';
    } else {
        append_printf(out, "@@\n@@ Round:                  %llu\n", Count{round.number});
        append_printf(out, "@@ Included in MSA:        %llu subsequences (query + %llu subseqs from %llu targets)\n",
                      Count{round.rows_before}, Count{round.rows_before - 1}, Count{round.targets_before});
        append_printf(out, "@@ Model size:             %llu positions\n@@\n\n", Count{model.length});
    }
    append_search_results(run, HmmQueryKind::kSequence, model, report, out);
    append_printf(out, "\n@@ New targets included:   %llu\n", Count{round.new_targets});
    append_printf(out, "@@ New alignment includes: %llu subseqs (was %llu), including original query\n",
                  Count{round.alignment_rows}, Count{round.rows_before});
    if (round.converged) {
        append_printf(out, "@@\n@@ CONVERGED (in %llu rounds). \n@@\n\n", Count{round.number});
    } else if (!round.is_last) {
        out += "@@ Continuing to next round.\n\n";
    }
}

}  // namespace warpseq
