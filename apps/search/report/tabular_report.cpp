// --outfmt 6 and 7: a line per hit, columns separated by tabs.
#include <algorithm>
#include <utility>

#include "apps/common/command_line.h"
#include "apps/search/report/fields.h"

namespace warpseq {

namespace {

class TabularReport final : public ReportWriter {
   public:
    TabularReport(std::vector<const Field*> fields, bool comments) : fields_(std::move(fields)), comments_(comments) {
        needs_.headers = std::ranges::any_of(fields_, [](const Field* field) { return field->needs_header; });
        needs_.alignments = std::ranges::any_of(fields_, [](const Field* field) { return field->needs_alignment; });
    }

    ReportNeeds needs() const override { return needs_; }

    void begin(const RunDescription&, std::string&) override {}

    void add(const RunDescription& run, const Query& query, std::span<const ReportedHit> hits,
             std::string& out) override {
        ++queries_;
        if (comments_) add_comments(run, query, hits.size(), out);
        for (const ReportedHit& hit : hits) {
            Row row{run, query, hit, {}, {}};
            if (needs_.alignments) {
                row.counts = count_alignment(hit.alignment, query.residues, hit.aligned_target, run.scheme.matrix);
                row.text = draw_alignment(hit.alignment, query.residues, hit.aligned_target, run.scheme.matrix);
            }
            for (const Field* field : fields_) {
                if (field != fields_.front()) out += '\t';
                field->append(row, out);
            }
            out += '\n';
        }
    }

    void end(const RunDescription&, std::string& out) override {
        if (comments_) out += "# warpseq processed " + std::to_string(queries_) + " queries\n";
    }

   private:
    void add_comments(const RunDescription& run, const Query& query, std::size_t hits, std::string& out) const {
        out += "# warpseq search " + std::string(run.engine) + " " + std::string(program_version()) + "\n";
        out += "# Query: " + query.header + "\n";
        out += "# Database: " + run.databases.names() + "\n";
        if (hits > 0) {
            out += "# Fields: ";
            for (const Field* field : fields_) {
                if (field != fields_.front()) out += ", ";
                out += field->title;
            }
            out += '\n';
        }
        out += "# " + std::to_string(hits) + " hits found\n";
    }

    std::vector<const Field*> fields_;
    ReportNeeds needs_;
    bool comments_;
    std::uint64_t queries_ = 0;
};

}  // namespace

Result<std::unique_ptr<ReportWriter>> make_tabular_report(std::string_view names, bool comments) {
    auto fields = parse_fields(names);
    if (!fields.ok()) return fields.status();
    return std::unique_ptr<ReportWriter>(std::make_unique<TabularReport>(*std::move(fields), comments));
}

}  // namespace warpseq
