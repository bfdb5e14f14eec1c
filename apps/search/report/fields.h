// The columns of --outfmt 6 and 7, with blastp's names and meaning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/search/report/alignment_text.h"
#include "apps/search/report/report.h"
#include "libcore/status.h"

namespace warpseq {

/// One row's material; `counts` and `text` are filled only if some field needs the alignment.
struct Row {
    const RunDescription& run;
    const Query& query;
    const ReportedHit& hit;
    AlignmentCounts counts;
    AlignmentText text;
};

struct Field {
    std::string_view name;   // as on the command line
    std::string_view title;  // as in the comments of format 7
    bool needs_header;
    bool needs_alignment;
    void (*append)(const Row& row, std::string& out);
};

/// Parses names separated by blanks; empty, or "std" among them, stands for blastp's twelve.
Result<std::vector<const Field*>> parse_fields(std::string_view names);

}  // namespace warpseq
