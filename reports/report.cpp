#include "reports/report.h"

#include <utility>

#include "reports/fields.h"

namespace warpseq {

Result<std::unique_ptr<ReportWriter>> make_report_writer(std::string_view outfmt, bool header) {
    const auto [format, fields] = split_outfmt(outfmt);
    auto layout = table_layout(format, header);
    if (!layout.ok()) return layout.status();
    if (*layout) return make_tabular_report(fields, **std::move(layout));
    WARPSEQ_TRY(refuse_fields(outfmt));
    if (format == "0") return make_pairwise_report();
    if (format == "json") return make_json_report();
    return Status::usage("unknown format '" + std::string(outfmt) +
                         "'; choose 0 (pairwise text), 6 (tab-separated), 7 (with comments), 10 (comma-separated) or "
                         "json");
}

}  // namespace warpseq
