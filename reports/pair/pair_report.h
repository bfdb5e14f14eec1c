// Writes pair alignments as text, with one writer for each output format.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/pair/pair_input.h"
#include "engines/pair/pair_mode.h"
#include "engines/pair/pair_result.h"
#include "libcore/base/status.h"
#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"
#include "libcore/statistics/karlin_altschul.h"
#include "reports/alignment_text.h"
#include "reports/fields.h"
#include "reports/report_text.h"

namespace warpseq {

/// The description of a run. It must outlive the writer's calls.
struct PairRun {
    const PairInput& input;
    PairMode mode;
    bool score_only;
    const ScoringScheme& scheme;
    /// Statistics of local alignments. Nothing if BLAST has none for these scores.
    std::optional<AlignmentStatistics> statistics;
    bool lists = false;  // whether a pair may have several alignments
};

/// A writer of reports of pairs. begin() is called first, then add() for each result, then end().
class PairReportWriter {
   public:
    virtual ~PairReportWriter() = default;
    /// Each call appends to `out`, which is the same in all calls.
    virtual Status begin(const PairRun& run, ReportText& out) = 0;
    /// Appends a result. Results come in the order of the pairs, and those of one pair by their
    /// numbers.
    virtual Status add(const PairRun& run, const PairResult& result, ReportText& out) = 0;
    virtual Status end(const PairRun& run, ReportText& out) = 0;
};

/// Returns the writer of "0", "6", "7", "10", "paf", "sam" or "json". Field names may follow 6, 7
/// and 10. Any other text is a usage error. So is a format or field that needs alignments if
/// `score_only`. `header` asks for a first row with the names of the columns, which 6 and 10 can
/// have.
Result<std::unique_ptr<PairReportWriter>> make_pair_report(std::string_view outfmt, bool score_only,
                                                           bool header = false);

std::unique_ptr<PairReportWriter> make_pair_blocks();
/// Returns the three lines of a result, with the letters and the marks of format "0". Residues
/// outside the alignment are left out.
AlignmentText pair_alignment_text(const PairRun& run, const PairResult& result);
/// Returns the writer of formats 6, 7 and 10.
Result<std::unique_ptr<PairReportWriter>> make_pair_table(std::string_view fields, TableLayout layout, bool score_only);
std::unique_ptr<PairReportWriter> make_pair_paf();
std::unique_ptr<PairReportWriter> make_pair_sam();
std::unique_ptr<PairReportWriter> make_pair_json();

/// Returns the alignment of a minus strand result as seen from the query's side. The query runs
/// forward, as in `queries`. Sets `target` to the target's aligned residues, reverse-complemented.
/// For a plus strand result it returns the alignment itself and sets `target` to its target
/// residues.
Alignment seen_from_query(const PairRun& run, const PairResult& result, std::vector<ResidueCode>& target);

}  // namespace warpseq
