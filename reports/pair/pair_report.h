// How pair alignments become text. One writer per output format.
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
#include "reports/report_text.h"

namespace warpseq {

/// What a run is about; outlives the writer's calls.
struct PairRun {
    const PairInput& input;
    PairMode mode;
    bool score_only;
    const ScoringScheme& scheme;
    std::optional<AlignmentStatistics> statistics;  // of local alignments whose scores BLAST knows statistics for
    bool lists = false;                             // pairs may have several alignments
};

class PairReportWriter {
   public:
    virtual ~PairReportWriter() = default;
    /// `out` is the same in all calls.
    virtual Status begin(const PairRun& run, ReportText& out) = 0;
    /// Results come in the order of the pairs, those of one pair by their numbers.
    virtual Status add(const PairRun& run, const PairResult& result, ReportText& out) = 0;
    virtual Status end(const PairRun& run, ReportText& out) = 0;
};

/// "0", "6", "7", "10", "paf", "sam", "json"; 6, 7 and 10 take field names. Anything else is a
/// usage error, and so is what needs alignments with `score_only`.
Result<std::unique_ptr<PairReportWriter>> make_pair_report(std::string_view outfmt, bool score_only);

std::unique_ptr<PairReportWriter> make_pair_blocks();
/// `number` is "6", "7" or "10".
Result<std::unique_ptr<PairReportWriter>> make_pair_table(std::string_view number, std::string_view fields,
                                                          bool score_only);
std::unique_ptr<PairReportWriter> make_pair_paf();
std::unique_ptr<PairReportWriter> make_pair_sam();
std::unique_ptr<PairReportWriter> make_pair_json();

/// The alignment of a minus strand result seen from the other side: the query forward, as `queries`
/// has it, the target's aligned residues reverse-complemented, into `target`. For a plus strand
/// result the alignment itself, and its target residues.
Alignment seen_from_query(const PairRun& run, const PairResult& result, std::vector<ResidueCode>& target);

}  // namespace warpseq
