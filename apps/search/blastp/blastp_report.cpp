#include "apps/search/blastp/blastp_report.h"

#include <string>

namespace warpseq {

Result<std::unique_ptr<BlastpReport>> make_blastp_report(std::string_view outfmt) {
    const std::size_t blank = outfmt.find_first_of(" \t");
    const std::string_view format = outfmt.substr(0, blank);
    const std::string_view names = blank == std::string_view::npos ? std::string_view() : outfmt.substr(blank + 1);
    if (format == "6" || format == "7") return make_blastp_table(names, "\t", format == "7");
    if (format == "10") return make_blastp_table(names, ",", false);
    if (format == "0") {
        if (names.find_first_not_of(" \t") == std::string_view::npos) return make_blastp_pairwise_report();
        return Status::usage("--outfmt \"" + std::string(outfmt) + "\": only formats 6, 7 and 10 take field names");
    }
    return Status::usage(
        "--outfmt " + std::string(outfmt) +
        ": unknown format; choose 0 (pairwise text), 6 (tab-separated), 7 (with comments) or 10 (comma-separated)");
}

}  // namespace warpseq
