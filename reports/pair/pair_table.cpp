// Writes --outfmt 6, 7 and 10: a line for each alignment, with blastp's field names. A pair without
// an alignment has no line.
//
// As in BLAST, the query always runs forward. On the minus strand the target is
// reverse-complemented, and sstart > send. Sequences and CIGAR are given in this orientation.
#include <string>
#include <utility>

#include "formats/fasta/fasta.h"
#include "libcore/base/version.h"
#include "reports/fields.h"
#include "reports/pair/pair_report.h"

namespace warpseq {

namespace {

constexpr std::string_view kPairFields =
    "qseqid sseqid pident length mismatch gapopen qstart qend sstart send sstrand score";
constexpr std::string_view kScoreFields = "qseqid sseqid sstrand score";

class TableReport final : public PairReportWriter {
   public:
    TableReport(std::vector<const Field*> fields, TableLayout layout) : table_(std::move(fields), std::move(layout)) {}

    Status begin(const PairRun&, ReportText& out) override {
        table_.append_header(out.text());
        return {};
    }

    Status add(const PairRun& run, const PairResult& result, ReportText& out) override {
        const bool has_row = run.score_only || result.has_alignment();
        if (result.number == 1) {
            if (table_.has_comments()) add_comments(run, result, has_row, out.text());
            ++pairs_;
        }
        if (!has_row) return {};
        table_.append_row(row_of(run, result), out.text());
        return out.spill();
    }

    Status end(const PairRun&, ReportText& out) override {
        if (table_.has_comments()) out.text() += "# warpseq processed " + std::to_string(pairs_) + " pairs\n";
        return {};
    }

   private:
    Row row_of(const PairRun& run, const PairResult& result) const {
        const PairSequence& query = run.input.queries[result.query];
        const PairSequence& target = run.input.targets[result.target];
        Row row;
        row.query_header = query.header;
        row.query_residues = query.residues.size();
        row.target_header = target.header;
        row.target_residues = target.residues.size();
        row.score_raw = result.alignment.score_raw;
        if (run.statistics) {
            row.evalue = run.statistics->evalue(static_cast<double>(row.score_raw), row.query_residues,
                                                row.target_residues, row.target_residues);
            row.bits = run.statistics->bits(row.score_raw);
        }
        if (run.input.alphabet == Alphabet::kNucleotide) row.minus = result.minus;
        if (!table_.needs(kNeedsAlignment)) return row;
        std::vector<ResidueCode> aligned_target;
        const Alignment alignment = seen_from_query(run, result, aligned_target);
        row.query_start = alignment.query_begin + 1;
        row.query_end = alignment.query_end;
        row.target_start = result.minus ? alignment.target_end : alignment.target_begin + 1;
        row.target_end = result.minus ? alignment.target_begin + 1 : alignment.target_end;
        table_.fill_alignment(alignment, query.residues, aligned_target, run.scheme.matrix, row,
                              letters_of(run.input.alphabet));
        if (table_.needs(kNeedsCigar)) row.cigar = extended_cigar(alignment, query.residues, aligned_target);
        return row;
    }

    void add_comments(const PairRun& run, const PairResult& result, bool has_row, std::string& out) const {
        out += "# warpseq search pair " + std::string(program_version()) + "\n";
        out += "# Query: " + run.input.queries[result.query].header + "\n";
        out += "# Subject: " + run.input.targets[result.target].header + "\n";
        if (has_row) table_.append_titles(out);
        out += "# " + std::to_string(has_row ? result.of : 0) + " hits found\n";
    }

    FieldTable table_;
    std::uint64_t pairs_ = 0;
};

}  // namespace

Result<std::unique_ptr<PairReportWriter>> make_pair_table(std::string_view names, TableLayout layout, bool score_only) {
    auto fields = parse_fields(names, score_only ? kScoreFields : kPairFields);
    if (!fields.ok()) return fields.status();
    for (const Field* field : *fields) {
        if (score_only && (field->needs & kNeedsAlignment) != 0) {
            return Status::usage("the field " + std::string(field->name) +
                                 " needs the alignment, and only scores are computed")
                .with(Advice::kAlignments);
        }
    }
    return std::unique_ptr<PairReportWriter>(std::make_unique<TableReport>(*std::move(fields), std::move(layout)));
}

}  // namespace warpseq
