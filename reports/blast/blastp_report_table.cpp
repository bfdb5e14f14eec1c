// Writes --outfmt 6, 7 and 10: a line for each HSP.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "reports/alignment_text.h"
#include "reports/blast/blastp_order.h"
#include "reports/blast/blastp_report.h"
#include "reports/blast/blastp_report_text.h"
#include "reports/fields.h"

namespace warpseq {
namespace {

class BlastpTable final : public BlastpReport {
   public:
    BlastpTable(std::vector<const Field*> fields, TableLayout layout) : table_(std::move(fields), std::move(layout)) {}

    void begin(const BlastpRun& run, std::string& out) override {
        table_.append_header(out);
        positives_.emplace(positives_matrix(run.settings.scheme.matrix, kCodesWithoutPositives));
    }

    Status add(const BlastpRun& run, const BlastpResult& result, std::string& out) override {
        ++queries_;
        if (table_.has_comments()) add_comments(run, result, out);
        for (std::size_t h = 0; h < result.hits.size(); ++h)
            add_rows(run, result, result.hits[h], result.headers[h], out);
        return {};
    }

    void end(const BlastpRun&, std::string& out) override {
        if (table_.has_comments()) out += "# BLAST processed " + std::to_string(queries_) + " queries\n";
    }

    bool names_taxa() const override { return table_.needs(kNeedsTaxa); }

   private:
    void add_rows(const BlastpRun& run, const BlastpResult& result, const BlastpHit& hit, const std::string& header,
                  std::string& out) const {
        const BlastpQuery& query = result.query;
        const TargetNames target = name_target(run.names, hit, header);
        Row row;
        const QueryNames names = name_query(run.names, query.header, result.number);
        row.query_header = query.header;
        row.query_id = names.table_id;
        row.query_accession = names.accession;
        row.query_bare_accession = names.bare_accession;
        row.query_gi = names.gi;
        // If a query ends before the requested range does, blastp still takes the whole range as
        // its length here.
        row.query_residues = run.query_residues == 0 ? query.residues.size() : run.query_residues;
        row.target_header = header;
        row.target_id = target.id;
        row.target_accession = target.accession;
        row.target_bare_accession = target.bare_accession;
        row.target_gi = target.gi;
        row.target_all_ids = target.all_ids;
        row.target_all_accessions = target.all_accessions;
        row.target_all_gis = target.all_gis;
        // blastp knows no titles and no taxonomy of sequences that were given for the run.
        if (!run.names.are_subjects) {
            row.target_title = target.title;
            row.target_all_titles = target.all_titles;
            if (table_.needs(kNeedsTaxa))
                row.taxa =
                    name_taxa(run.names.tree(hit.database), target.taxid, target.taxids, table_.needs(kNeedsAllTaxids));
            if (target.taxid != 0) row.taxa.taxid = std::to_string(target.taxid);
            row.taxa.all_taxids = target.all_taxids;
        } else {
            row.taxa.all_taxids = "N/A";
        }
        row.target_residues = run.databases.whole_residues(hit.database, hit.rank);
        row.target_coverage_percent =
            static_cast<int>(coverage_percent(covered_residues(hit.hsps), row.query_residues));
        for (std::size_t i = 0; i < hit.hsps.size(); ++i) {
            const Hsp& hsp = hit.hsps[i];
            const auto& aligned = hit.aligned_targets[i];
            const Alignment alignment{hsp.score_raw,    hsp.query_begin, hsp.query_end,
                                      hsp.target_begin, hsp.target_end,  hsp.runs};
            row.score_raw = hsp.score_raw;
            row.evalue = hsp.evalue;
            row.bits = statistics_of(query, run.statistics).bits(hsp.score_raw);
            const std::string bits = blastp_bits(*row.bits);
            row.bits_text = bits;
            row.query_start = run.query_begin + hsp.query_begin + 1;
            row.query_end = run.query_begin + hsp.query_end;
            row.target_start = run.target_begin + hsp.target_begin + 1;
            row.target_end = run.target_begin + hsp.target_end;
            row.hsp_coverage_percent =
                static_cast<int>(coverage_percent(hsp.query_end - hsp.query_begin, query.residues.size()));
            table_.fill_alignment(alignment, query.residues, aligned, *positives_, row);
            if (table_.needs(kNeedsCigar)) row.cigar = cigar(alignment);
            table_.append_row(row, out);
        }
    }

    void add_comments(const BlastpRun& run, const BlastpResult& result, std::string& out) const {
        std::size_t rows = 0;
        for (const BlastpHit& hit : result.hits) rows += hit.hsps.size();
        // Programs that read this look for "BLAST" in the first line.
        out += "# " + run.names.version + "\n# Query: ";
        out += name_query(run.names, result.query.header, result.number).shown;
        out += "\n# Database: " + run.names.databases + "\n";
        if (rows > 0) table_.append_titles(out);
        if (!result.query.is_in_invalid_group) out += "# " + std::to_string(rows) + " hits found\n";
    }

    FieldTable table_;
    std::optional<SubstitutionMatrix> positives_;
    std::uint64_t queries_ = 0;
};

}  // namespace

Result<std::unique_ptr<BlastpReport>> make_blastp_table(std::string_view names, TableLayout layout) {
    auto parsed = parse_blastp_fields(names);
    if (!parsed.ok()) return parsed.status();
    if (parsed->separator) layout.separator = *parsed->separator;
    return std::unique_ptr<BlastpReport>(std::make_unique<BlastpTable>(std::move(parsed->fields), std::move(layout)));
}

}  // namespace warpseq
