// --outfmt json: one object for the run, its queries in an array, written query by query.
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/common/command_line.h"
#include "apps/search/report/alignment_text.h"
#include "apps/search/report/report.h"

namespace warpseq {

namespace {

using Json = nlohmann::ordered_json;

/// Headers may hold bytes that are not UTF-8; JSON cannot, so those become U+FFFD.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

class JsonReport final : public ReportWriter {
   public:
    ReportNeeds needs() const override { return {}; }

    void begin(const RunDescription& run, std::string& out) override {
        Json databases = Json::array();
        for (std::size_t d = 0; d < run.databases.size(); ++d) {
            const WsdbReader& reader = run.databases.reader(d);
            databases.push_back({{"file", reader.file().filename().string()},
                                 {"sequences", reader.sequence_count()},
                                 {"residues", reader.residue_count()},
                                 {"content_digest", reader.content_digest()}});
        }
        Json parameters = {{"matrix", run.scheme.matrix.name()},
                           {"gap_open", run.scheme.gaps.open},
                           {"gap_extend", run.scheme.gaps.extend}};
        if (run.composition != CompositionMode::kNone) {
            parameters["composition_based_statistics"] = static_cast<int>(run.composition);
        }
        out += "{\"program\":\"warpseq search " + std::string(run.engine) + "\",\"version\":\"" +
               std::string(program_version()) + "\",\n\"parameters\":" + dump(parameters) +
               ",\n\"databases\":" + dump(databases) + ",\n\"queries\":[";
    }

    void add(const RunDescription& run, const Query& query, std::span<const ReportedHit> hits,
             std::string& out) override {
        if (!std::exchange(first_, false)) out += ',';
        out += "\n{\"id\":" + dump(identifier_of(query.header)) +
               ",\"description\":" + dump(description_of(query.header)) +
               ",\"residues\":" + std::to_string(query.residues.size()) + ",\"hits\":[";
        for (const ReportedHit& hit : hits) {
            if (&hit != hits.data()) out += ',';
            out += "\n" + dump(hit_object(run, query, hit));
        }
        out += "]}";
    }

    void end(const RunDescription&, std::string& out) override { out += "\n]}\n"; }

   private:
    static Json hit_object(const RunDescription& run, const Query& query, const ReportedHit& hit) {
        const Alignment& alignment = hit.alignment;
        const auto counts = count_alignment(alignment, query.residues, hit.aligned_target, run.scheme.matrix);
        const auto text = draw_alignment(alignment, query.residues, hit.aligned_target, run.scheme.matrix);
        const Json unknown = nullptr;
        Json object = {
            {"id", identifier_of(hit.target_header)},
            {"description", description_of(hit.target_header)},
            {"residues", hit.target_residues},
            {"score", hit.hit.score_raw},
            {"bits", run.statistics ? Json(run.statistics->bits(hit.hit.score_raw)) : unknown},
            {"evalue", run.statistics ? Json(hit.hit.evalue) : unknown},
            {"alignment",
             {{"query_from", alignment.query_begin + 1},
              {"query_to", alignment.query_end},
              {"target_from", alignment.target_begin + 1},
              {"target_to", alignment.target_end},
              {"columns", counts.columns},
              {"identities", counts.identities},
              {"positives", counts.positives},
              {"gaps", counts.gap_columns},
              {"gap_openings", counts.gap_openings},
              {"cigar", cigar(alignment)},
              {"query", text.query},
              {"middle", text.middle},
              {"target", text.target}}},
        };
        if (hit.rule) {
            object["score_adjustment"] = *hit.rule == CompositionAdjuster::Rule::kOptimized ? "optimized" : "scaled";
        }
        return object;
    }

    bool first_ = true;
};

}  // namespace

std::unique_ptr<ReportWriter> make_json_report() { return std::make_unique<JsonReport>(); }

}  // namespace warpseq
