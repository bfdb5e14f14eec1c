#include "apps/search/blastp/blastp_report.h"

#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/search/report/alignment_text.h"
#include "apps/search/report/fields.h"

namespace warpseq {
namespace {

/// Formats 6, 7 and 10: a line per HSP.
class BlastpTable final : public BlastpReport {
   public:
    BlastpTable(std::vector<const Field*> fields, std::string separator, bool comments)
        : fields_(std::move(fields)), separator_(std::move(separator)), comments_(comments), needs_(needs_of(fields_)) {}

    void begin(const BlastpRun&, std::string&) override {}

    void add(const BlastpRun& run, const BlastpResult& result, std::string& out) override {
        ++queries_;
        if (comments_) add_comments(run, result, out);
        for (std::size_t h = 0; h < result.hits.size(); ++h) {
            const BlastpHit& hit = result.hits[h];
            for (std::size_t i = 0; i < hit.hsps.size(); ++i) add_row(run, result, h, i, out);
        }
    }

    void end(const BlastpRun&, std::string& out) override {
        if (comments_) out += "# warpseq processed " + std::to_string(queries_) + " queries\n";
    }

   private:
    void add_row(const BlastpRun& run, const BlastpResult& result, std::size_t hit_index, std::size_t hsp_index, std::string& out) const {
        const BlastpHit& hit = result.hits[hit_index];
        const Hsp& hsp = hit.hsps[hsp_index];
        const auto& aligned = hit.aligned_targets[hsp_index];
        const auto has = [&](unsigned need) { return (needs_ & need) == need; };
        const Alignment alignment{hsp.score_raw, hsp.query_begin, hsp.query_end, hsp.target_begin, hsp.target_end, hsp.runs};
        Row row;
        row.query_header = result.query.header;
        row.query_residues = result.query.residues.size();
        row.target_header = result.headers[hit_index];
        row.target_residues = run.databases.reader(hit.database).lengths_residues()[hit.rank];
        row.score_raw = hsp.score_raw;
        row.evalue = hsp.evalue;
        row.bits = run.statistics.bits(hsp.score_raw);
        row.query_start = hsp.query_begin + 1;
        row.query_end = hsp.query_end;
        row.target_start = hsp.target_begin + 1;
        row.target_end = hsp.target_end;
        if (has(kNeedsAlignment)) row.counts = count_alignment(alignment, result.query.residues, aligned, run.options.scheme.matrix);
        if (has(kNeedsText)) row.text = draw_alignment(alignment, result.query.residues, aligned, run.options.scheme.matrix);
        if (has(kNeedsCigar)) row.cigar = cigar(alignment);
        for (const Field* field : fields_) {
            if (field != fields_.front()) out += separator_;
            field->append(row, out);
        }
        out += '\n';
    }

    void add_comments(const BlastpRun& run, const BlastpResult& result, std::string& out) const {
        std::size_t rows = 0;
        for (const BlastpHit& hit : result.hits) rows += hit.hsps.size();
        out += "# warpseq search blastp " + std::string(program_version()) + "\n# Query: " + result.query.header + "\n# Database: " + run.databases.names() + "\n";
        if (rows > 0) {
            out += "# Fields: ";
            for (const Field* field : fields_) {
                if (field != fields_.front()) out += ", ";
                out += field->title;
            }
            out += '\n';
        }
        out += "# " + std::to_string(rows) + " hits found\n";
    }

    std::vector<const Field*> fields_;
    std::string separator_;
    bool comments_;
    unsigned needs_;
    std::uint64_t queries_ = 0;
};

}  // namespace

Result<std::unique_ptr<BlastpReport>> make_blastp_report(std::string_view outfmt) {
    const std::string_view format = outfmt.substr(0, outfmt.find(' '));
    const std::string_view names = outfmt.substr(format.size());
    if (format == "6" || format == "7" || format == "10") {
        auto fields = parse_fields(names);
        if (!fields.ok()) return fields.status();
        return std::unique_ptr<BlastpReport>(
            std::make_unique<BlastpTable>(*std::move(fields), format == "10" ? "," : "\t", format == "7"));
    }
    return Status::usage("--outfmt " + std::string(outfmt) + ": expected 6, 7 or 10, which field names may follow");
}

}  // namespace warpseq
