#include "reports/report.h"

namespace warpseq {

Result<std::unique_ptr<ReportWriter>> make_report_writer(std::string_view outfmt) {
    const std::size_t blank = outfmt.find_first_of(" \t");
    const std::string_view format = outfmt.substr(0, blank);
    const std::string_view fields = blank == std::string_view::npos ? std::string_view() : outfmt.substr(blank + 1);
    if (format == "6" || format == "7") return make_tabular_report(fields, format == "7");
    if (!fields.empty()) {
        return Status::usage("--outfmt \"" + std::string(outfmt) + "\": only formats 6 and 7 take field names");
    }
    if (format == "0") return make_pairwise_report();
    if (format == "json") return make_json_report();
    return Status::usage("--outfmt " + std::string(outfmt) +
                         ": unknown format; choose 0 (pairwise text), 6 (tab-separated), 7 (with comments) or json");
}

}  // namespace warpseq
