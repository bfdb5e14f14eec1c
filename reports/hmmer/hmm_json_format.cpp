// Writes --outfmt json: one object for the run, with its queries in an array, query by query.
#include <memory>
#include <optional>
#include <string>

#include "engines/hmm/hmm_thresholds.h"
#include "formats/io/json_writer.h"
#include "reports/hmmer/hmm_aligned_domain.h"
#include "reports/hmmer/hmm_report_format.h"
#include "reports/json_document.h"

namespace warpseq {
namespace {

void add_alignment(const HmmAlignedDomain& aligned, JsonWriter& json) {
    json.begin_object();
    json.member("query_from", aligned.alignment.query_begin + 1);
    json.member("query_to", aligned.alignment.query_end);
    json.member("target_from", aligned.alignment.target_begin + 1);
    json.member("target_to", aligned.alignment.target_end);
    json.member("columns", aligned.counts.columns);
    json.member("identities", aligned.counts.identities);
    json.member("positives", aligned.counts.positives);
    json.member("gaps", aligned.counts.gap_columns);
    json.member("gap_openings", aligned.counts.gap_openings);
    json.member("cigar", cigar(aligned.alignment));
    json.member("query", aligned.text.query);
    json.member("middle", aligned.text.middle);
    json.member("target", aligned.text.target);
    json.member("posterior", aligned.posterior);
    json.end_object();
}

class JsonFormat final : public HmmReportFormat {
   public:
    void begin(const HmmRun& run, HmmQueryKind kind, const DatabaseFacts& databases, std::string& out) override {
        kind_ = kind;
        JsonWriter& json = json_.emplace(out, JsonWriter::Layout::kCompact);
        begin_json_document(json, run.program.name, databases, [&] {
            json.member("queries", kind == HmmQueryKind::kProfile ? "profiles" : "sequences");
            if (kind == HmmQueryKind::kScanned) json.member("profiles", run.database_names);
            json.member("msv_pvalue", run.msv_pvalue);
            json.member("viterbi_pvalue", run.viterbi_pvalue);
            json.member("forward_pvalue", run.forward_pvalue);
            json.key("options").begin_object();
            for (const HmmRun::Given& given : run.given) {
                if (!given.is_layout) json.member(given.name, given.value);
            }
            json.end_object();
        });
    }

    void append_query(const HmmQuery& query, const HmmReport& report, bool first, std::string& out) const override {
        // Each query has a writer of its own, because queries are written concurrently.
        out += first ? "\n" : ",\n";
        JsonWriter json(out, JsonWriter::Layout::kCompact);
        json.begin_object();
        json.member("id", query.name);
        json.member("accession", query.accession);
        json.member("description", query.description);
        json.member(kind_ == HmmQueryKind::kScanned ? "residues" : "nodes", query.length);
        json.member("targets_z", report.targets_z);
        json.member("domains_z", report.domains_z);
        json.key("passed").begin_object();
        json.member("msv", report.counts.passed_msv);
        json.member("bias", report.counts.passed_bias);
        json.member("viterbi", report.counts.passed_viterbi);
        json.member("forward", report.counts.passed_forward);
        json.end_object();
        json.key("hits").begin_array();
        for (const HmmHit& hit : report.hits) {
            if (!hit.reported) continue;
            json.line_break();
            add_hit(query, report, hit, json);
        }
        json.end_array();
        json.end_object();
    }

    void end(std::uint64_t, std::string&) override { end_json_document(*json_); }

   private:
    void add_hit(const HmmQuery& query, const HmmReport& report, const HmmHit& hit, JsonWriter& json) const {
        json.begin_object();
        json.member("id", hit.target_name);
        json.member("description", hit.target_description);
        if (kind_ == HmmQueryKind::kScanned || !hit.target_accession.empty())
            json.member("accession", hit.target_accession);
        json.member(kind_ == HmmQueryKind::kScanned ? "nodes" : "residues", query.target_length(hit));
        json.member("bits", static_cast<double>(hit.score_bits));
        json.member("evalue", evalue(report, hit));
        json.member("bias_bits", bias_bits(hit));
        json.member("expected_domains", static_cast<double>(hit.expected_domains));
        json.member("included", hit.included);
        json.key("domains").begin_array();
        for (const HmmDomain& domain : hit.domains) {
            if (!domain.reported) continue;
            json.begin_object();
            json.member("bits", static_cast<double>(domain.score_bits));
            json.member("evalue", independent_evalue(report, domain));
            json.member("conditional_evalue", conditional_evalue(report, domain));
            json.member("bias_bits", bias_bits(domain));
            json.member("accuracy", mean_accuracy(domain));
            json.member("included", domain.included);
            json.member("envelope_from", domain.envelope_from);
            json.member("envelope_to", domain.envelope_to);
            json.key("alignment");
            HmmAlignedDomain aligned = align_to_consensus(query.model_of(hit), domain);
            if (kind_ == HmmQueryKind::kScanned) aligned = exchanged(std::move(aligned));
            add_alignment(aligned, json);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }

    std::optional<JsonWriter> json_;  // of what is around the queries
    HmmQueryKind kind_ = HmmQueryKind::kProfile;
};

}  // namespace

std::unique_ptr<HmmReportFormat> make_hmm_json_format() { return std::make_unique<JsonFormat>(); }

}  // namespace warpseq
