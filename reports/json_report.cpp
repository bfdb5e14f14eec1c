// Writes --outfmt json: one object for the run, with its queries in an array, query by query.
#include <optional>

#include "formats/io/json_writer.h"
#include "reports/alignment_text.h"
#include "reports/json_document.h"
#include "reports/report.h"

namespace warpseq {

namespace {

class JsonReport final : public ReportWriter {
   public:
    ReportNeeds needs() const override { return {}; }

    void begin(const RunDescription& run, std::string& out) override {
        JsonWriter& json = json_.emplace(out, JsonWriter::Layout::kCompact);
        begin_json_document(json, "search " + std::string(run.engine), run.databases, [&] {
            json.member("matrix", run.scheme.matrix.name());
            json.member("gap_open", run.scheme.gaps.open);
            json.member("gap_extend", run.scheme.gaps.extend);
            if (run.composition != CompositionMode::kNone)
                json.member("composition_based_statistics", static_cast<int>(run.composition));
        });
    }

    void add(const RunDescription& run, const Query& query, std::span<const ReportedHit> hits, std::string&) override {
        json_->line_break();
        json_->begin_object();
        json_->member("id", identifier_of(query.header));
        json_->member("description", description_of(query.header));
        json_->member("residues", query.residues.size());
        json_->key("hits").begin_array();
        for (const ReportedHit& hit : hits) {
            json_->line_break();
            add_hit(run, query, hit);
        }
        json_->end_array();
        json_->end_object();
    }

    void end(const RunDescription&, std::string&) override { end_json_document(*json_); }

   private:
    void add_hit(const RunDescription& run, const Query& query, const ReportedHit& hit) {
        const Alignment& alignment = hit.alignment;
        const auto counts = count_alignment(alignment, query.residues, hit.aligned_target, run.scheme.matrix);
        const auto text = draw_alignment(alignment, query.residues, hit.aligned_target, run.scheme.matrix);
        JsonWriter& json = *json_;
        json.begin_object();
        json.member("id", identifier_of(hit.target_header));
        json.member("description", description_of(hit.target_header));
        json.member("residues", hit.target_residues);
        json.member("score", hit.hit.score_raw);
        if (run.statistics) {
            json.member("bits", run.statistics->bits(hit.hit.score_raw));
            json.member("evalue", hit.hit.evalue);
        } else {
            json.key("bits").null();
            json.key("evalue").null();
        }
        json.key("alignment").begin_object();
        json.member("query_from", alignment.query_begin + 1);
        json.member("query_to", alignment.query_end);
        json.member("target_from", alignment.target_begin + 1);
        json.member("target_to", alignment.target_end);
        json.member("columns", counts.columns);
        json.member("identities", counts.identities);
        json.member("positives", counts.positives);
        json.member("gaps", counts.gap_columns);
        json.member("gap_openings", counts.gap_openings);
        json.member("cigar", cigar(alignment));
        json.member("query", text.query);
        json.member("middle", text.middle);
        json.member("target", text.target);
        json.end_object();
        if (hit.rule) {
            json.member("score_adjustment",
                        *hit.rule == CompositionAdjuster::Rule::kOptimized ? "optimized" : "scaled");
        }
        json.end_object();
    }

    std::optional<JsonWriter> json_;  // the writer of all calls
};

}  // namespace

std::unique_ptr<ReportWriter> make_json_report() { return std::make_unique<JsonReport>(); }

}  // namespace warpseq
