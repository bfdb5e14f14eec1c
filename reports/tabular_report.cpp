// Writes --outfmt 6, 7 and 10: a line for each hit.
#include <utility>

#include "reports/fields.h"
#include "reports/report.h"
#include "reports/table_comments.h"

namespace warpseq {

namespace {

class TabularReport final : public ReportWriter {
   public:
    TabularReport(std::vector<const Field*> fields, TableLayout layout)
        : table_(std::move(fields), std::move(layout)) {}

    ReportNeeds needs() const override { return {table_.needs(kNeedsHeader), table_.needs(kNeedsAlignment)}; }

    void begin(const RunDescription&, std::string& out) override { table_.append_header(out); }

    void add(const RunDescription& run, const Query& query, std::span<const ReportedHit> hits,
             std::string& out) override {
        ++queries_;
        if (table_.has_comments()) {
            append_query_comments("search " + std::string(run.engine), query.header, run.databases.names(), table_,
                                  hits.size(), out);
        }
        for (const ReportedHit& hit : hits) {
            table_.append_row(row_of(run, query, hit), out);
        }
    }

    void end(const RunDescription&, std::string& out) override {
        if (table_.has_comments()) append_end_comment(queries_, out);
    }

   private:
    Row row_of(const RunDescription& run, const Query& query, const ReportedHit& hit) const {
        const Alignment& alignment = hit.alignment;
        Row row;
        row.query_header = query.header;
        row.query_residues = query.residues.size();
        row.target_header = hit.target_header;
        row.target_residues = hit.target_residues;
        row.score_raw = hit.hit.score_raw;
        if (run.statistics) {
            row.evalue = hit.hit.evalue;
            row.bits = run.statistics->bits(hit.hit.score_raw);
        }
        row.query_start = alignment.query_begin + 1;
        row.query_end = alignment.query_end;
        row.target_start = alignment.target_begin + 1;
        row.target_end = alignment.target_end;
        table_.fill_alignment(alignment, query.residues, hit.aligned_target, run.scheme.matrix, row);
        if (table_.needs(kNeedsCigar)) row.cigar = cigar(alignment);
        if (table_.needs(kNeedsTaxids))
            row.taxa = taxa_of(run.databases, hit.hit.database, hit.hit.rank, hit.target_header,
                               table_.needs(kNeedsTaxa), table_.needs(kNeedsAllTaxids));
        return row;
    }

    FieldTable table_;
    std::uint64_t queries_ = 0;
};

}  // namespace

Result<std::unique_ptr<ReportWriter>> make_tabular_report(std::string_view names, TableLayout layout) {
    auto fields = parse_sw_fields(names);
    if (!fields.ok()) return fields.status();
    return std::unique_ptr<ReportWriter>(std::make_unique<TabularReport>(*std::move(fields), std::move(layout)));
}

}  // namespace warpseq
