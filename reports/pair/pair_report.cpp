#include "reports/pair/pair_report.h"

#include <algorithm>
#include <utility>

namespace warpseq {

Result<std::unique_ptr<PairReportWriter>> make_pair_report(std::string_view outfmt, bool score_only, bool header) {
    const auto [format, fields] = split_outfmt(outfmt);
    auto layout = table_layout(format, header);
    if (!layout.ok()) return layout.status();
    if (*layout) return make_pair_table(fields, **std::move(layout), score_only);
    WARPSEQ_TRY(refuse_fields(outfmt));
    if (format == "0") return make_pair_blocks();
    if (format == "json") return make_pair_json();
    if (format != "paf" && format != "sam") {
        return Status::usage("unknown format '" + std::string(outfmt) +
                             "'; choose 0 (aligned blocks), 6 (tab-separated), 7 (with comments), 10 "
                             "(comma-separated), paf, sam or json");
    }
    if (score_only)
        return Status::usage("format " + std::string(format) +
                             " holds alignments, and only scores are computed; choose 0, 6 or json, or compute them")
            .with(Advice::kAlignments);
    return format == "paf" ? make_pair_paf() : make_pair_sam();
}

Alignment seen_from_query(const PairRun& run, const PairResult& result, std::vector<ResidueCode>& target) {
    const auto aligned = result.aligned_target(run.input);
    if (!result.minus) {
        target.assign(aligned.begin(), aligned.end());
        return result.alignment;
    }
    target = reverse_complement(aligned);
    Alignment alignment = result.alignment;
    const std::uint64_t residues = result.reversed.size();
    alignment.query_begin = residues - result.alignment.query_end;
    alignment.query_end = residues - result.alignment.query_begin;
    std::reverse(alignment.runs.begin(), alignment.runs.end());
    return alignment;
}

}  // namespace warpseq
