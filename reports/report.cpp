#include "reports/report.h"

#include "reports/fields.h"

namespace warpseq {

Result<std::unique_ptr<ReportWriter>> make_report_writer(std::string_view outfmt) {
    const auto [format, fields] = split_outfmt(outfmt);
    if (format == "6" || format == "7") return make_tabular_report(fields, format == "7");
    WARPSEQ_TRY(refuse_fields(outfmt));
    if (format == "0") return make_pairwise_report();
    if (format == "json") return make_json_report();
    return Status::usage("unknown format '" + std::string(outfmt) +
                         "'; choose 0 (pairwise text), 6 (tab-separated), 7 (with comments) or json");
}

}  // namespace warpseq
