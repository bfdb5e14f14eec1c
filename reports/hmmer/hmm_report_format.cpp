#include "reports/hmmer/hmm_report_format.h"

#include <utility>

#include "reports/fields.h"
#include "reports/hmmer/hmm_rounds_text.h"
#include "reports/hmmer/hmm_text_report.h"

namespace warpseq {
namespace {

class TextFormat final : public HmmReportFormat {
   public:
    void begin(const HmmRun& run, HmmQueryKind kind, const DatabaseFacts&, std::string& out) override {
        run_ = &run;
        kind_ = kind;
        append_report_header(run, kind, out);
    }
    void append_query(const HmmQuery& query, const HmmReport& report, bool, std::string& out) const override {
        append_query_report(*run_, kind_, query, report, out);
    }
    void append_round(const ProfileHmm& query, const HmmQuery& model, const HmmReport& report,
                      const HmmRoundFacts& round, bool, std::string& out) const override {
        append_round_report(*run_, named_by(query, model), model, report, round, out);
    }
    void end_rounds(std::string& out) const override { out += "//\n"; }
    void append_remark(const std::string& remark, std::string& out) const override { out += "# " + remark + "\n"; }
    void end(std::uint64_t, std::string& out) override { out += "[ok]\n"; }

   private:
    const HmmRun* run_ = nullptr;
    HmmQueryKind kind_ = HmmQueryKind::kProfile;
};

}  // namespace

void HmmReportFormat::append_round(const ProfileHmm& query, const HmmQuery& model, const HmmReport& report,
                                   const HmmRoundFacts& round, bool first, std::string& out) const {
    if (round.is_last) append_query(named_by(query, model), report, first, out);
}

HmmQuery named_by(const ProfileHmm& query, HmmQuery model) {
    model.name = query.name;
    model.accession = query.accession;
    model.description = query.description;
    return model;
}

std::unique_ptr<HmmReportFormat> make_hmm_text_format() { return std::make_unique<TextFormat>(); }

Result<std::unique_ptr<HmmReportFormat>> make_hmm_report_format(std::string_view outfmt, bool header) {
    const auto [format, fields] = split_outfmt(outfmt);
    auto layout = table_layout(format, header);
    if (!layout.ok()) return layout.status();
    if (*layout) return make_hmm_table_format(fields, **std::move(layout));
    WARPSEQ_TRY(refuse_fields(outfmt));
    if (format == "0") return make_hmm_text_format();
    if (format == "json") return make_hmm_json_format();
    return Status::usage("unknown format '" + std::string(outfmt) +
                         "'; choose 0 (HMMER's report), 6 (tab-separated), 7 (with comments), 10 "
                         "(comma-separated) or json");
}

}  // namespace warpseq
